"""The readers in order of cost: lexicon, tagger, intents, normalisers; the language model in doubt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from appliance.conversation.commands import (
    Affirm,
    AmbiguousSlot,
    Command,
    NotUnderstood,
    Reading,
    SetSlot,
)
from appliance.conversation.models import Context, Question
from appliance.conversation.ports import Reader
from appliance.errors import EngineError
from appliance.readers.agreement import merge
from appliance.readers.commands_from import (
    MATTERS,
    PERSONS,
    TOPICS,
    Draft,
    about_question,
    commands_from,
    intent_of,
    present,
)
from appliance.readers.corrections import bare_correction
from appliance.readers.lexicon import Lexicons
from appliance.readers.normalise.values import Normalisers
from appliance.readers.normalise.words import Words
from appliance.readers.signals import IntentReader, SlotTagger, Thresholds
from appliance.readers.slots import SlotReading, SlotReadings, read_slots

NEEDY = ("book", "special_wish", "correct")
"""Intents that come with values."""
TALKATIVE = 25
"""An utterance of more words is a story: worth a second opinion if the first is not sure of the intent."""
COURTESIES = frozenset({"thank", "greet", "goodbye"})


@dataclass(frozen=True)
class Quick:
    """What the quick readers found, and why a second opinion is worth its time."""

    draft: Draft
    slots: SlotReadings
    doubts: tuple[str, ...]
    intents_sure: bool


class Cascade:
    """A :class:`appliance.conversation.ports.Reader` over all readers of the box. One per call."""

    def __init__(
        self,
        lexicons: Lexicons,
        normalisers: Normalisers,
        *,
        taggers: Mapping[str, SlotTagger] | None = None,
        intents: Mapping[str, IntentReader] | None = None,
        second: Reader | None = None,
        limits: Mapping[str, Thresholds] | None = None,
    ) -> None:
        """``taggers`` and ``intents`` by language; without ``second``, doubt is asked back."""
        self._lexicons = lexicons
        self._normalisers = normalisers
        self._taggers = taggers or {}
        self._intents = intents or {}
        self._second = second
        self._limits_by_language = limits or {}

    def _limits(self, context: Context) -> Thresholds:
        return self._limits_by_language.get(context.language, Thresholds())

    async def read(self, text: str, context: Context) -> Reading:
        """Commands for what the caller said; never raises for odd words or a sick language model."""
        began = perf_counter()
        reading = await self._read(text, context)
        return replace(reading, reader="cascade", seconds=perf_counter() - began)

    async def _read(self, text: str, context: Context) -> Reading:
        if not re.search(r"\w", text):
            return _not_understood("nothing_said", "no words")
        if context.confidence < self._limits(context).hear:
            return _not_understood("low_confidence", f"heard with {context.confidence:.2f}")
        answer = await self._lexicons.read(text, context)
        if answer.commands and not self._is_courtesy(answer, text, context):
            return answer
        quick = self._quick(text, context)
        words = self._normalisers.language(context.language)
        if not quick.doubts:
            return self._result(quick, (), ("sure",), words)
        why = "doubt: " + "; ".join(quick.doubts)
        if self._second is None:
            return self._result(
                _without_doubtful(quick, self._limits(context)), (), (why, "no second reader"), words
            )
        try:
            opinion = await self._second.read(text, context)
        except EngineError as error:
            notes = (why, f"model failed ({error.code}), going on without")
            return self._result(_without_doubtful(quick, self._limits(context)), (), notes, words)
        return self._with_opinion(quick, opinion, why, words)

    def _is_courtesy(self, answer: Reading, text: str, context: Context) -> bool:
        """True for thanks, a greeting or a goodbye that answers no yes-or-no question: "danke schön"."""
        layer = self._intents.get(context.language)
        understood = any(not isinstance(command, NotUnderstood) for command in answer.commands)
        if understood or layer is None or context.question is Question.YES_NO:
            return False
        likely = self._limits(context).intent
        return any(one.intent in COURTESIES and one.probability >= likely for one in layer.read(text))

    def _quick(self, text: str, context: Context) -> Quick:
        """Tagger, intents and normalisers, and what they leave in doubt."""
        tagger, intents = self._taggers.get(context.language), self._intents.get(context.language)
        spans = None if tagger is None else tagger.tag(text, context.asked)
        scores = {} if intents is None else {i.intent: i.probability for i in intents.read(text)}
        wants = context.matter is not None or any(
            scores.get(i, 0.0) >= self._limits(context).intent for i in NEEDY
        )
        slots = read_slots(text, context, spans, self._normalisers, self._limits(context), wanted=wants)
        words = self._normalisers.language(context.language)
        leading = self._lexicons.leading(text, context.language)
        if leading is not None and all(
            r.confidence < self._limits(context).slot_sure for r in slots.readings
        ):
            bare = bare_correction(text, context, words)
            slots = replace(slots, readings=(bare,)) if bare is not None else slots
        places = [(r.start, r.end) for r in slots.readings]
        places += [(e.hit.start, e.hit.end) for e in self._normalisers.evidence(text, context)]
        rest = self._lexicons.answer(_outside(text, places), context.language)
        draft = Draft(text, context, scores, slots.readings, leading, rest[0] if rest else None)
        intents_sure = self._intents_sure(draft)
        return Quick(draft, slots, self._doubts(draft, slots, intents_sure, words), intents_sure)

    def _intents_sure(self, draft: Draft) -> bool:
        """True when an intent is clearly there, or values answer what was asked."""
        answered = {r.slot for r in draft.slots if r.confidence >= self._limits(draft.context).slot_sure}
        if answered & set(draft.context.asked) and len(draft.text.split()) <= TALKATIVE:
            return not any(
                self._limits(draft.context).intent_maybe <= p < self._limits(draft.context).intent
                for p in draft.intents.values()
            )
        said = [p for intent, p in draft.intents.items() if intent not in ("other", "inform")]
        return any(p >= self._limits(draft.context).intent_sure for p in said)

    def _doubts(self, draft: Draft, slots: SlotReadings, intents_sure: bool, words: Words) -> tuple[str, ...]:
        doubts = [
            f"{r.slot} {r.confidence:.2f}"
            for r in slots.readings
            if r.confidence < self._limits(draft.context).slot_sure
        ]
        doubts += [
            f"'{span.text}' is no {span.slot}" for span in slots.unread if span.slot in draft.context.asked
        ]
        doubts += [f"{r.slot} not tagged" for r in slots.unsupported]
        intents = present(draft, self._limits(draft.context))
        about = about_question(draft, words) if intents & {"ask_price", "ask_allergens"} else {"": ""}
        doubts += [] if about else ["what the question is about"]
        if not intents_sure:
            doubts.append("no intent is sure")
        return tuple(doubts)

    def _with_opinion(self, quick: Quick, opinion: Reading, why: str, words: Words) -> Reading:
        merged = merge(
            quick.slots.readings,
            quick.slots.unsupported,
            opinion,
            quick.draft.text,
            quick.draft.context,
            self._limits(quick.draft.context),
            intents_sure=quick.intents_sure,
        )
        settled = replace(quick, draft=replace(quick.draft, slots=merged.slots))
        wishes = tuple(c for c in merged.commands if self._is_possible(c, quick.draft))
        return self._result(settled, wishes, (why, *opinion.notes, *merged.notes), words)

    def _is_possible(self, command: Command, draft: Draft) -> bool:
        """The intents do not rule out what the language model read."""
        intent = intent_of(command)
        if intent is None or intent not in draft.intents:
            return True
        return draft.intents[intent] >= self._limits(draft.context).intent_possible

    def _result(self, quick: Quick, more: Sequence[Command], notes: tuple[str, ...], words: Words) -> Reading:
        draft = quick.draft
        commands = commands_from(draft, words, self._limits(draft.context))
        commands = _with_more(commands, more)
        notes = (*(r.note for r in draft.slots if r.note), *notes)
        if not commands:
            return replace(_not_understood("unknown_words", *notes), unexplained=_unexplained(draft))
        return Reading(commands, "cascade", self._sureness(draft, commands), notes=notes)

    def _sureness(self, draft: Draft, commands: Sequence[Command]) -> float:
        """The least sure part of the reading."""
        parts = [r.confidence for r in draft.slots if any(_of_slot(c, r.slot) for c in commands)]
        named = [p for intent, p in draft.intents.items() if intent in {*MATTERS, *TOPICS, *PERSONS}]
        parts += [p for p in named if p >= self._limits(draft.context).intent]
        return min(parts, default=0.6)


def _of_slot(command: Command, slot: str) -> bool:
    return isinstance(command, SetSlot | AmbiguousSlot) and command.slot == slot


def _without_doubtful(quick: Quick, limits: Thresholds) -> Quick:
    """Values that are too unsure to be taken without a second reader are left out."""
    kept: list[SlotReading] = [r for r in quick.draft.slots if r.confidence >= limits.slot_keep]
    return replace(quick, draft=replace(quick.draft, slots=tuple(kept)))


def _with_more(commands: Sequence[Command], more: Sequence[Command]) -> tuple[Command, ...]:
    """The second reader's wishes before ours, none twice; a yes of ours falls if it brings a change."""
    kinds = {type(command) for command in commands}
    added = [command for command in more if type(command) not in kinds]
    rest = [command for command in commands if not (added and isinstance(command, Affirm))]
    return (*added, *rest)


def _outside(text: str, places: Sequence[tuple[int, int]]) -> str:
    """The utterance without the words of its values."""
    return "".join(
        " " if any(start <= at < end for start, end in places) else letter for at, letter in enumerate(text)
    )


def _unexplained(draft: Draft) -> tuple[str, ...]:
    """Words outside all spans, in reading order."""
    covered = [(r.start, r.end) for r in draft.slots]
    found = re.finditer(r"\w{3,}", draft.text)
    return tuple(m.group() for m in found if not any(a <= m.start() < b for a, b in covered))


def _not_understood(reason: str, *notes: str) -> Reading:
    return Reading((NotUnderstood(reason),), "cascade", 0.0, notes=notes)
