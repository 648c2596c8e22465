"""One call: what is recorded, what a fault costs, and what an interrupted turn leaves behind."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from appliance.conversation.commands import (
    Affirm,
    AskFact,
    Goodbye,
    NotUnderstood,
    SetSlot,
    StartMatter,
)
from appliance.conversation.events import (
    AssistantSaid,
    CallEnded,
    CallStarted,
    SomethingFailed,
    StateChanged,
    Understood,
)
from appliance.conversation.models import Outcome, ToolCall, ToolResult, Turn
from appliance.errors import EngineDown, KnowledgeError, WriteRefused
from tests.fakes.conversation import ScriptedTools
from tests.fakes.restaurant_call import PROFILE, ScriptedCall

pytestmark = pytest.mark.unit


async def test_the_greeting_names_business_assistant_and_notice_and_opens_the_record() -> None:
    call = ScriptedCall()
    reply = await call.session.greeting()
    assert "Gasthof Adler" in reply.text
    assert "KI-Assistent" in reply.text
    assert "adler.example" in reply.text
    assert reply.text.endswith("?")
    assert [type(event) for event in call.journal.events] == [CallStarted, AssistantSaid]


async def test_a_business_greets_in_its_own_words_and_mistakes_in_them_are_named() -> None:
    call = ScriptedCall()
    speaker = call.session._speaker
    own = replace(speaker, profile=replace(PROFILE, greetings={"de": "Servus, {business}! {notice}"}))
    assert own.greeting("de") == f"Servus, Gasthof Adler! {PROFILE.notice}"
    wrong = replace(speaker, profile=replace(PROFILE, greetings={"de": "Servus, {shop}!"}))
    with pytest.raises(KnowledgeError, match=r"greeting of adler in 'de'.*\{business\} and \{notice\}"):
        wrong.greeting("de")


async def test_a_turn_is_recorded_from_words_to_reply() -> None:
    call = ScriptedCall()
    await call.read_back()
    kinds = [type(event).__name__ for event in call.journal.events]
    assert kinds == ["CallerSaid", "Understood", "StateChanged", "AssistantSaid"]
    assert call.journal.of(Understood)[0].commands[1]["is"] == "SetSlot"


async def test_the_state_is_json() -> None:
    call = ScriptedCall()
    await call.read_back()
    data = json.loads(json.dumps(call.journal.of(StateChanged)[0].state))
    assert data["slots"]["time"] == {"value": "19:30", "text": "halb acht", "source": "said", "turn": 1}
    assert data["pending"]["arguments"]["guests"] == 4


async def test_the_parts_of_a_turn_are_timed() -> None:
    record = await ScriptedCall().read_back()
    assert set(record.seconds) == {"understand", "decide", "act", "say"}


async def test_clauses_joined_are_the_reply() -> None:
    reply = (await ScriptedCall().read_back()).reply
    assert len(reply.clauses) > 1
    assert "".join(reply.clauses) == reply.text


async def test_a_failing_reader_costs_a_bridge_sentence_and_not_the_call() -> None:
    call = ScriptedCall()
    await call.read_back()
    call.reader.fail(EngineDown("the model is away"))
    record = await call.session.take(Turn("ja", "de"))
    assert call.said == ["bridge", "reservation.confirm_again"]
    assert call.tools.written == []
    assert record.reading.reader == "none"
    assert call.journal.of(SomethingFailed)[0].code == "engine_down"
    await call.say("ja", Affirm())
    assert len(call.tools.written) == 1


async def test_no_personal_data_stands_in_the_record_of_a_fault() -> None:
    call = ScriptedCall()
    call.reader.fail(ValueError("Anna Müller, 0151"))
    await call.session.take(Turn("Anna Müller", "de"))
    assert "Müller" not in call.journal.of(SomethingFailed)[0].detail


async def test_a_tool_that_breaks_is_told_honestly() -> None:
    call = ScriptedCall()
    call.tools.fail("get_hours", OSError("disk"))
    await call.say("Wann habt ihr offen?", AskFact("hours", "Wann habt ihr offen?"))
    assert call.said == ["answer.failed"]


async def test_a_write_that_broke_is_tried_again_with_the_same_pending_action() -> None:
    call = ScriptedCall()
    await call.read_back()
    call.tools.fail("book_reservation", OSError("the answer was lost"))
    await call.say("ja", Affirm())
    first, second = call.tools.called("book_reservation")
    assert first.pending_action == second.pending_action
    assert call.session.outcome is Outcome.BOOKED


async def test_a_write_that_breaks_twice_goes_to_a_person_and_says_so() -> None:
    call = ScriptedCall()
    await call.read_back()
    call.tools.fail("book_reservation", OSError("disk"))
    call.tools.fail("book_reservation", OSError("disk"))
    await call.say("ja", Affirm())
    assert call.said[:2] == ["person.write_failed", "handed_over.callback"]
    assert call.tools.called("escalate_to_human")[0].arguments["reason"] == "write_failed"
    assert call.session.outcome is Outcome.ESCALATED


async def test_a_refused_write_is_read_back_again() -> None:
    call = ScriptedCall()
    await call.read_back()
    call.tools.fail("book_reservation", WriteRefused("expired"))
    await call.say("ja", Affirm())
    assert call.said == ["read_again", "reservation.read_back"]
    assert len(call.tools.proposed) == 2
    await call.say("ja", Affirm())
    assert len(call.tools.written) == 1


async def test_a_phone_number_that_the_tool_does_not_take_is_asked_anew() -> None:
    call = ScriptedCall()
    await call.say("…", StartMatter("reservation"), SetSlot("phone", "0151", "0151"))
    await call.read_back()
    assert "reservation.read_back" in call.said, "the last value that was given counts"
    await call.say("nein, 0151", SetSlot("phone", "12", "12", corrects=True))
    assert call.said == ["value_not_taken", "reservation.ask.phone"]


async def test_words_of_a_turn_that_was_cut_off_are_read_with_the_next() -> None:
    call = ScriptedCall()
    gate = asyncio.Event()

    async def slow(text: str, context: object) -> object:
        await gate.wait()
        raise AssertionError("cut off before")

    reader, call.session._reader = call.session._reader, type("Slow", (), {"read": staticmethod(slow)})()
    turn = asyncio.create_task(call.session.take(Turn("Tisch für vier", "de")))
    await asyncio.sleep(0)
    turn.cancel()
    await asyncio.gather(turn, return_exceptions=True)
    call.session._reader = reader
    await call.say("am Samstag", NotUnderstood())
    assert call.reader.history[-1][0] == "Tisch für vier am Samstag"
    await call.say("und jetzt", NotUnderstood())
    assert call.reader.history[-1][0] == "und jetzt"


class SlowWrites(ScriptedTools):
    """Writes take until the test lets them go."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def run(self, call: ToolCall) -> ToolResult:
        if call.tool == "book_reservation":
            self.begun.set()
            await self.go_on.wait()
        return await super().run(call)


