"""When a table can be booked: pure decisions over hours, capacity and what is taken (R-11)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache

from appliance.conversation.business import Capacity, Hours, Range, in_language

GRID = timedelta(minutes=30)
"""Alternatives lie on this grid from the opening on."""
SEARCHED_DAYS = 14
MOST_ALTERNATIVES = 3
MOST_ON_THE_SAME_DAY = 2
MOST_PER_PHONE = 3
PHONE_WINDOW = timedelta(hours=24)


class Reason(StrEnum):
    """Why a table can't be booked as asked."""

    CLOSED_DAY = "closed_day"
    HOLIDAY = "holiday"
    OUTSIDE_HOURS = "outside_hours"
    BREAK = "break"
    AFTER_LAST_SEATING = "after_last_seating"
    PAST = "past"
    TIME_GONE = "time_gone"
    PARTY_SIZE = "party_size"
    FULL = "full"
    BEYOND_HORIZON = "beyond_horizon"
    UNPARSABLE = "unparsable"
    COULD_NOT_CHECK = "could_not_check"


@dataclass(frozen=True)
class DayHours:
    """When the business is open on a date. ``holiday``: the name of the day that changes the hours."""

    day: date
    ranges: tuple[Range, ...]
    holiday: str | None = None


@dataclass(frozen=True)
class Taken:
    """A stored reservation: seats from ``start`` (local, naive) on."""

    start: datetime
    guests: int


@dataclass(frozen=True)
class Book:
    """Everything that a decision looks at. ``now`` is local and naive; ``hours`` None: can't be told."""

    hours: Hours | None
    capacity: Capacity
    now: datetime
    taken: Sequence[Taken] = ()


@dataclass(frozen=True)
class Availability:
    """The answer to a wish, with the reason and the nearest starts that can be had instead."""

    reason: Reason | None
    alternatives: tuple[datetime, ...] = ()

    @property
    def available(self) -> bool:
        return self.reason is None


def check(book: Book, start: datetime, guests: int) -> Availability:
    """Can ``guests`` have a table from ``start`` (local, naive)? If not: why, and what can be had."""
    reason = refusal(book, start, guests)
    if reason in (None, Reason.PARTY_SIZE, Reason.COULD_NOT_CHECK):
        return Availability(reason)
    return Availability(reason, alternatives(book, start, guests))


def refusal(book: Book, start: datetime, guests: int) -> Reason | None:
    """The first rule that speaks against it, or None."""
    if not 1 <= guests <= book.capacity.largest_party:
        return Reason.PARTY_SIZE
    if start.date() < book.now.date():
        return Reason.PAST
    if start <= book.now:
        return Reason.TIME_GONE
    if start.date() > book.now.date() + timedelta(days=book.capacity.horizon_days):
        return Reason.BEYOND_HORIZON
    if book.hours is None:
        return Reason.COULD_NOT_CHECK
    if reason := closed_because(book.hours, book.capacity, start):
        return reason
    return None if _fits(book, start, guests) else Reason.FULL


def closed_because(hours: Hours, capacity: Capacity, start: datetime) -> Reason | None:
    """Why no guests are seated at this moment, or None."""
    openings = [(opens, closes) for opens, closes in _openings(hours, start.date())]
    for opens, closes in openings:
        if opens <= start < closes:
            return None if start <= _last_seating(opens, closes, capacity) else Reason.AFTER_LAST_SEATING
    today = hours_on(hours, start.date())
    if not today.ranges:
        return Reason.HOLIDAY if today.holiday else Reason.CLOSED_DAY
    before = any(closes <= start for opens, closes in openings if opens.date() == start.date())
    after = any(start < opens for opens, _ in openings)
    return Reason.BREAK if before and after else Reason.OUTSIDE_HOURS


def hours_on(hours: Hours, day: date, language: str = "de") -> DayHours:
    """The hours of a date: special days go before public holidays, these before the week."""
    for special in hours.special:
        if special.first <= day <= special.last:
            return DayHours(day, special.ranges, in_language(special.name, language, "de") or day.isoformat())
    if hours.public_holidays and (holiday := public_holiday(hours.public_holidays, day, language)):
        return DayHours(day, (), holiday)
    return DayHours(day, hours.weekly[day.weekday()])


def alternatives(book: Book, start: datetime, guests: int) -> tuple[datetime, ...]:
    """The nearest starts that can be had: on the day itself, then on the days after, one a day."""
    if book.hours is None:
        return ()
    last = book.now.date() + timedelta(days=book.capacity.horizon_days)
    step = timedelta(days=-1 if start.date() > last else 1)
    day = min(max(start.date(), book.now.date()), last)
    found: list[datetime] = []
    for number in range(SEARCHED_DAYS + 1):
        wanted = datetime.combine(day + number * step, start.time())
        free = [
            moment
            for moment in _starts(book.hours, book.capacity, wanted)
            if moment != start and refusal(book, moment, guests) is None
        ]
        free.sort(key=lambda moment: (abs(moment - wanted), moment))
        found += free[: MOST_ON_THE_SAME_DAY if wanted.date() == start.date() else 1]
        if len(found) >= MOST_ALTERNATIVES:
            break
    return tuple(found[:MOST_ALTERNATIVES])


@lru_cache(maxsize=256)
def public_holiday(region: str, day: date, language: str) -> str | None:
    """The public holiday of a region (``DE``, ``DE-NW``) on a date, named in the language if it is known."""
    name = _calendar(region, day.year, language).get(day)
    return str(name) if name else None


@lru_cache(maxsize=16)
def _calendar(region: str, year: int, language: str) -> dict[date, str]:
    import holidays  # takes a third of a second, and only some businesses use it

    country, _, subdivision = region.partition("-")
    default = holidays.country_holidays(country, subdiv=subdivision or None, years=year)
    known = getattr(default, "supported_languages", ())
    match = next((one for one in known if one == language or one.startswith(f"{language}_")), None)
    return dict(
        holidays.country_holidays(country, subdiv=subdivision or None, years=year, language=match)
        if match
        else default
    )


def _openings(hours: Hours, day: date) -> Iterator[tuple[datetime, datetime]]:
    """Openings that touch a date, as moments: the night before may still run."""
    for one in (day - timedelta(days=1), day):
        midnight = datetime.combine(one, time())
        for opening in hours_on(hours, one).ranges:
            opens, closes = (midnight + timedelta(minutes=minute) for minute in opening.minutes)
            if closes > datetime.combine(day, time()):
                yield opens, closes


def _last_seating(opens: datetime, closes: datetime, capacity: Capacity) -> datetime:
    return max(opens, closes - timedelta(minutes=capacity.last_seating_minutes))


def _starts(hours: Hours, capacity: Capacity, wanted: datetime) -> set[datetime]:
    """Starts on a date: the wanted time itself and the grid from each opening to its last seating."""
    starts = {wanted}
    for opens, closes in _openings(hours, wanted.date()):
        moment = opens
        while moment <= _last_seating(opens, closes, capacity):
            if moment.date() == wanted.date():
                starts.add(moment)
            moment += GRID
    return starts


def _fits(book: Book, start: datetime, guests: int) -> bool:
    """Are there seats for the whole stay? Counted at its fullest moment."""
    stay = timedelta(minutes=book.capacity.table_minutes)
    others = [one for one in book.taken if one.start < start + stay and start < one.start + stay]
    moments = [start, *(one.start for one in others if one.start > start)]
    fullest = max(
        sum(one.guests for one in others if one.start <= moment < one.start + stay) for moment in moments
    )
    return fullest + guests <= book.capacity.seats
