"""The dialogues of every pack, with a reader that knows what each sentence means."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios.dialogue import Dialogue, dialogues, hold, open_call

pytestmark = pytest.mark.scenario

ALL = dialogues(Path(__file__).parent / "restaurant")


@pytest.mark.parametrize("dialogue", ALL, ids=lambda one: one.id)
async def test_a_dialogue_goes_as_written(dialogue: Dialogue, tmp_path: Path) -> None:
    await hold(dialogue, open_call(dialogue, tmp_path))


def test_there_is_a_dialogue_for_every_rule_of_conversation() -> None:
    ruled = {rule for one in ALL for rule in one.data["rules"]}
    wanted = {"R-13", "R-20", "R-21", "R-22", "R-23", "R-24", "R-25", "R-26", "R-28", "R-29", "R-30", "R-32"}
    assert wanted <= ruled


def test_both_languages_have_dialogues() -> None:
    spoken = [one.data.get("language", "de") for one in ALL]
    assert min(spoken.count("de"), spoken.count("en")) >= 6
