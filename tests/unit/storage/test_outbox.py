"""Messages to the owner wait in the outbox until they are delivered."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from appliance.storage.database import Database
from appliance.storage.outbox import Urgency, enqueue, list_due, mark_failed, mark_sent
from appliance.storage.schema import CORE

pytestmark = pytest.mark.unit


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "x.db", [CORE])


def put(database: Database, about: str, now: datetime, urgency: Urgency = "normal") -> None:
    with database.write() as db:
        enqueue(
            db, tenant="aylem", kind="reservation", about=about, urgency=urgency, payload={"name": "Müller"},
            now=now,
        )  # fmt: skip


def due(database: Database, now: datetime) -> list[str]:
    with database.read() as db:
        return [message.about for message in list_due(db, now)]


def test_urgent_messages_come_first_then_the_oldest(database: Database, now: datetime) -> None:
    put(database, "old", now)
    put(database, "new", now)
    put(database, "quiet", now, "low")
    put(database, "loud", now, "high")
    assert due(database, now) == ["loud", "old", "new", "quiet"]


def test_a_message_keeps_all_its_slots(database: Database, now: datetime) -> None:
    put(database, "RES-1", now)
    with database.read() as db:
        (message,) = list_due(db, now)
    assert message.payload == {"name": "Müller"}
    assert (message.created_at, message.attempts, message.last_error) == (now, 0, None)


def test_a_sent_message_is_never_due_again(database: Database, now: datetime) -> None:
    put(database, "RES-1", now)
    with database.write() as db:
        mark_sent(db, 1, now)
        mark_failed(db, 1, "late failure", now)
    assert due(database, now + timedelta(days=1)) == []


def test_a_failed_message_is_due_again_at_its_time(database: Database, now: datetime) -> None:
    put(database, "RES-1", now)
    with database.write() as db:
        mark_failed(db, 1, "no route", now + timedelta(minutes=1))
    assert due(database, now) == []
    assert due(database, now + timedelta(minutes=1)) == ["RES-1"]
    with database.read() as db:
        (message,) = list_due(db, now + timedelta(minutes=1))
    assert (message.attempts, message.last_error) == (1, "no route")


def test_messages_survive_a_restart(database: Database, now: datetime) -> None:
    put(database, "RES-1", now)
    database.close()
    assert due(Database(database.path, [CORE]), now) == ["RES-1"]
