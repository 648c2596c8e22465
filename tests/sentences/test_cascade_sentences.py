"""Sentences through the whole cascade with the trained readers, without the language model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest
import yaml

from appliance.config import load_paths
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
    NotUnderstood,
    Repeat,
    SetSlot,
    SlotValue,
    StartMatter,
    Wait,
)
from appliance.conversation.models import Context, Question
from appliance.conversation.plain import plain
from appliance.errors import ModelMissing
from appliance.readers.build import Readers, load_readers

pytestmark = pytest.mark.sentences

FOLDER = Path(__file__).parent / "cascade"
READ_BACK: Mapping[str, SlotValue] = {
    "people": 4,
    "date": date(2026, 12, 5),
    "time": time(19, 30),
    "name": "Weber",
    "phone": "+491713920052",
}
PLAIN: Mapping[type, str] = {
    Affirm: "yes",
    Deny: "no",
    Cancel: "cancel",
    Repeat: "repeat",
    Wait: "wait",
    Goodbye: "bye",
    NotUnderstood: "not_understood",
}
MOSTLY = 0.9
"""Share of sentences that must be read exactly; the rest may be asked back, never be wrong about a yes."""


def short(command: Command) -> Any:
    """A command as the files write it."""
    match command:
        case SetSlot(slot, value):
            return {slot: str(plain(value))}
        case AmbiguousSlot(slot, candidates):
            return {slot: [str(plain(value)) for value in candidates]}
        case StartMatter():
            return "book"
        case AskFact(topic):
            return {"ask": topic}
        case AskPerson(reason):
            return {"person": reason}
        case ClearSlot(slot):
            return {"clear": slot}
        case _:
            return PLAIN.get(type(command), type(command).__name__)


@pytest.fixture(scope="module")
def readers() -> Readers:
    try:
        return load_readers(load_paths(), ("de", "en"))
    except ModelMissing as missing:
        pytest.skip(missing.message)


def context(language: str, asked: list[str], now: datetime) -> Context:
    read_back = "yes_no" in asked
    question = Question.YES_NO if read_back else Question.SLOT if asked else Question.NONE
    slots = READ_BACK if read_back else {}
    matter = "reservation" if asked else None
    return Context(language, now, question, tuple(a for a in asked if a != "yes_no"), matter, slots)


@pytest.mark.parametrize("language", ["de", "en"])
def test_most_sentences_are_read_exactly_and_no_yes_is_invented(
    readers: Readers, now: datetime, language: str
) -> None:
    rows = yaml.load((FOLDER / f"{language}.yaml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    cascade = readers.cascade()
    missed: list[str] = []
    for row in rows["sentences"]:
        state = context(language, row.get("asked", []), now)
        reading = asyncio.run(cascade.read(row["say"], state))
        got = [short(command) for command in reading.commands]
        assert "yes" not in got or "yes" in row["is"], row["say"]
        if sorted(map(str, got)) != sorted(map(str, row["is"])):
            missed.append(f"{row['say']} is {row['is']}, read {got}")
    share = 1 - len(missed) / len(rows["sentences"])
    assert share >= MOSTLY, "\n".join(missed)
