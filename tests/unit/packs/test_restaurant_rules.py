"""When a table can be booked, and what is offered when it can't."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest

from appliance.conversation.business import Capacity, Hours, Range, SpecialDays
from appliance.packs.restaurant.rules import Book, Reason, Taken, check, hours_on, public_holiday, refusal

pytestmark = pytest.mark.unit

NOW = datetime(2026, 12, 1, 10, 0)  # a Tuesday
LUNCH = Range(time(11, 30), time(14, 30))
DINNER = Range(time(17), time(22))
NIGHT = Range(time(18), time(2))
WEEK = ((), (LUNCH, DINNER), (LUNCH, DINNER), (LUNCH, DINNER), (NIGHT,), (NIGHT,), (LUNCH,))
HOURS = Hours(
    WEEK,
    (
        SpecialDays(date(2026, 12, 24), date(2026, 12, 26), (), {"de": "Weihnachten", "en": "Christmas"}),
        SpecialDays(date(2026, 12, 31), date(2026, 12, 31), (LUNCH,), {"de": "Silvester"}),
    ),
)
CAPACITY = Capacity(largest_party=12, seats=20, table_minutes=120, last_seating_minutes=60, horizon_days=60)


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"2026-{text}")


def book(*taken: Taken, hours: Hours | None = HOURS, now: datetime = NOW) -> Book:
    return Book(hours, CAPACITY, now, taken)


@pytest.mark.parametrize(
    ("start", "guests", "reason"),
    [
        ("12-02T19:00", 4, None),
        ("12-02T17:00", 4, None),
        ("12-02T21:00", 4, None),
        ("12-01T11:30", 4, None),
        ("12-02T21:01", 4, Reason.AFTER_LAST_SEATING),
        ("12-02T22:00", 4, Reason.OUTSIDE_HOURS),
        ("12-02T10:00", 4, Reason.OUTSIDE_HOURS),
        ("12-02T15:00", 4, Reason.BREAK),
        ("12-02T14:00", 4, Reason.AFTER_LAST_SEATING),
        ("12-07T19:00", 4, Reason.CLOSED_DAY),
        ("12-24T19:00", 4, Reason.HOLIDAY),
        ("12-31T19:00", 4, Reason.OUTSIDE_HOURS),
        ("12-31T12:00", 4, None),
        ("11-30T19:00", 4, Reason.PAST),
        ("12-01T09:59", 4, Reason.TIME_GONE),
        ("12-01T10:00", 4, Reason.TIME_GONE),
        ("12-02T19:00", 0, Reason.PARTY_SIZE),
        ("12-02T19:00", -1, Reason.PARTY_SIZE),
        ("12-02T19:00", 12, None),
        ("12-02T19:00", 13, Reason.PARTY_SIZE),
    ],
)
def test_every_reason_is_told_apart(start: str, guests: int, reason: Reason | None) -> None:
    assert refusal(book(), at(start), guests) is reason


def test_the_night_belongs_to_the_day_before() -> None:
    assert refusal(book(), at("12-05T00:30"), 2) is None
    assert refusal(book(), at("12-05T01:30"), 2) is Reason.AFTER_LAST_SEATING
    assert refusal(book(), at("12-06T00:30"), 2) is None
    assert refusal(book(), at("12-05T02:00"), 2) is Reason.OUTSIDE_HOURS


def test_beyond_the_horizon_the_last_bookable_days_are_offered() -> None:
    found = check(book(), datetime(2027, 3, 3, 19), 2)
    assert found.reason is Reason.BEYOND_HORIZON
    assert found.alternatives[0] == datetime(2027, 1, 30, 19)


def test_without_hours_nothing_is_claimed_and_nothing_offered() -> None:
    found = check(book(hours=None), at("12-02T19:00"), 4)
    assert (found.available, found.reason, found.alternatives) == (False, Reason.COULD_NOT_CHECK, ())


def test_monday_is_answered_with_tuesday_at_the_same_time() -> None:
    assert check(book(), at("12-07T19:00"), 4).alternatives[0] == at("12-08T19:00")


def test_alternatives_are_the_nearest_on_the_day_itself_first() -> None:
    found = check(book(), at("12-02T21:30"), 4)
    assert found.alternatives == (at("12-02T21:00"), at("12-02T20:30"), at("12-03T21:00"))


def test_after_the_party_size_nothing_is_offered_because_the_team_is() -> None:
    assert check(book(), at("12-02T19:00"), 30).alternatives == ()


def test_seats_are_counted_over_the_whole_stay() -> None:
    taken = (Taken(at("12-02T18:00"), 12), Taken(at("12-02T20:30"), 6))
    assert refusal(book(*taken), at("12-02T19:00"), 8) is None
    assert refusal(book(*taken), at("12-02T19:00"), 9) is Reason.FULL
    assert refusal(book(*taken), at("12-02T20:00"), 12) is None


def test_when_it_is_full_the_nearest_free_starts_are_offered() -> None:
    found = check(book(Taken(at("12-02T19:00"), 20)), at("12-02T19:00"), 4)
    assert found.reason is Reason.FULL
    assert found.alternatives[:2] == (at("12-02T17:00"), at("12-02T21:00"))


def test_no_alternative_is_itself_refused() -> None:
    for day in range(30):
        for hour in range(24):
            found = check(book(Taken(at("12-02T19:00"), 20)), NOW + timedelta(days=day, hours=hour), 5)
            assert all(
                refusal(book(Taken(at("12-02T19:00"), 20)), one, 5) is None for one in found.alternatives
            )


def test_a_public_holiday_closes_unless_the_business_says_otherwise() -> None:
    hours = Hours(WEEK, (SpecialDays(date(2027, 1, 1), date(2027, 1, 1), (DINNER,), {}),), "DE-NW")
    assert hours_on(hours, date(2026, 12, 25)).ranges == ()
    assert hours_on(hours, date(2027, 1, 1)).ranges == (DINNER,)


def test_public_holidays_have_names_in_the_language_of_the_call() -> None:
    assert public_holiday("DE-NW", date(2026, 12, 25), "de") == "Erster Weihnachtstag"
    assert public_holiday("DE-NW", date(2026, 12, 25), "en") == "Christmas Day"
    assert public_holiday("DE-NW", date(2026, 12, 23), "en") is None


def test_special_days_have_names_in_the_language_of_the_call() -> None:
    assert hours_on(HOURS, date(2026, 12, 25), "en").holiday == "Christmas"
    assert hours_on(HOURS, date(2026, 12, 25), "tr").holiday == "Weihnachten"
