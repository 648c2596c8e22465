"""A yes belongs to exactly the values that were read back, for two minutes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from appliance.brain.confirmation import Verdict, verdict
from appliance.brain.said import Said
from appliance.conversation.commands import (
    Affirm,
    AmbiguousSlot,
    AskFact,
    Cancel,
    Command,
    Deny,
    Greet,
    NotUnderstood,
    Thank,
)
from appliance.conversation.state import Pending
from tests.fakes.restaurant_call import NOW

pytestmark = pytest.mark.unit

VALUES = {"guests": 4, "date": "2026-12-05"}
PENDING = Pending("PA-1", VALUES, NOW)


def decide(*commands: Command, values: object = VALUES, seconds: float = 5, changed: bool = False) -> Verdict:
    later = NOW + timedelta(seconds=seconds)
    return verdict(PENDING, Said(commands), values, later, changed=changed)  # type: ignore[arg-type]


def test_a_clear_yes_in_time_redeems() -> None:
    assert decide(Affirm()) is Verdict.REDEEM
    assert decide(Affirm(), Thank()) is Verdict.REDEEM
    assert decide(Affirm(), seconds=119.9) is Verdict.REDEEM


def test_a_late_yes_is_read_back_again() -> None:
    assert decide(Affirm(), seconds=120) is Verdict.READ_AGAIN
    assert decide(Affirm(), seconds=-1) is Verdict.READ_AGAIN


def test_a_yes_to_other_values_is_read_back_again() -> None:
    assert decide(Affirm(), values={"guests": 5, "date": "2026-12-05"}) is Verdict.READ_AGAIN
    assert decide(Affirm(), values=None) is Verdict.READ_AGAIN
    assert decide(Affirm(), changed=True) is Verdict.READ_AGAIN


def test_a_question_or_an_unclear_value_is_no_yes() -> None:
    assert decide(Affirm(), AskFact("hours", "…")) is Verdict.READ_AGAIN
    assert decide(Affirm(), AmbiguousSlot("time", (8, 20), "acht")) is Verdict.READ_AGAIN


@pytest.mark.parametrize(
    "commands", [(), (Thank(),), (Greet(),), (NotUnderstood(),), (Affirm(), Deny()), (Affirm(), Cancel())]
)
def test_what_is_neither_is_asked_again(commands: tuple[Command, ...]) -> None:
    assert decide(*commands) is Verdict.UNCLEAR


def test_a_no_is_a_no() -> None:
    assert decide(Deny()) is Verdict.NO
