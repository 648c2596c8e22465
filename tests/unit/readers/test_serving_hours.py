"""From when to when guests may come decides which half of the day an hour means."""

from __future__ import annotations

from datetime import datetime, time

import pytest

from appliance.config import CHECKOUT
from appliance.conversation.business import Hours, Range
from appliance.readers.normalise.found import values_of
from appliance.readers.normalise.times import read_time, serving_hours
from appliance.readers.normalise.words import Words, load_words

pytestmark = pytest.mark.unit


def opened(*ranges: tuple[int, int]) -> Hours:
    day = tuple(Range(time(opens), time(closes)) for opens, closes in ranges)
    return Hours(weekly=(day,) * 6 + ((),))


@pytest.fixture(scope="module")
def words() -> Words:
    return load_words(CHECKOUT / "knowledge" / "normalise" / "de.yaml")


@pytest.mark.parametrize(
    ("hours", "serving"),
    [
        (None, (time(11), time(23))),
        (Hours(weekly=((),) * 7), (time(11), time(23))),
        (opened((11, 14), (17, 22)), (time(11), time(22))),
        (opened((18, 2)), (time(18), time(23, 59))),
    ],
)
def test_serving_is_from_the_first_opening_to_the_last_close(
    hours: Hours | None, serving: tuple[time, time]
) -> None:
    assert serving_hours(hours) == serving


@pytest.mark.parametrize(
    ("hours", "said", "meant"),
    [
        (opened((11, 22)), "um acht", (time(20),)),
        (opened((7, 15)), "um acht", (time(8),)),
        (opened((7, 23)), "um acht", (time(20), time(8))),
        (opened((7, 23)), "acht Uhr abends", (time(20),)),
        (opened((17, 22)), "um zwölf", (time(12),)),
    ],
)
def test_an_hour_is_the_one_at_which_the_business_serves(
    words: Words, now: datetime, hours: Hours, said: str, meant: tuple[time, ...]
) -> None:
    read = read_time(said, now, words, serving=serving_hours(hours))
    assert read is not None
    assert values_of(read) == meant
