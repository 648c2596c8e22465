"""Sentences that test readers: our locked ones with values and commands, the drawn ones of restaurant8k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from appliance.conversation.commands import (
    Affirm,
    AskFact,
    AskPerson,
    Cancel,
    Command,
    Deny,
    Goodbye,
    Greet,
    NotUnderstood,
    Repeat,
    StartMatter,
    Thank,
    Wait,
)
from appliance.conversation.models import Context, Question
from appliance.errors import KnowledgeError
from appliance.readers.commands_from import MATTERS, PERSONS, TOPICS
from appliance.readers.normalise.found import values_of
from appliance.readers.normalise.values import Normalisers
from appliance.readers.scoring import bare
from appliance.readers.sentences import NAMES, Sentence

OWN = ("people", "date", "time", "name", "phone")
MATTER = "reservation"
KEYS = {"say", "asked", "question", "slots", "commands"}
POLITE = frozenset({"greet", "thank"})
DRAWN_AT = datetime(2018, 8, 1, 10, tzinfo=ZoneInfo("Europe/London"))
"""When restaurant8k's callers may have called; its years say so."""
LABELS: Mapping[type, str] = {
    Affirm: "affirm",
    Deny: "deny",
    Cancel: "cancel",
    Repeat: "repeat",
    Wait: "wait",
    Greet: "greet",
    Thank: "thank",
    Goodbye: "goodbye",
    NotUnderstood: "other",
}


@dataclass(frozen=True)
class Asked:
    """A sentence, the state in which it is said, and what must come out."""

    text: str
    context: Context
    slots: Mapping[str, frozenset[object]]
    """Canonical values that are right; those of a slot that is not here must stay empty."""
    commands: frozenset[str] | None
    """Intents of the wanted commands other than values; None where they are not given."""


def load_locked(folder: Path, language: str) -> list[Asked]:
    """All sentences of a language. Raises KnowledgeError naming file and sentence."""
    return [one for path in sorted(folder.glob("*.yaml")) for one in _file(path, language)]


def _file(path: Path, language: str) -> Iterator[Asked]:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        now = data["now"]
        said_at = now if isinstance(now, datetime) else datetime.fromisoformat(str(now))
        rows = list(data["sentences"])
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as cause:
        raise KnowledgeError(f"{path} wants 'now' and 'sentences': {cause}") from cause
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or "say" not in row or set(row) - KEYS:
            raise KnowledgeError(
                f"{path}, sentence {number}: wants say and perhaps {sorted(KEYS - {'say'})}."
            )
        try:
            yield _asked(row, language, said_at)
        except (TypeError, ValueError) as cause:
            raise KnowledgeError(f"{path}, sentence {number}: {cause}") from cause


def _asked(row: Mapping[str, Any], language: str, said_at: datetime) -> Asked:
    asked = tuple(row.get("asked") or ())
    question = Question(row.get("question") or ("slot" if asked else "none"))
    matter = MATTER if question is not Question.NONE else None
    context = Context(language, said_at, question, asked, matter)
    slots = {slot: frozenset({canonical(slot, value)}) for slot, value in (row.get("slots") or {}).items()}
    commands = alone(frozenset(map(str, row["commands"]))) if row.get("commands") is not None else None
    return Asked(str(row["say"]), context, slots, commands)


def canonical(slot: str, value: Any) -> object:
    """A value as YAML gives it, as a slot holds it. Raises ValueError."""
    if slot not in OWN:
        raise ValueError(f"'{slot}' is no slot; there are {', '.join(OWN)}")
    if slot == "people":
        return int(value)
    if slot == "date":
        return value if isinstance(value, date) else date.fromisoformat(str(value))
    if slot == "time":
        if isinstance(value, int):  # YAML reads 19:30 without quotes as a number of minutes
            return time(value // 60, value % 60)
        return time.fromisoformat(str(value))
    return str(value)


def command_label(command: Command) -> frozenset[str]:
    """The intent that a command carries out; none for values."""
    if isinstance(command, StartMatter):
        return frozenset(intent for intent, matter in MATTERS.items() if matter == command.matter)
    if isinstance(command, AskFact):
        return frozenset(intent for intent, topic in TOPICS.items() if topic == command.topic)
    if isinstance(command, AskPerson):
        return frozenset(intent for intent, reason in PERSONS.items() if reason == command.reason)
    label = LABELS.get(type(command))
    return frozenset({label} if label else ())


def alone(labels: frozenset[str]) -> frozenset[str]:
    """Without a greeting or thanks beside something else: the conversation answers what was wished."""
    return labels - POLITE or labels


def drawn(sentences: Sequence[Sentence], normalisers: Normalisers) -> Iterator[Asked]:
    """restaurant8k's sentences, its marked words as values; first and last name are one."""
    for one in sentences:
        words = {span.slot: one.text[span.start : span.end] for span in one.spans}
        name = " ".join(words.pop(slot) for slot in NAMES if slot in words)
        words |= {"name": name} if name else {}
        asked = tuple(dict.fromkeys("name" if slot in NAMES else slot for slot in one.asked))
        question = Question.SLOT if asked else Question.NONE
        context = Context("en", DRAWN_AT, question, asked, MATTER)
        slots = {slot: _meanings(slot, said, context, normalisers) for slot, said in words.items()}
        yield Asked(one.text, context, slots, None)


def _meanings(slot: str, said: str, context: Context, normalisers: Normalisers) -> frozenset[object]:
    """What marked words can mean; words that no normaliser reads stand for themselves, and are never met."""
    hit = normalisers.hit(slot, said, context)
    return frozenset({bare(said)} if hit is None else values_of(hit))
