"""check_availability and book_reservation: the same decision, once to tell and once to store."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Annotated, Any

import phonenumbers
from pydantic import BeforeValidator, Field, StringConstraints, ValidationInfo, field_validator

from appliance.conversation.models import Effect
from appliance.packs.restaurant.records import Reservation, add, is_free, made_lately, taken
from appliance.packs.restaurant.rules import (
    MOST_PER_PHONE,
    SEARCHED_DAYS,
    Availability,
    Book,
    Reason,
    check,
    hours_on,
)
from appliance.packs.restaurant.tools.hours import IsoText, read_day, shown_ranges
from appliance.storage.outbox import enqueue
from appliance.tools.tool import Answer, Arguments, Scope, Tool, new_id

MOST_SAID = 2
"""So many alternatives are said; the data hold all."""


def _as_date(value: Any) -> Any:
    return date.fromisoformat(value) if isinstance(value, str) else value


def _as_time(value: Any) -> Any:
    return time.fromisoformat(value) if isinstance(value, str) else value


class Wish(Arguments):
    """A table that somebody asks about. Date: ISO, weekday, today, tomorrow; time: HH:MM."""

    date: IsoText
    time: IsoText
    guests: int


class Booking(Arguments):
    """A table with everything that is needed to keep it; the phone in any spelling, kept as E.164."""

    date: Annotated[date, BeforeValidator(_as_date)]
    time: Annotated[time, BeforeValidator(_as_time)]
    guests: int = Field(ge=1, le=1000)
    customer_name: Annotated[str, StringConstraints(min_length=1, max_length=80)]
    phone: str
    notes: Annotated[str, StringConstraints(max_length=300)] = ""

    @field_validator("phone")
    @classmethod
    def _is_a_number(cls, value: str, info: ValidationInfo) -> str:
        try:
            number = phonenumbers.parse(value, (info.context or {}).get("country", "DE"))
        except phonenumbers.NumberParseException:
            raise ValueError("this is no phone number") from None
        if not phonenumbers.is_possible_number(number):
            raise ValueError("this phone number is too short or too long")
        return str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))


def check_availability(scope: Scope, arguments: Wish) -> Answer:
    """Whether the table can be had; if not: why, and what can."""
    start = _start(scope, arguments)
    if start is None:
        return Answer(
            {
                "available": False, "reason": Reason.UNPARSABLE.value, "date": arguments.date,
                "time": arguments.time, "guests": arguments.guests, "alternatives": [],
                "holiday": None, "ranges": [],
                "limit": scope.tenant.meta.capacity.largest_party, "needs_confirmation": False,
                "text": scope.texts.say("unparsable"),
            }
        )  # fmt: skip
    return Answer(_told(scope, start, arguments.guests, _availability(scope, start, arguments.guests)))


def book_reservation(scope: Scope, arguments: Booking) -> Answer:
    """Store the table, if it can still be had, with the message to the owner."""
    start = datetime.combine(arguments.date, arguments.time)
    found = _availability(scope, start, arguments.guests)
    unchecked = found.reason is Reason.COULD_NOT_CHECK
    if not found.available and not unchecked:
        return Answer(_told(scope, start, arguments.guests, found), found.reason)
    if made_lately(scope.db, scope.tenant.meta.tenant, arguments.phone, scope.now) >= MOST_PER_PHONE:
        return Answer({"limit": MOST_PER_PHONE, "text": scope.texts.say("too_many")}, "too_many_reservations")
    reservation = Reservation(
        id=new_id("RES", lambda one: is_free(scope.db, one)), tenant=scope.tenant.meta.tenant,
        call_id=scope.call_id, status="needs_confirmation" if unchecked else "confirmed",
        idempotency_key=scope.key, **arguments.model_dump(),
    )  # fmt: skip
    add(scope.db, reservation, scope.now)
    _tell_the_owner(scope, reservation, unchecked)
    team_confirms = unchecked or scope.tenant.content_mock
    day, at = scope.texts.day(start.date()), scope.texts.clock(start.time())
    text = scope.texts.say(
        "booked_team_confirms" if team_confirms else "booked",
        day=day, time=at, guests=arguments.guests, name=arguments.customer_name,
    )  # fmt: skip
    told = {"id": reservation.id, "status": reservation.status, **reservation.slots}
    return Answer({**told, "team_confirms": team_confirms, "text": text})


def _start(scope: Scope, wish: Wish) -> datetime | None:
    day = read_day(wish.date, scope.local_now.date(), scope.texts)
    try:
        at = time.fromisoformat(wish.time.strip())
    except ValueError:
        return None
    if day is None or at.tzinfo is not None:
        return None
    return datetime.combine(day, at.replace(second=0, microsecond=0))


def _availability(scope: Scope, start: datetime, guests: int) -> Availability:
    meta, now = scope.tenant.meta, scope.local_now
    first = min(max(start.date(), now.date()), now.date() + timedelta(days=meta.capacity.horizon_days))
    span = timedelta(days=SEARCHED_DAYS)
    seats = taken(scope.db, meta.tenant, first - span, first + span)
    return check(Book(scope.tenant.hours, meta.capacity.rules, now, seats), start, guests)


def _told(scope: Scope, start: datetime, guests: int, found: Availability) -> dict[str, Any]:
    texts, meta = scope.texts, scope.tenant.meta
    day = hours_on(scope.tenant.hours, start.date(), scope.language) if scope.tenant.hours else None
    others = [
        texts.say("at", day=texts.day(one.date()), time=texts.clock(one.time())) for one in found.alternatives
    ]
    text = texts.say(
        f"availability_{found.reason or 'free'}",
        day=texts.day(start.date()), time=texts.clock(start.time()), guests=guests,
        holiday=(day and day.holiday) or "", ranges=texts.ranges(day.ranges) if day else "",
        limit=meta.capacity.largest_party,
    )  # fmt: skip
    if others:
        text = f"{text} {texts.say('instead', others=texts.choice(others[:MOST_SAID]))}"
    return {
        "available": found.available,
        "reason": found.reason.value if found.reason else None,
        "date": start.date().isoformat(),
        "time": f"{start:%H:%M}",
        "guests": guests,
        "alternatives": [{"date": f"{one:%Y-%m-%d}", "time": f"{one:%H:%M}"} for one in found.alternatives],
        "holiday": day.holiday if day else None,
        "ranges": shown_ranges(day) if day else [],
        "limit": meta.capacity.largest_party,
        "needs_confirmation": found.reason is Reason.COULD_NOT_CHECK,
        "text": text,
    }


def _tell_the_owner(scope: Scope, reservation: Reservation, unchecked: bool) -> None:
    tenant = scope.tenant.meta.tenant
    payload = {
        **reservation.slots,
        "status": reservation.status,
        "call_id": scope.call_id,
        "language": scope.language,
    }
    enqueue(
        scope.db, tenant=tenant, kind="reservation", about=reservation.id,
        urgency="high" if unchecked else "normal", payload=payload, now=scope.now,
    )  # fmt: skip
    if unchecked:
        problems = [str(one) for one in scope.tenant.problems if "/hours" in one.file]
        enqueue(
            scope.db, tenant=tenant, kind="alert", about=reservation.id, urgency="high",
            payload={"code": "hours_could_not_be_checked", "problems": problems}, now=scope.now,
        )  # fmt: skip


BOOKING = (
    Tool(
        "check_availability",
        "Can a table be had, and if not, what else?",
        Effect.READ,
        Wish,
        check_availability,
    ),
    Tool("book_reservation", "Store a table that was read back.", Effect.WRITE, Booking, book_reservation),
)
