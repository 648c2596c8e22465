"""From intents and slot values to commands: questions first, then wishes, values and answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
    Repeat,
    SetSlot,
    SlotValue,
    StartMatter,
    Thank,
    Wait,
)
from appliance.conversation.models import Context, Question
from appliance.readers.lexicon import Answer
from appliance.readers.normalise.found import Found
from appliance.readers.normalise.menu import find_allergens, find_entries
from appliance.readers.normalise.words import Words
from appliance.readers.normalise.written import fold
from appliance.readers.signals import Thresholds
from appliance.readers.slots import SlotReading

MATTERS: Mapping[str, str] = {"book": "reservation"}
TOPICS: Mapping[str, str] = {
    "ask_hours": "hours",
    "ask_allergens": "allergens",
    "ask_price": "price",
    "ask_menu": "menu",
    "ask_knowledge": "knowledge",
}
OPENING = ("people", "date", "time")
"""Values that callers open a booking with."""
PERSONS: Mapping[str, str] = {
    "emergency": "emergency",
    "complaint": "complaint",
    "special_wish": "special_wish",
    "person": "asked",
    "change_booking": "change_booking",
    "cancel_booking": "cancel_booking",
    "order": "order",
}
"""Intents that a person must serve -> the reason that the person is told."""


@dataclass(frozen=True)
class Draft:
    """What the quick readers make of an utterance."""

    text: str
    context: Context
    intents: Mapping[str, float]
    """Every intent with its probability."""
    slots: tuple[SlotReading, ...]
    leading: Answer | None
    """The yes or no that it begins with."""
    rest: Answer | None = None
    """What its words are without the values, if they are an answer and nothing else."""


BOOKINGS = frozenset({"book", "change_booking", "cancel_booking"})
"""What a caller can want with a booking: only one of them in a sentence."""


def present(draft: Draft, limits: Thresholds) -> set[str]:
    """Intents that are there; of those that exclude each other only the likeliest."""
    found = {intent for intent, sure in draft.intents.items() if sure >= limits.intent}
    rivals = sorted(found & BOOKINGS, key=lambda intent: -draft.intents[intent])
    return found - set(rivals[1:])


def commands_from(draft: Draft, words: Words, limits: Thresholds) -> tuple[Command, ...]:
    """All commands of the draft. May be empty: then nothing was understood."""
    intents = present(draft, limits)
    asks = _questions(draft, intents, words)
    wishes: list[Command] = [
        StartMatter(matter) for intent, matter in MATTERS.items() if _starts(intent, matter, intents, draft)
    ]
    persons: list[Command] = [AskPerson(r, draft.text) for intent, r in PERSONS.items() if intent in intents]
    values = _values(draft, intents, words)
    cleared = _cleared(draft, intents, values, words)
    control = _control(intents, draft, limits, changes=bool(values or cleared or asks or wishes), words=words)
    if Affirm() in control:
        values = []
    found = [*asks, *wishes, *values, *cleared, *persons, *control]
    return tuple(found) or _social(intents)


def intent_of(command: Command) -> str | None:
    """The intent that a command comes from, if it is one that opens a matter, asks or needs a person."""
    if isinstance(command, StartMatter):
        return next((intent for intent, matter in MATTERS.items() if matter == command.matter), None)
    if isinstance(command, AskFact):
        return next((intent for intent, topic in TOPICS.items() if topic == command.topic), None)
    if isinstance(command, AskPerson):
        return next((intent for intent, reason in PERSONS.items() if reason == command.reason), None)
    return None


def _starts(intent: str, matter: str, intents: set[str], draft: Draft) -> bool:
    """The wish is there, or nothing else is and two of its values were given: "Silvester, zehn Personen"."""
    if draft.context.matter == matter:
        return False
    given = sum(r.slot in OPENING and r.confidence >= Thresholds.slot_sure for r in draft.slots)
    others = intents & {*TOPICS, *PERSONS, "cancel", "other", "goodbye"}
    return intent in intents or (given >= 2 and not others and draft.context.question is Question.NONE)


def _questions(draft: Draft, intents: set[str], words: Words) -> list[Command]:
    asked = [topic for intent, topic in TOPICS.items() if intent in intents]
    if "allergens" in asked or "price" in asked:
        asked = [topic for topic in asked if topic != "menu"]
    about = about_question(draft, words)
    return [AskFact(topic, draft.text, _fitting(topic, about)) for topic in asked]


def about_question(draft: Draft, words: Words) -> dict[str, SlotValue]:
    """What a question is about: an item or a category of the tenant's lists, an allergen, a day."""
    vocabulary = draft.context.vocabulary
    about: dict[str, SlotValue] = {}
    hits = [("allergen", hit) for hit in find_allergens(draft.text, words)]
    hits += [("category", hit) for hit in find_entries(draft.text, vocabulary.categories)]
    hits += [("item", hit) for hit in find_entries(draft.text, vocabulary.dishes)]
    for key, hit in hits:
        if isinstance(hit, Found):
            about[key] = hit.value
    day = next((r for r in draft.slots if r.slot == "date"), None)
    if day is not None and len(day.values) == 1:
        about["day"] = day.values[0]
    return about


