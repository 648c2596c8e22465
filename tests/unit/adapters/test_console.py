"""A script's lines become turns; silence becomes a turn when the conversation speaks into it."""

from __future__ import annotations

import json

import pytest

from appliance.adapters.console import Key, Quiet, Words, converse, parse_line, turn_data, turn_text
from appliance.conversation.commands import Goodbye, SetSlot
from appliance.errors import UsageError
from tests.fakes.restaurant_call import WISH, ScriptedCall

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("line", "parsed"),
    [
        ("  Guten Tag ", Words("Guten Tag")),
        ("[silence 6s]", Quiet(6.0)),
        ("[Silence 2.5 s]", Quiet(2.5)),
        ("[key 0]", Key("0")),
        ("[key #]", Key("#")),
        ("", None),
        ("# nobody says this", None),
    ],
)
def test_a_line_is_words_silence_or_a_key(line: str, parsed: object) -> None:
    assert parse_line(line) == parsed


def test_anything_else_in_brackets_is_refused_with_what_is_possible() -> None:
    with pytest.raises(UsageError, match=r"\[silence 6s\] or \[key 0\]"):
        parse_line("[laugh]")


async def test_silences_add_up_and_long_ones_take_several_steps() -> None:
    call = ScriptedCall()
    call.reader.enqueue(*WISH)
    lines = ["alles", "[silence 3s]", "[silence 3s]", "[silence 30s]", "zu spät"]
    records = [record async for record in converse(call.session, lines)]
    assert [record.turn.silence_seconds for record in records] == [None, 5.0, 10.0]
    assert records[-1].reply.end_call
    assert call.tools.written == []


async def test_a_turn_as_json_says_what_was_understood_done_and_said() -> None:
    call = ScriptedCall()
    call.reader.enqueue(*WISH)
    [record] = [record async for record in converse(call.session, ["alles"])]
    data = json.loads(json.dumps(turn_data(1, record)))
    assert data["commands"][2] == {
        "is": "SetSlot", "slot": "date", "value": "2026-12-05", "text": "Samstag", "confidence": 1.0,
        "corrects": False,
    }  # fmt: skip
    assert data["tools"][0]["tool"] == "check_availability"
    assert data["tools"][0]["confirmed"] is False
    assert data["question"] == "yes_no"
    assert data["reply"] == record.reply.text


async def test_a_turn_for_people_names_tools_and_reply() -> None:
    call = ScriptedCall()
    call.reader.enqueue(SetSlot("people", 4, "vier"), Goodbye())
    [record] = [record async for record in converse(call.session, ["vier, tschüss"])]
    shown = turn_text(record, echo=True)
    assert shown.startswith("caller     vier, tschüss\n           end_call: done\nassistant  ")
