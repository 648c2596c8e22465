"""A call's record: written as it happens, read back as it was, closed when a crash cut it."""

from __future__ import annotations

import resource
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import get_args

import pytest

from appliance.config import CHECKOUT
from appliance.conversation.events import (
    AssistantSaid,
    CallEnded,
    CallerSaid,
    CallStarted,
    Event,
    SecurityEvent,
    SomethingFailed,
    StateChanged,
    ToolRan,
    TurnTimed,
    Understood,
)
from appliance.errors import StorageError, UsageError
from appliance.storage.database import Database
from appliance.storage.journal import CallJournal, close_cut_calls, decode, encode, load
from appliance.storage.schema import CORE

pytestmark = pytest.mark.unit


def one_of_each(at: datetime) -> list[Event]:
    return [
        CallStarted("c-1", at, "aylem", "console", "de", {"tresen": "0.1.0"}),
        CallerSaid(at, "Ein Tisch für vier, „bitte“\n", "de", 0.9, None, None),
        CallerSaid(at, "", "de", 1.0, 5.0, "1"),
        Understood(at, ({"command": "SetSlot", "slot": "people", "value": 4},), "tagger", 0.98, ("sure",)),
        ToolRan(at, "get_hours", {"day": "heute"}, True, {"ranges": [["11:00", "22:00"]]}, None, 0.002),
        StateChanged(at, {"matter": "reservation", "slots": {"people": 4}}),
        AssistantSaid(at, "Um wie viel Uhr?", "de", {"decide": 0.001}, "refused"),
        TurnTimed(at, {"end_to_audio": 0.9}),
        SomethingFailed(at, "stt", "engine_down", "socket closed"),
        SecurityEvent(at, "write_refused", "book_reservation: expired"),
        CallEnded(at, "booked", 61.5),
    ]  # fmt: skip


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "x.db", [CORE])


@pytest.fixture
def warnings() -> list[str]:
    return []


def journal(folder: Path, database: Database, warnings: list[str], call_id: str = "c-1") -> CallJournal:
    return CallJournal(folder / "calls", call_id, database, warnings.append)


def test_every_kind_of_event_is_in_the_round_trip(now: datetime) -> None:
    assert {type(event) for event in one_of_each(now)} == set(get_args(Event))


def test_every_event_comes_back_as_it_was(now: datetime) -> None:
    for event in one_of_each(now):
        assert decode(encode(event)) == event


def test_a_line_names_its_event_and_is_one_line(now: datetime) -> None:
    for event in one_of_each(now):
        assert encode(event).startswith(f'{{"event":"{type(event).__name__}"')
        assert "\n" not in encode(event)


def test_a_record_is_on_disk_as_it_happens(
    tmp_path: Path, database: Database, warnings: list[str], now: datetime
) -> None:
    book = journal(tmp_path, database, warnings)
    for number, event in enumerate(one_of_each(now), 1):
        book.write(event)
        assert len(load(book.path)) == number
    assert load(book.path) == one_of_each(now)
    assert book.path.stat().st_mode & 0o777 == 0o600
    assert warnings == []


def test_the_call_has_a_row_from_its_first_event_on(
    tmp_path: Path, database: Database, warnings: list[str], now: datetime
) -> None:
    book = journal(tmp_path, database, warnings)
    first, *_, last = one_of_each(now)
    book.write(first)
    with database.read() as db:
        row = next(db.query("select * from calls"))
        assert (row["id"], row["tenant"], row["ended_at"]) == ("c-1", "aylem", None)
    book.write(last)
    with database.read() as db:
        row = next(db.query("select * from calls"))
        assert (row["outcome"], row["duration_seconds"]) == ("booked", 61.5)


def test_a_crash_loses_at_most_the_last_line_and_the_next_start_closes_the_call(
    tmp_path: Path, database: Database, now: datetime
) -> None:
    program = (
        "import os, sys; from datetime import datetime; from pathlib import Path\n"
        "from appliance.conversation.events import CallStarted, CallerSaid\n"
        "from appliance.storage.database import Database\n"
        "from appliance.storage.journal import CallJournal\n"
        "from appliance.storage.schema import CORE\n"
        f"at = datetime.fromisoformat({now.isoformat()!r})\n"
        f"folder, database = Path({str(tmp_path / 'calls')!r}), Database(Path({str(database.path)!r}))\n"
        "book = CallJournal(folder, 'c-1', database, print)\n"
        "book.write(CallStarted('c-1', at, 'aylem', 'voice', 'de'))\n"
        "book.write(CallerSaid(at, 'Guten Tag', 'de', 1.0))\n"
        'os.write(book._file, b\'{"event":"Calle\')\n'
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=CHECKOUT, check=False, timeout=60)
    path = tmp_path / "calls" / "c-1.jsonl"
    assert [type(event) for event in load(path)] == [CallStarted, CallerSaid]
    later = now + timedelta(hours=1)
    assert close_cut_calls(tmp_path / "calls", database, later) == ["c-1"]
    assert load(path)[-1] == CallEnded(later, "abandoned", 0.0)
    assert close_cut_calls(tmp_path / "calls", database, later) == []
    with database.read() as db:
        assert next(db.query("select outcome from calls"))["outcome"] == "abandoned"


def test_a_call_that_is_going_on_is_not_closed(
    tmp_path: Path, database: Database, warnings: list[str], now: datetime
) -> None:
    book = journal(tmp_path, database, warnings)
    book.write(one_of_each(now)[0])
    assert close_cut_calls(tmp_path / "calls", database, now) == []
    book.close()
    assert close_cut_calls(tmp_path / "calls", database, now) == ["c-1"]


def test_with_a_full_disk_the_call_goes_on_and_one_warning_is_raised(
    tmp_path: Path, database: Database, warnings: list[str], now: datetime
) -> None:
    book = journal(tmp_path, database, warnings)
    book.write(one_of_each(now)[0])
    size = book.path.stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, hard))
    try:
        for event in one_of_each(now)[1:-1]:
            book.write(event)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert len(warnings) == 1
    assert "goes on" in warnings[0]
    assert load(book.path) == one_of_each(now)[:1], "no half line"
    book.write(one_of_each(now)[-1])
    assert load(book.path)[-1] == one_of_each(now)[-1], "later events are tried again"


def test_a_record_that_can_not_be_made_does_not_stop_the_call(
    tmp_path: Path, database: Database, warnings: list[str], now: datetime
) -> None:
    (tmp_path / "calls").write_text("a file where the folder should be")
    book = journal(tmp_path, database, warnings)
    for event in one_of_each(now):
        book.write(event)
    assert len(warnings) == 1


@pytest.mark.parametrize(
    "line", ["", "{}", "[1]", '{"event":"Nothing"}', '{"event":"CallEnded"}', '{"event":']
)
def test_a_line_that_is_no_event_is_an_error(line: str) -> None:
    with pytest.raises(StorageError):
        decode(line)


@pytest.mark.parametrize("call_id", ["", "../x", "a/b", ".hidden", "x" * 101])
def test_a_call_id_can_not_lead_elsewhere(
    tmp_path: Path, database: Database, warnings: list[str], call_id: str
) -> None:
    with pytest.raises(UsageError):
        journal(tmp_path, database, warnings, call_id)