def _fitting(topic: str, about: Mapping[str, SlotValue]) -> tuple[tuple[str, SlotValue], ...]:
    fits = {"hours": ("day",), "menu": ("category", "item"), "price": ("item", "category")}
    keys = fits.get(topic, ("item", "allergen") if topic == "allergens" else ())
    return tuple((key, about[key]) for key in keys if key in about)


def _values(draft: Draft, intents: set[str], words: Words) -> list[Command]:
    """Slot values as commands; what only belongs to a question is left to it."""
    books = bool(intents & MATTERS.keys()) or draft.context.matter is not None
    if "other" in intents and not books and not draft.context.asked and "inform" not in intents:
        return []
    asks = bool(intents & TOPICS.keys())
    commands: list[Command] = []
    for reading in draft.slots:
        asked = reading.slot in draft.context.asked
        if (
            asks
            and not asked
            and (not books or (reading.slot == "date" and "ask_hours" in intents))
            and "book" not in intents
        ):
            continue
        commands.append(_value(reading, draft, intents, words))
    return commands


def _value(reading: SlotReading, draft: Draft, intents: set[str], words: Words) -> Command:
    said = draft.text[reading.start : reading.end]
    if len(reading.values) > 1:
        return AmbiguousSlot(reading.slot, reading.values, said)
    value = reading.values[0]
    return SetSlot(reading.slot, value, said, reading.confidence, corrects(reading, draft, intents, words))


def corrects(reading: SlotReading, draft: Draft, intents: set[str], words: Words) -> bool:
    """True when the value replaces another: one that is filled, or one said before in the sentence."""
    known = draft.context.slots.get(reading.slot)
    if known is not None and known in reading.values:
        return False
    if known is not None or "correct" in intents or draft.leading in (Answer.NO, Answer.CORRECT):
        return True
    return words.corrects(fold(draft.text[: reading.start]))


def _cleared(draft: Draft, intents: set[str], values: Sequence[Command], words: Words) -> list[Command]:
    """ "Der Name stimmt nicht": the slot that is named, when no new value came with it."""
    wrong = "correct" in intents or "deny" in intents or draft.leading in (Answer.NO, Answer.CORRECT)
    given = {c.slot for c in values if isinstance(c, SetSlot | AmbiguousSlot)}
    if not wrong or given:
        return []
    text = fold(draft.text)
    named = [
        slot
        for slot, said in words.file.slot_words.items()
        if slot in draft.context.slots and any(re.search(rf"\b{re.escape(fold(w))}\b", text) for w in said)
    ]
    return [ClearSlot(slot) for slot in named]


def _control(
    intents: set[str], draft: Draft, limits: Thresholds, *, changes: bool, words: Words
) -> list[Command]:
    """Yes, no and the like; never beside a change, except that dropping the matter is always heard."""
    if "cancel" in intents and not changes:
        return [Cancel()]
    if changes:
        return [Affirm()] if _confirms_values(draft, words, limits) else []
    if "repeat" in intents:
        return [Repeat()]
    if "wait" in intents:
        return [Wait()]
    if "deny" in intents or "correct" in intents or draft.leading in (Answer.NO, Answer.CORRECT):
        return [Deny()]
    return [Affirm()] if clear_yes(draft, words, limits) else []


def clear_yes(draft: Draft, words: Words, limits: Thresholds) -> bool:
    """A yes in more words than the lexicon knows: it begins with one, no "but" and no question follows."""
    spoiling = {
        "deny",
        "correct",
        "cancel",
        "wait",
        "repeat",
        "other",
        "person",
        "complaint",
        *TOPICS,
        *PERSONS,
    }
    spoilt = any(draft.intents.get(intent, 0.0) >= limits.intent_maybe for intent in spoiling)
    said = set(re.findall(r"\w+", fold(draft.text)))
    but = any(fold(word) in said for word in words.file.but_words)
    sure = draft.intents.get("affirm", 0.0) >= limits.intent_sure
    return sure and draft.leading is Answer.YES and not spoilt and not but and "?" not in draft.text


def _confirms_values(draft: Draft, words: Words, limits: Thresholds) -> bool:
    """ "Ja genau, vier Personen" with four filled: a yes that repeats what was read back."""
    if "?" in draft.text:
        return False
    same = all(len(r.values) == 1 and draft.context.slots.get(r.slot) == r.values[0] for r in draft.slots)
    return bool(draft.slots) and same and (draft.rest is Answer.YES or clear_yes(draft, words, limits))


def _social(intents: set[str]) -> tuple[Command, ...]:
    """Hello, thanks and goodbye count when nothing else was said."""
    if "goodbye" in intents:
        return (Goodbye(),)
    if "thank" in intents:
        return (Thank(),)
    return (Greet(),) if "greet" in intents else ()