async def _cut_off_at_the_write() -> tuple[ScriptedCall, SlowWrites]:
    tools = SlowWrites()
    call = ScriptedCall(tools=tools)
    await call.read_back()
    call.reader.enqueue(Affirm())
    turn = asyncio.create_task(call.session.take(Turn("ja", "de")))
    await tools.begun.wait()
    turn.cancel()
    await asyncio.gather(turn, return_exceptions=True)
    tools.go_on.set()
    return call, tools


async def test_a_write_goes_on_when_its_turn_is_cut_off_and_is_told_next() -> None:
    call, tools = await _cut_off_at_the_write()
    await call.say("hallo?", Affirm())
    assert "reservation.done" in call.said
    assert len(tools.written) == 1
    assert call.session.outcome is Outcome.BOOKED


async def test_a_write_that_was_begun_is_known_when_the_caller_hangs_up() -> None:
    call, tools = await _cut_off_at_the_write()
    await call.session.close()
    assert len(tools.written) == 1
    assert call.journal.of(CallEnded)[0].outcome == "booked"


async def test_a_yes_into_a_read_back_that_was_not_heard_whole_has_it_read_again() -> None:
    call = ScriptedCall()
    reply = (await call.read_back()).reply
    call.session.cut_short(reply.text[:30])
    await call.say("ja", Affirm())
    assert call.said == ["reservation.read_back"]
    assert call.tools.written == []
    await call.say("ja", Affirm())
    assert len(call.tools.written) == 1


async def test_a_yes_into_the_question_behind_the_values_counts() -> None:
    call = ScriptedCall()
    reply = (await call.read_back()).reply
    call.session.cut_short("".join(reply.clauses[:-1]))
    await call.say("ja", Affirm())
    assert len(call.tools.written) == 1


async def test_after_the_end_nothing_is_taken_any_more() -> None:
    call = ScriptedCall()
    assert (await call.say("tschüss", Goodbye())).reply.end_call
    record = await call.read_back()
    assert record.reply.text == ""
    assert call.tools.proposed == []
    assert call.session.silence_steps() == ()


async def test_closing_twice_writes_one_end() -> None:
    call = ScriptedCall()
    await call.session.close()
    await call.session.close(Outcome.ABANDONED)
    assert [event.outcome for event in call.journal.of(CallEnded)] == ["not_done"]


async def test_a_claim_that_no_tool_made_is_not_spoken_and_a_person_hears_of_it() -> None:
    call = ScriptedCall()
    item = {"name": "Schnitzel", "price_cents": 1490, "options": [], "description": ""}
    call.tools.enqueue("get_menu", {"category": "Tagesgericht", "items": [item]})
    await call.say("Was kostet das Schnitzel?", AskFact("price", "…", (("item", "Schnitzel"),)))
    assert call.said == ["menu.price"]
    call.tools.enqueue("search_knowledge", {"found": True, "sections": [{"text": "Wir sind in Bonn."}]})
    record = await call.say("Wo sind Sie?", AskFact("knowledge", "Wo sind Sie?"))
    assert "Bonn" in record.reply.text


async def test_the_same_phrase_is_not_said_twice_in_the_same_words() -> None:
    call = ScriptedCall()
    first = (await call.read_back()).reply.text
    second = (await call.say("fünf", SetSlot("people", 5, "fünf", corrects=True))).reply.text
    assert first.split()[0] != second.split()[0]


async def test_a_decision_that_runs_in_circles_costs_a_sentence_and_not_the_call() -> None:
    call = ScriptedCall()
    closed = {"available": False, "reason": "full", "alternatives": [], "ranges": []}
    await call.read_back()
    for _ in range(50):
        call.tools.fail("book_reservation", WriteRefused("no"))
    call.tools.enqueue("check_availability", closed)
    record = await call.say("ja", Affirm())
    assert record.reply.text
