"""Tables: refused with a reason, stored once, never twice, and never without a redeemed pending action."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from appliance.conversation.events import SecurityEvent, ToolRan
from appliance.conversation.models import ToolCall, ToolResult
from appliance.errors import StorageError, UsageError, WriteRefused
from appliance.packs.restaurant import RESERVATION, RESTAURANT
from appliance.packs.restaurant.tools import booking
from appliance.tools.runner import CallTools, Desk
from tests.fakes.desk import HandClock, copy_tenant, make_call, make_desk

pytestmark = pytest.mark.unit

TABLE: dict[str, Any] = {
    "date": "2026-12-08", "time": "19:00", "guests": 4, "customer_name": "Müller", "phone": "0151 23456789",
}  # fmt: skip


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path)


async def book(tools: CallTools, desk: Desk, **changes: Any) -> ToolResult:
    """Read back and yes."""
    table = {**TABLE, **changes}
    pending = await tools.propose("book_reservation", table, desk.clock.now())
    return await tools.run(ToolCall("book_reservation", table, pending))


async def check(desk: Desk, language: str = "de", **changes: Any) -> Mapping[str, Any]:
    tools, _ = make_call(desk, language=language)
    wish = {"date": "2026-12-08", "time": "19:00", "guests": 4, **changes}
    result = await tools.run(ToolCall("check_availability", wish))
    assert result.ok
    return result.data


def rows(desk: Desk, table: str) -> list[dict[str, Any]]:
    with desk.database.read() as db:
        return list(db.query(f"select * from {table}"))


def set_clock(desk: Desk, **later: int) -> None:
    assert isinstance(desk.clock, HandClock)
    desk.clock.at += timedelta(**later)


async def test_monday_at_seven_is_refused_and_tuesday_offered(desk: Desk) -> None:
    data = await check(desk, date="2026-12-07")
    assert (data["available"], data["reason"]) == (False, "closed_day")
    assert data["alternatives"][0] == {"date": "2026-12-08", "time": "19:00"}
    assert "Montag" in data["text"]
    assert "Dienstag, 8. Dezember, 19:00 Uhr" in data["text"]


async def test_a_free_table_is_told_with_the_hours_of_the_day(desk: Desk) -> None:
    assert await check(desk) == {
        "available": True, "reason": None, "date": "2026-12-08", "time": "19:00", "guests": 4,
        "alternatives": [], "holiday": None, "ranges": [["11:00", "22:00"]], "limit": 16,
        "needs_confirmation": False,
        "text": "Am Dienstag, 8. Dezember, um 19:00 Uhr ist für 4 noch etwas frei.",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"date": "2026-12-24"}, "holiday"), ({"time": "10:00"}, "outside_hours"),
        ({"time": "21:30"}, "after_last_seating"), ({"date": "2026-11-30"}, "past"),
        ({"date": "2026-12-01", "time": "09:00"}, "time_gone"), ({"guests": 0}, "party_size"),
        ({"guests": 17}, "party_size"), ({"date": "2028-01-05"}, "beyond_horizon"),
        ({"date": "irgendwann"}, "unparsable"), ({"time": "halb acht"}, "unparsable"),
        ({"time": "25:00"}, "unparsable"), ({"date": "2026-02-30"}, "unparsable"),
        ({"date": ""}, "unparsable"),
    ],
)  # fmt: skip
async def test_every_reason_has_words_in_both_languages(
    desk: Desk, changes: dict[str, Any], reason: str
) -> None:
    for language in ("de", "en"):
        data = await check(desk, language, **changes)
        assert data["reason"] == reason
        assert not data["available"]
        assert data["text"]
        assert "{" not in data["text"]


async def test_a_yes_books_the_table_with_the_message_to_the_owner(desk: Desk) -> None:
    tools, _ = make_call(desk)
    result = await book(tools, desk, notes="Kinderstuhl")
    assert result.ok
    assert result.data["id"].startswith("RES-")
    assert len(result.data["id"]) == 10
    (row,) = rows(desk, "reservations")
    assert (row["id"], row["phone"], row["guests"], row["notes"]) == (
        result.data["id"], "+4915123456789", 4, "Kinderstuhl",
    )  # fmt: skip
    (message,) = rows(desk, "outbox")
    assert (message["kind"], message["about"], message["urgency"]) == ("reservation", row["id"], "normal")
    assert json.loads(message["payload"]) == {
        "date": "2026-12-08", "time": "19:00", "guests": 4, "customer_name": "Müller", "status": "confirmed",
        "phone": "+4915123456789", "notes": "Kinderstuhl", "call_id": "call-1", "language": "de",
    }  # fmt: skip


async def test_realistic_mock_content_always_says_that_the_team_confirms(desk: Desk, tmp_path: Path) -> None:
    tools, _ = make_call(desk)
    mock = (await book(tools, desk)).data
    assert mock["team_confirms"]
    assert "Team bestätigt" in mock["text"]
    root = copy_tenant("aylem", tmp_path)
    for path in (root / "aylem").glob("*.md"):
        path.write_text(path.read_text("utf-8").replace("realistic-mock", "approved"), "utf-8")
    approved_desk = make_desk(tmp_path / "approved", root=root)
    approved = (await book(make_call(approved_desk)[0], approved_desk)).data
    assert not approved["team_confirms"]
    assert "Team" not in approved["text"]


async def test_a_second_yes_returns_the_same_booking_without_a_second_row(desk: Desk) -> None:
    tools, _ = make_call(desk)
    pending = await tools.propose("book_reservation", TABLE, desk.clock.now())
    call = ToolCall("book_reservation", TABLE, pending)
    first = await tools.run(call)
    set_clock(desk, minutes=5)
    again, thrice = await tools.run(call), await tools.run(call)
    assert first.data == again.data == thrice.data
    assert len(rows(desk, "reservations")) == len(rows(desk, "outbox")) == 1


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("changed", {"guests": 5}),
    ("changed", {"phone": "0151 23456780"}),
    ("changed", {"customer_name": "Miller"}),
    ("changed", {"notes": "und ein Hund"}),
]


@pytest.mark.parametrize(("why", "changes"), REFUSED)
async def test_a_yes_to_other_values_is_refused(desk: Desk, why: str, changes: dict[str, Any]) -> None:
    tools, journal = make_call(desk)
    pending = await tools.propose("book_reservation", TABLE, desk.clock.now())
    with pytest.raises(WriteRefused, match=why):
        await tools.run(ToolCall("book_reservation", {**TABLE, **changes}, pending))
    assert rows(desk, "reservations") == rows(desk, "outbox") == []
    assert [type(event) for event in journal.events] == [SecurityEvent]


async def test_a_yes_to_an_older_read_back_is_refused(desk: Desk) -> None:
    tools, _ = make_call(desk)
    older = await tools.propose("book_reservation", TABLE, desk.clock.now())
    await tools.propose("book_reservation", {**TABLE, "guests": 5}, desk.clock.now())
    with pytest.raises(WriteRefused, match="superseded"):
        await tools.run(ToolCall("book_reservation", TABLE, older))


async def test_a_yes_after_two_minutes_is_refused(desk: Desk) -> None:
    tools, _ = make_call(desk)
    pending = await tools.propose("book_reservation", TABLE, desk.clock.now())
    set_clock(desk, seconds=121)
    with pytest.raises(WriteRefused, match="expired"):
        await tools.run(ToolCall("book_reservation", TABLE, pending))


async def test_a_yes_from_another_call_is_refused(desk: Desk) -> None:
    pending = await make_call(desk)[0].propose("book_reservation", TABLE, desk.clock.now())
    with pytest.raises(WriteRefused, match="other_call"):
        await make_call(desk, "call-2")[0].run(ToolCall("book_reservation", TABLE, pending))


@pytest.mark.parametrize("pending", [None, "", "PA-invented"])
async def test_a_write_without_a_pending_action_is_refused_and_kept_as_a_security_event(
    desk: Desk, pending: str | None
) -> None:
    tools, _ = make_call(desk)
    with pytest.raises(WriteRefused):
        await tools.run(ToolCall("book_reservation", TABLE, pending))
    (event,) = rows(desk, "security_events")
    assert (event["tenant"], event["call_id"], event["code"]) == ("aylem", "call-1", "write_refused")
    assert "Müller" not in event["detail"]
    assert "2345" not in event["detail"]


async def test_a_table_that_was_taken_between_read_back_and_yes_is_not_booked(desk: Desk) -> None:
    tools, _ = make_call(desk)
    pending = await tools.propose("book_reservation", TABLE, desk.clock.now())
    for number in range(4):
        other, _ = make_call(desk, f"other-{number}")
        assert (await book(other, desk, guests=12, phone=f"0151 9999999{number}")).ok
    result = await tools.run(ToolCall("book_reservation", TABLE, pending))
    assert (result.ok, result.error) == (False, "full")
    assert result.data["alternatives"]
    assert len(rows(desk, "reservations")) == 4


def _book_in_a_process(folder: str, number: int, barrier: Any, results: Any) -> None:
    async def one() -> str | None:
        desk = make_desk(Path(folder))
        tools, _ = make_call(desk, f"process-{number}")
        table = {**TABLE, "guests": 12, "phone": f"0151 2345678{number}"}
        pending = await tools.propose("book_reservation", table, desk.clock.now())
        barrier.wait()
        result = await tools.run(ToolCall("book_reservation", table, pending))
        return "booked" if result.ok else result.error

    results.put(asyncio.run(one()))


def test_processes_that_book_at_the_same_moment_never_share_the_last_table(tmp_path: Path) -> None:
    """48 seats, six parties of twelve at once: four are booked, two are told that it is full."""
    make_desk(tmp_path).database.close()
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(6), context.Queue()
    processes = [
        context.Process(target=_book_in_a_process, args=(str(tmp_path), number, barrier, results))
        for number in range(6)
    ]
    for process in processes:
        process.start()
    outcomes = sorted(str(results.get(timeout=120)) for _ in processes)
    for process in processes:
        process.join(timeout=60)
    assert outcomes == ["booked"] * 4 + ["full"] * 2
    assert sum(row["guests"] for row in rows(make_desk(tmp_path), "reservations")) == 48


async def test_calls_in_one_process_do_not_share_it_either(desk: Desk) -> None:
    results = await asyncio.gather(
        *(book(make_call(desk, f"c-{n}")[0], desk, guests=12, phone=f"0151 2345678{n}") for n in range(6))
    )
    assert sorted(result.error or "booked" for result in results) == ["booked"] * 4 + ["full"] * 2


async def test_a_phone_makes_at_most_three_reservations_a_day(desk: Desk) -> None:
    for number in range(3):
        assert (await book(make_call(desk, f"c-{number}")[0], desk, time=f"1{number + 2}:00")).ok
    spelled_otherwise = await book(
        make_call(desk, "c-4")[0], desk, time="18:00", phone="+49 (151) 234 567 89"
    )
    assert (spelled_otherwise.ok, spelled_otherwise.error) == (False, "too_many_reservations")
    set_clock(desk, hours=25)
    assert (await book(make_call(desk, "c-5")[0], desk, time="18:00")).ok


async def test_without_an_hours_file_the_team_confirms_and_the_owner_is_alerted(tmp_path: Path) -> None:
    root = copy_tenant("aylem", tmp_path)
    (root / "aylem" / "hours.md").unlink()
    desk = make_desk(tmp_path, root=root)
    data = await check(desk)
    assert (data["available"], data["reason"], data["needs_confirmation"]) == (False, "could_not_check", True)
    result = await book(make_call(desk)[0], desk)
    assert (result.ok, result.data["status"]) == (True, "needs_confirmation")
    assert result.data["team_confirms"]
    assert [(row["kind"], row["urgency"]) for row in rows(desk, "outbox")] == [
        ("reservation", "high"), ("alert", "high"),
    ]  # fmt: skip
    assert "hours.md" in rows(desk, "outbox")[1]["payload"]


async def test_a_readable_file_that_says_closed_is_a_hard_no(desk: Desk) -> None:
    result = await book(make_call(desk)[0], desk, date="2026-12-07")
    assert (result.ok, result.error) == (False, "closed_day")
    assert rows(desk, "reservations") == rows(desk, "outbox") == []


@pytest.mark.parametrize(
    "changes",
    [
        {"table": 7}, {"guests": "4"}, {"guests": 4.0}, {"guests": True}, {"guests": -1},
        {"customer_name": ""},
        {"customer_name": "x" * 81}, {"phone": "keine"}, {"phone": "1"}, {"date": "morgen"}, {"time": None},
        {"date": 20261208}, {"notes": "x" * 301},
    ],
)  # fmt: skip
async def test_arguments_are_strict_and_unknown_ones_refused(desk: Desk, changes: dict[str, Any]) -> None:
    tools, _ = make_call(desk)
    with pytest.raises(UsageError):
        await tools.propose("book_reservation", {**TABLE, **changes}, desk.clock.now())
    pending = await tools.propose("book_reservation", TABLE, desk.clock.now())
    result = await tools.run(ToolCall("book_reservation", {**TABLE, **changes}, pending))
    assert (result.ok, result.error) == (False, "invalid_arguments")
    assert rows(desk, "reservations") == []


async def test_only_tools_that_write_can_be_proposed(desk: Desk) -> None:
    tools, _ = make_call(desk)
    for tool in ("check_availability", "escalate_to_human", "drop_table"):
        with pytest.raises(UsageError):
            await tools.propose(tool, {}, desk.clock.now())


async def test_an_unknown_tool_is_a_result_and_no_crash(desk: Desk) -> None:
    assert (await make_call(desk)[0].run(ToolCall("drop_table"))).error == "unknown_tool"


async def test_when_the_write_fails_in_the_middle_nothing_is_left(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise StorageError("disk full")

    monkeypatch.setattr("appliance.packs.restaurant.tools.booking.enqueue", fails)
    tools, _ = make_call(desk)
    pending = await tools.propose("book_reservation", TABLE, desk.clock.now())
    result = await tools.run(ToolCall("book_reservation", TABLE, pending))
    assert (result.ok, result.error) == (False, "storage")
    assert desk.files.current().profile.phone in result.data["text"]
    assert rows(desk, "reservations") == []
    monkeypatch.undo()
    assert (await tools.run(ToolCall("book_reservation", TABLE, pending))).ok, (
        "the same yes can be tried again"
    )


def _die_in_the_middle_of_the_write(folder: str) -> None:
    async def one() -> None:
        desk = make_desk(Path(folder))
        tools, _ = make_call(desk)
        pending = await tools.propose("book_reservation", TABLE, desk.clock.now())
        booking.enqueue = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment]
        await tools.run(ToolCall("book_reservation", TABLE, pending))

    asyncio.run(one())


def test_a_process_that_is_killed_in_the_middle_leaves_no_half_booking(tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(
        target=_die_in_the_middle_of_the_write, args=(str(tmp_path),)
    )
    process.start()
    process.join(timeout=60)
    assert process.exitcode == -signal.SIGKILL
    desk = make_desk(tmp_path)
    assert len(rows(desk, "pending_actions")) == 1
    assert rows(desk, "reservations") == rows(desk, "outbox") == []


async def test_every_run_is_recorded_with_arguments_result_and_time(desk: Desk) -> None:
    tools, journal = make_call(desk)
    await tools.run(ToolCall("get_hours", {"day": "monday"}))
    (event,) = journal.events
    assert isinstance(event, ToolRan)
    assert (event.tool, event.arguments, event.ok) == ("get_hours", {"day": "monday"}, True)
    assert event.seconds > 0


async def test_an_escalation_is_stored_once_for_each_reason_in_a_call(desk: Desk) -> None:
    tools, _ = make_call(desk)
    catering = ToolCall("escalate_to_human", {"reason": "special_wish", "summary": "Catering, 80 Personen"})
    first, again = await tools.run(catering), await tools.run(catering)
    other = await tools.run(ToolCall("escalate_to_human", {"reason": "complaint", "urgency": "low"}))
    assert first.data["id"] == again.data["id"] != other.data["id"]
    assert first.data["id"].startswith("ESC-")
    assert first.data["way"] == "callback"
    assert [row["urgency"] for row in rows(desk, "outbox")] == ["normal", "low"]


async def test_an_urgent_matter_that_reaches_nobody_at_once_gets_the_human_line(desk: Desk) -> None:
    result = await make_call(desk)[0].run(
        ToolCall("escalate_to_human", {"reason": "emergency", "urgency": "high"})
    )
    assert (result.data["way"], result.data["phone"]) == ("human_line", "+492214710412")
    assert "+492214710412" in result.data["text"]


async def test_without_a_database_the_caller_still_gets_the_human_line(desk: Desk) -> None:
    desk.database.close()
    result = await make_call(desk)[0].run(ToolCall("escalate_to_human", {"reason": "asked"}))
    assert (result.ok, result.error, result.data["way"]) == (False, "storage", "human_line")


async def test_a_refused_write_stays_refused_when_its_event_can_not_be_stored(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools, journal = make_call(desk)
    desk.database.close()
    with pytest.raises(WriteRefused):
        await tools.run(ToolCall("book_reservation", TABLE))
    assert [type(event) for event in journal.events] == [SecurityEvent]


async def test_a_tenant_that_is_taken_away_during_a_call_is_a_result_and_no_crash(tmp_path: Path) -> None:
    root = copy_tenant("aylem", tmp_path)
    tools, _ = make_call(make_desk(tmp_path, root=root))
    (root / "aylem" / "_meta.md").unlink()
    result = await tools.run(ToolCall("get_hours"))
    assert (result.ok, result.error) == (False, "not_available")


async def test_after_an_hour_a_call_only_reaches_a_person(desk: Desk) -> None:
    tools, _ = make_call(desk)
    set_clock(desk, minutes=61)
    assert (await tools.run(ToolCall("get_hours"))).error == "call_too_long"
    assert (await tools.run(ToolCall("escalate_to_human", {"reason": "too_long"}))).ok
    assert (await tools.run(ToolCall("end_call"))).ok


async def test_a_hairdresser_books_chairs_in_the_same_way(tmp_path: Path) -> None:
    desk = make_desk(tmp_path, "demo-friseur")
    result = await book(make_call(desk)[0], desk, guests=1, time="11:00")
    assert result.ok
    lunch = await check(desk, guests=1, time="13:15")
    assert lunch["reason"] == "break"


def test_the_pack_declares_its_matter_over_tools_that_exist() -> None:
    names = {tool.name for tool in RESTAURANT.tools}
    assert {RESERVATION.check_tool, RESERVATION.write_tool} <= names
    write = next(tool for tool in RESTAURANT.tools if tool.name == RESERVATION.write_tool)
    assert set(RESERVATION.arguments.values()) == set(write.arguments.model_fields) - {"notes"}
