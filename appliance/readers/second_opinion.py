"""The language model as a reader: it may only write allowed commands and words that the caller said."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from math import prod
from time import perf_counter

from appliance.conversation.commands import (
    Affirm,
    AmbiguousSlot,
    AskFact,
    AskPerson,
    Cancel,
    ClearSlot,
    Command,
    Deny,
    Goodbye,
    Greet,
    Reading,
    Repeat,
    SetSlot,
    SlotValue,
    StartMatter,
    Thank,
    Wait,
)
from appliance.conversation.constraint import (
    Choice,
    Constraint,
    Literal,
    Optional,
    in_order,
    one_of,
    word_offsets,
)
from appliance.conversation.constraint import Repeat as Times
from appliance.conversation.models import Context, Matter, Question
from appliance.conversation.ports import Completer, Completion
from appliance.readers.understanding_prompt import NOTHING, WISH, Candidates, UnderstandingPrompt

Values = Callable[[str, str, Context], SlotValue | AmbiguousSlot | None]
"""(slot, words, context) -> the value that the words mean for the slot, or None when they mean none."""

FIX = "fix"
CLEAR = "clear "
MOST_WISHES = 3
MOST_WORDS = 80
"""Words of an utterance that are read; what comes after is reported as unexplained."""

_ENTRY = re.compile(r'"([^"]+)": (?:\[([^\]]*)\]|"([^"]*)"|null)')
_QUOTED = re.compile(r'"([^"]*)"')
_PLAIN: Mapping[str, Command] = {
    "again": Repeat(),
    "hello": Greet(),
    "thanks": Thank(),
    "bye": Goodbye(),
    "wait": Wait(),
    "person": AskPerson("asked"),
    "complaint": AskPerson("complaint"),
    "event": AskPerson("special_wish"),
    "emergency": AskPerson("emergency"),
}
_TOPICS: Mapping[str, str] = {
    "hours": "hours",
    "menu": "menu",
    "allergens": "allergens",
    "price": "price",
    "services": "services",
    "info": "knowledge",
}
_ABOUT: Mapping[str, str] = {"dish": "item", "category": "category", "allergen": "allergen"}
"""Slots that only questions have -> their name in ``AskFact.about``."""


@dataclass(frozen=True)
class Scope:
    """What a pack lets callers do."""

    matters: Mapping[str, Matter]
    """By the word that the model writes for it: ``book`` -> the reservation."""
    topics: tuple[str, ...]
    """Topics that a tool of the pack can answer."""


@dataclass(frozen=True)
class Readable:
    """The normalisers, as this reader uses them."""

    values: Values
    candidates: Candidates


@dataclass(frozen=True)
class _Item:
    """One command or value that the model wrote."""

    key: str
    words: str
    probability: float


class SecondOpinion:
    """A :class:`appliance.conversation.ports.Reader` over the language model. One per call.

    Errors of the engine (EngineError and its kinds) pass through: the cascade has other readers.
    """

    name = "language_model"

    def __init__(
        self,
        completer: Completer,
        prompts: Mapping[str, UnderstandingPrompt],
        scope: Scope,
        readable: Readable,
        *,
        sequence: str,
        seconds: float = 2.0,
    ) -> None:
        """``prompts`` by language; ``sequence`` names the call at the engine; ``seconds`` limits a turn."""
        self._completer = completer
        self._prompts = prompts
        self._scope = scope
        self._readable = readable
        self._sequence = sequence
        self._seconds = seconds

    async def read(self, text: str, context: Context) -> Reading:
        """Commands that the words of ``text`` account for; none when there are no words or no prompt."""
        began = perf_counter()
        words, rest = tidy(text)
        prompt = self._prompts.get(context.language)
        if prompt is None or not word_offsets(words):
            return Reading((), self.name, 0.0, notes=("no words, or no prompt for the language",))
        candidates = self._readable.candidates(words, context)
        completion = await self._completer.complete(
            prompt.prefix,
            prompt.turn(words, context),
            turn_constraint(words, context, self._scope, candidates),
            sequence=self._sequence,
            seconds=self._seconds,
        )
        items = _items(completion)
        commands, dropped = to_commands(items, words, context, self._scope, self._readable.values)
        return Reading(
            commands,
            self.name,
            completion.confidence,
            unexplained=rest,
            seconds=perf_counter() - began,
            notes=(f"model wrote '{completion.text.strip()}'", *dropped),
        )


def tidy(text: str) -> tuple[str, tuple[str, ...]]:
    """``text`` on one line with single spaces, at most MOST_WORDS words; and the words left over."""
    words = text.encode("utf-8", "ignore").decode().split()
    return " ".join(words[:MOST_WORDS]), tuple(words[MOST_WORDS:])


def turn_constraint(
    words: str, context: Context, scope: Scope, candidates: Mapping[str, Collection[str]]
) -> Constraint:
    """All that may be written about ``words`` in this state: wishes, then a value or null for each slot.

    A value is one of ``candidates`` that stands in ``words``; a slot without any has no key.
    """
    wish = in_order('"', one_of(*_wish_keys(context, scope)), '"')
    wishes = Optional(in_order(wish, Times(in_order(", ", wish), 0, MOST_WISHES - 1)))
    slots = _slots(context, scope)
    found = {
        slot: [span for span in spans if span.strip() and span in words and '"' not in span]
        for slot, spans in candidates.items()
        if slot in slots
    }
    values = [
        in_order(f', "{slot}": ', Choice((Literal(NOTHING), in_order('"', one_of(*spans), '"'))))
        for slot, spans in found.items()
        if spans
    ]
    return in_order(f'{{"{WISH}": [', wishes, "]", *values, "}\n")


def _wish_keys(context: Context, scope: Scope) -> Iterable[str]:
    if context.question is not Question.NONE:
        yield from ("yes", "no")
    if context.matter is not None:
        yield "stop"
    yield from (key for key, matter in scope.matters.items() if matter.name != context.matter)
    yield from (key for key, topic in _TOPICS.items() if topic in scope.topics)
    yield from _PLAIN
    yield from (f"{CLEAR}{slot}" for slot in context.slots)
    if context.slots or context.offered:
        yield FIX


def _slots(context: Context, scope: Scope) -> list[str]:
    """Slots of the open matter, or of all when none is open; then those that questions are about."""
    open_matters = [matter for matter in scope.matters.values() if matter.name == context.matter]
    slots = [slot for matter in open_matters or scope.matters.values() for slot in matter.slots]
    about = [slot for slot in _ABOUT if scope.topics]
    return list(dict.fromkeys([*slots, *about]))


def _items(completion: Completion) -> list[_Item]:
    """The wishes and values of a text that satisfies :func:`turn_constraint`, with their probabilities."""
    items: list[_Item] = []
    for match in _ENTRY.finditer(completion.text):
        start, end = (len(completion.text[:at].encode()) for at in match.span())
        probability = prod(one.probability for one in completion.decisions if start <= one.at < end)
        key, wishes, words = match.groups()
        if key == WISH:
            items += [_Item(wish, "", probability) for wish in dict.fromkeys(_QUOTED.findall(wishes))]
        elif words is not None:
            items.append(_Item(key, words, probability))
    return items


def to_commands(
    items: list[_Item], words: str, context: Context, scope: Scope, values: Values
) -> tuple[tuple[Command, ...], tuple[str, ...]]:
    """Commands for the items, and why values were dropped. Values become canonical here, by ``values``."""
    keys = {item.key for item in items}
    commands = [command for item in items for command in _wish(item, words, scope)]
    dropped: list[str] = []
    about: list[tuple[str, SlotValue]] = []
    asks_hours = "hours" in keys and not keys & scope.matters.keys() and context.matter is None
    for item in items:
        if not item.words:
            continue
        value = values(item.key, item.words, context)
        if value is None:
            dropped.append(f"'{item.words}' is no {item.key}")
        elif isinstance(value, AmbiguousSlot):
            commands.append(value)
        elif item.key in _ABOUT:
            about.append((_ABOUT[item.key], value))
        elif item.key == "date" and asks_hours:
            about.append(("day", value))
        else:
            commands.append(SetSlot(item.key, value, item.words, item.probability, FIX in keys))
    return tuple(_with_about(command, tuple(about)) for command in commands), tuple(dropped)


def _wish(item: _Item, words: str, scope: Scope) -> list[Command]:
    if item.words:
        return []
    match item.key:
        case "yes":
            return [Affirm()]
        case "no":
            return [Deny()]
        case "stop":
            return [Cancel()]
        case key if key.startswith(CLEAR):
            return [ClearSlot(key.removeprefix(CLEAR))]
        case key if key in scope.matters:
            return [StartMatter(scope.matters[key].name)]
        case key if key in _TOPICS:
            return [AskFact(_TOPICS[key], words)]
        case key if key in _PLAIN:
            plain = _PLAIN[key]
            return [AskPerson(plain.reason, words) if isinstance(plain, AskPerson) else plain]
    return []


def _with_about(command: Command, about: tuple[tuple[str, SlotValue], ...]) -> Command:
    return AskFact(command.topic, command.text, about) if isinstance(command, AskFact) else command
