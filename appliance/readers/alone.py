"""One reader alone as a :class:`appliance.conversation.ports.Reader`, to see and to measure what it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter

from appliance.conversation.commands import AmbiguousSlot, Command, Reading, SetSlot, SlotValue
from appliance.conversation.models import Context
from appliance.readers.commands_from import Draft, commands_from
from appliance.readers.normalise.found import values_of
from appliance.readers.normalise.names import find_introduced
from appliance.readers.normalise.values import Normalisers
from appliance.readers.signals import IntentReader, SlotTagger, Thresholds
from appliance.readers.slots import is_negated


@dataclass(frozen=True)
class NormalisersAlone:
    """Dates, times, counts, phones and introduced names, without knowing what the sentence is about."""

    normalisers: Normalisers

    async def read(self, text: str, context: Context) -> Reading:
        """Every value that is meant, the last one of each slot."""
        began = perf_counter()
        found: dict[str, Command] = {}
        for one in self.normalisers.evidence(text, context):
            if not one.hit.negated:
                said = text[one.hit.start : one.hit.end]
                found[one.slot] = slot_command(one.slot, values_of(one.hit), said, 1.0)
        name = find_introduced(text, self.normalisers.language(context.language))
        if name is not None:
            found["name"] = SetSlot("name", name.value, text[name.start : name.end])
        return Reading(tuple(found.values()), "normalisers", 1.0, seconds=perf_counter() - began)


@dataclass(frozen=True)
class TaggerAlone:
    """Tagged spans with their values; first and last name apart, as tagged."""

    taggers: Mapping[str, SlotTagger]
    normalisers: Normalisers

    async def read(self, text: str, context: Context) -> Reading:
        """The last meant span of each slot; a span without a value is noted."""
        began = perf_counter()
        words = self.normalisers.language(context.language)
        found: dict[str, Command] = {}
        notes: list[str] = []
        sure = 1.0
        for span in self.taggers[context.language].tag(text, context.asked):
            hit = self.normalisers.hit(span.slot, span.text, context)
            if hit is None:
                notes.append(f"'{span.text}' has no value as {span.slot}")
            elif not is_negated(text, span.start, words):
                found[span.slot] = slot_command(span.slot, values_of(hit), span.text, span.confidence)
                sure = min(sure, span.confidence)
        spent = perf_counter() - began
        return Reading(tuple(found.values()), "tagger", sure, seconds=spent, notes=tuple(notes))


@dataclass(frozen=True)
class IntentsAlone:
    """What an utterance is for, without its values."""

    intents: Mapping[str, IntentReader]
    normalisers: Normalisers
    limits: Mapping[str, Thresholds]

    async def read(self, text: str, context: Context) -> Reading:
        """The commands of the intents that are there; every probability above one in ten is noted."""
        began = perf_counter()
        scores = {one.intent: one.probability for one in self.intents[context.language].read(text)}
        draft = Draft(text, context, scores, (), None)
        limits = self.limits.get(context.language, Thresholds())
        commands = commands_from(draft, self.normalisers.language(context.language), limits)
        notes = tuple(f"{intent} {sure:.2f}" for intent, sure in scores.items() if sure >= 0.1)
        best = max(scores.values(), default=0.0)
        return Reading(commands, "intents", best, seconds=perf_counter() - began, notes=notes)


def slot_command(slot: str, values: tuple[SlotValue, ...], said: str, sure: float) -> Command:
    """A value, or the several that are possible, as a command."""
    return SetSlot(slot, values[0], said, sure) if len(values) == 1 else AmbiguousSlot(slot, values, said)
