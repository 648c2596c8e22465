"""Whatever callers say, in any order: nothing is written without a yes to exactly what was read back."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.conversation.commands import (
    Affirm,
    AmbiguousSlot,
    AskFact,
    AskPerson,
    Cancel,
    ClearSlot,
    Deny,
    Goodbye,
    Greet,
    NotUnderstood,
    Repeat,
    SetSlot,
    Silence,
    StartMatter,
    Thank,
    Wait,
)
from appliance.conversation.models import Turn
from tests.fakes.restaurant_call import WISH, ScriptedCall

pytestmark = pytest.mark.unit

VALUES: dict[str, list[Any]] = {
    "people": [2, 4, 5, 20],
    "date": [date(2026, 12, 5), date(2026, 12, 7)],
    "time": [time(19, 30), time(12, 0)],
    "name": ["Müller", "Kaya"],
    "phone": ["+4915112345678", "12"],
}
SLOT = st.sampled_from(sorted(VALUES)).flatmap(
    lambda slot: st.builds(SetSlot, st.just(slot), st.sampled_from(VALUES[slot]), st.just("…"))
)
PLAIN = st.sampled_from(
    [
        Affirm(), Affirm(), Affirm(), Deny(), Cancel(), Repeat(), Thank(), Greet(), Goodbye(), Wait(),
        NotUnderstood(), StartMatter("reservation"), StartMatter("order"), AskPerson("complaint"),
        ClearSlot("name"), ClearSlot("people"), AmbiguousSlot("time", (time(8), time(20)), "acht"),
        AskFact("hours", "wann"), AskFact("price", "was"), AskFact("knowledge", "wo"),
    ]
)  # fmt: skip
TURN = st.tuples(
    st.lists(st.one_of(SLOT, PLAIN), max_size=3) | st.just(list(WISH)) | st.just([Affirm()]),
    st.sampled_from([1.0, 1.0, 1.0, 0.4]),
    st.sampled_from([1, 130]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(TURN, max_size=12), st.sampled_from([None, "+491719876543"]))
async def test_no_write_without_a_yes_to_exactly_what_was_read_back(
    turns: list[tuple[list[Any], float, int]], caller: str | None
) -> None:
    call = ScriptedCall(caller)
    for commands, confidence, seconds in turns:
        call.clock.pass_(seconds)
        before = call.session.state
        written = len(call.tools.written)
        call.reader.enqueue(*commands)
        record = await call.session.take(Turn("etwas", "de", confidence))
        assert record.reply.text or record.reply.end_call, (commands, before)
        if len(call.tools.written) > written:
            assert before.pending is not None
            assert Affirm() in commands
            assert confidence >= 0.6
            assert call.tools.written[-1] == before.pending.arguments
            assert call.clock.now() - before.pending.minted < timedelta(minutes=2)
    assert len(call.tools.written) == len(call.session.state.booked)


@settings(max_examples=60, deadline=None)
@given(st.lists(TURN, max_size=8))
async def test_every_value_in_a_slot_was_said_or_agreed_to(turns: list[tuple[list[Any], float, int]]) -> None:
    call = ScriptedCall("+491719876543")
    said: set[tuple[str, Any]] = {("phone", "+491719876543")}
    for commands, confidence, _ in turns:
        said |= {(one.slot, one.value) for one in commands if isinstance(one, SetSlot) and confidence >= 0.6}
        call.reader.enqueue(*commands)
        await call.session.take(Turn("etwas", "de", confidence))
        assert {(slot, one.value) for slot, one in call.session.state.slots.items()} <= said


@settings(max_examples=60, deadline=None)
@given(st.lists(TURN, max_size=6), st.lists(st.floats(0, 60), max_size=4))
async def test_silence_never_writes(turns: list[tuple[list[Any], float, int]], silences: list[float]) -> None:
    call = ScriptedCall()
    for commands, confidence, _ in turns:
        call.reader.enqueue(*commands)
        await call.session.take(Turn("etwas", "de", confidence))
    written = len(call.tools.written)
    for seconds in silences:
        await call.session.take(Turn(silence_seconds=seconds, language=""))
    assert len(call.tools.written) == written
    assert not any(isinstance(one, Silence) for one in call.session.state.agenda)
