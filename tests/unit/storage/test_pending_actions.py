"""A write belongs to exact values: what a pending action lets through, and what it does not."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from appliance.errors import WriteRefused
from appliance.storage.database import Database
from appliance.storage.pending_actions import Granted, Intended, Replayed, mark_redeemed, propose, redeem
from appliance.storage.schema import CORE

pytestmark = pytest.mark.unit

FOUR = Intended("aylem", "call-1", "book_reservation", {"guests": 4, "date": "2026-12-08"})


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "x.db", [CORE])


def mint(database: Database, now: datetime, intended: Intended = FOUR) -> str:
    with database.write() as db:
        return propose(db, intended, now)


def use(
    database: Database, pending: str | None, now: datetime, intended: Intended = FOUR
) -> Granted | Replayed:
    with database.write() as db:
        permit = redeem(db, pending, intended, now)
        if isinstance(permit, Granted):
            mark_redeemed(db, permit, {"id": "RES-1"}, now)
        return permit


def test_a_yes_to_the_values_that_were_read_back_is_granted(database: Database, now: datetime) -> None:
    pending = mint(database, now)
    assert use(database, pending, now + timedelta(seconds=20)) == Granted(pending)


def test_the_order_of_the_values_does_not_matter(database: Database, now: datetime) -> None:
    turned = replace(FOUR, arguments={"date": "2026-12-08", "guests": 4})
    assert isinstance(use(database, mint(database, now), now, turned), Granted)


def test_a_second_yes_returns_what_the_first_one_did(database: Database, now: datetime) -> None:
    pending = mint(database, now)
    use(database, pending, now)
    assert use(database, pending, now + timedelta(minutes=10)) == Replayed(pending, {"id": "RES-1"})


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (replace(FOUR, arguments={"guests": 5, "date": "2026-12-08"}), "changed"),
        (replace(FOUR, arguments={"guests": 4, "date": "2026-12-08", "notes": ""}), "changed"),
        (replace(FOUR, arguments={"guests": "4", "date": "2026-12-08"}), "changed"),
        (replace(FOUR, tool="cancel_reservation"), "changed"),
        (replace(FOUR, call_id="call-2"), "other_call"),
        (replace(FOUR, tenant="demo-friseur"), "other_call"),
    ],
)
def test_anything_else_is_refused(database: Database, now: datetime, other: Intended, why: str) -> None:
    pending = mint(database, now)
    with pytest.raises(WriteRefused, match=why):
        use(database, pending, now, other)
    assert isinstance(use(database, pending, now), Granted), "the refusal did not use it up"


def test_after_success_changed_values_are_refused_as_before(database: Database, now: datetime) -> None:
    pending = mint(database, now)
    use(database, pending, now)
    with pytest.raises(WriteRefused, match="changed"):
        use(database, pending, now, replace(FOUR, arguments={"guests": 5, "date": "2026-12-08"}))


def test_a_yes_to_an_older_read_back_is_refused(database: Database, now: datetime) -> None:
    older = mint(database, now)
    newer = mint(database, now)
    with pytest.raises(WriteRefused, match="superseded"):
        use(database, older, now)
    assert use(database, newer, now) == Granted(newer)


def test_another_call_does_not_supersede(database: Database, now: datetime) -> None:
    pending = mint(database, now)
    mint(database, now, replace(FOUR, call_id="call-2"))
    assert isinstance(use(database, pending, now), Granted)


@pytest.mark.parametrize(("seconds", "granted"), [(119, True), (120, False), (3600, False), (-3600, False)])
def test_it_lives_for_two_minutes(database: Database, now: datetime, seconds: int, granted: bool) -> None:
    pending = mint(database, now)
    later = now + timedelta(seconds=seconds)
    if granted:
        assert isinstance(use(database, pending, later), Granted)
        return
    with pytest.raises(WriteRefused, match="expired"):
        use(database, pending, later)


@pytest.mark.parametrize("pending", [None, "", "PA-made-up", "' or 1=1 --"])
def test_without_a_pending_action_nothing_is_written(
    database: Database, now: datetime, pending: str | None
) -> None:
    mint(database, now)
    with pytest.raises(WriteRefused, match=r"missing|unknown"):
        use(database, pending, now)
