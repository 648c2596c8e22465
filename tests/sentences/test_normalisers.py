"""What callers say, and the date, time, count, phone number or name that it means."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest
import yaml

from appliance.config import CHECKOUT
from appliance.conversation.commands import AmbiguousSlot, SlotValue
from appliance.conversation.models import Context
from appliance.readers.normalise.values import Normalisers

pytestmark = pytest.mark.sentences

FOLDER = Path(__file__).parent / "normalise"


def cases() -> Iterator[Any]:
    for file in sorted(FOLDER.glob("*.yaml")):
        data = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
        for case in data["cases"]:
            yield pytest.param(
                data["language"], data["slot"], case["say"], case["is"], id=f"{file.stem}: {case['say']}"
            )


def canonical(slot: str, written: str) -> SlotValue:
    if slot == "date":
        return date.fromisoformat(written)
    if slot == "time":
        return time.fromisoformat(written)
    return int(written) if slot == "people" else written


@pytest.fixture(scope="module")
def normalisers() -> Normalisers:
    return Normalisers.load(CHECKOUT / "knowledge" / "normalise")


@pytest.mark.parametrize(("language", "slot", "say", "meant"), list(cases()))
def test_a_phrase_means_its_value(
    normalisers: Normalisers, now: datetime, language: str, slot: str, say: str, meant: str | list[str]
) -> None:
    read = normalisers.values(slot, say, Context(language, now))
    if meant == "none":
        assert read is None
    elif isinstance(meant, list):
        assert isinstance(read, AmbiguousSlot)
        assert list(read.candidates) == [canonical(slot, one) for one in meant]
    else:
        assert read == canonical(slot, meant)
