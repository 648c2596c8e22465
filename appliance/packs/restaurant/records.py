"""Reservations in the database: their table, and the questions asked of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from sqlite_utils import Database as Sqlite
from sqlite_utils.migrations import Migrations

from appliance.packs.restaurant.rules import PHONE_WINDOW, Taken
from appliance.storage.outbox import instant

MIGRATIONS = Migrations("restaurant")


@MIGRATIONS()
def reservations(db: Sqlite) -> None:
    """The first shape. ``date`` and ``time`` are the business's local ones; phones are E.164."""
    db.create_table(
        "reservations",
        {"id": str, "tenant": str, "call_id": str, "date": str, "time": str, "guests": int,
         "customer_name": str, "phone": str, "notes": str, "status": str, "created_at": str,
         "idempotency_key": str},
        pk="id",
        not_null={"tenant", "call_id", "date", "time", "guests", "customer_name", "phone", "status",
                  "created_at", "idempotency_key"},
    )  # fmt: skip
    db.table("reservations").create_index(["idempotency_key"], unique=True)
    db.table("reservations").create_index(["tenant", "date"])
    db.table("reservations").create_index(["phone"])


@dataclass(frozen=True)
class Reservation:
    """A stored reservation. ``status``: confirmed, needs_confirmation or cancelled."""

    id: str
    tenant: str
    call_id: str
    date: date
    time: time
    guests: int
    customer_name: str
    phone: str
    notes: str
    status: str
    idempotency_key: str

    @property
    def slots(self) -> dict[str, Any]:
        """What the caller gave, JSON-ready."""
        return {
            "date": self.date.isoformat(),
            "time": f"{self.time:%H:%M}",
            "guests": self.guests,
            "customer_name": self.customer_name,
            "phone": self.phone,
            "notes": self.notes,
        }


def add(db: Sqlite, reservation: Reservation, now: datetime) -> None:
    """Store a reservation, inside the transaction that decided on it."""
    db.table("reservations").insert({**asdict(reservation), **reservation.slots, "created_at": instant(now)})


def taken(db: Sqlite, tenant: str, first: date, last: date) -> list[Taken]:
    """Seats that are taken from the day before ``first`` to the day after ``last``."""
    rows = db.query(
        "select date, time, guests from reservations "
        "where tenant = ? and date between ? and ? and status <> 'cancelled'",
        [tenant, (first - timedelta(days=1)).isoformat(), (last + timedelta(days=1)).isoformat()],
    )
    return [Taken(datetime.fromisoformat(f"{row['date']}T{row['time']}"), row["guests"]) for row in rows]


def made_lately(db: Sqlite, tenant: str, phone: str, now: datetime) -> int:
    """How many reservations this phone made within the window of the limit (R-15)."""
    row = db.execute(
        "select count(*) from reservations where tenant = ? and phone = ? and created_at > ?",
        [tenant, phone, instant(now - PHONE_WINDOW)],
    ).fetchone()
    return int(row[0])


def is_free(db: Sqlite, reservation_id: str) -> bool:
    """True when no reservation has this id."""
    return not db.execute("select 1 from reservations where id = ?", [reservation_id]).fetchone()
