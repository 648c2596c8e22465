"""The keys of ``knowledge/normalise/<language>.yaml``: words and rules of one language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from appliance.config import Strict

DateMeaning = Literal[
    "relative", "relative_weeks", "in_days", "in_weeks", "weekday", "weekday_next", "weekday_weeks",
    "week_day", "day_month", "day_or_month", "day", "feast", "weekend",
]  # fmt: skip


class DateRule(Strict):
    """How a date is said and what it means; ``bare`` only counts when a date was asked for."""

    say: str
    means: DateMeaning
    weeks: int = 0
    days: int = 0
    bare: bool = False


class TimeRule(Strict):
    """``hour`` (or {h}) plus ``minutes`` times {m} plus ``offset`` minutes."""

    say: str
    hour: int | None = None
    minutes: int = 0
    offset: int = 0
    exact: bool = False
    """The hour needs no am or pm."""
    bare: bool = False


class DurationRule(Strict):
    """A time from now on: ``each`` minutes times {k}, or ``offset`` minutes."""

    say: str
    each: int = 0
    offset: int = 0


class CountRule(Strict):
    """How many people: the sum of the groups in ``plus`` and ``constant``."""

    say: str
    plus: tuple[str, ...] = ()
    either: tuple[str, ...] = ()
    """Groups of which one is meant: "vier oder fünf"."""
    constant: int = 0
    members: bool = False
    """Counts the people that are named one by one: "meine Frau, mein Sohn und ich"."""
    bare: bool = False
    weak: bool = False
    """Counts unless a clock, a price or a thing follows."""


class WordFile(Strict):
    """The file's keys. Unknown keys are refused."""

    language: str
    numbers: Mapping[str, int]
    not_numbers: tuple[str, ...]
    one: tuple[str, ...]
    ordinals: Mapping[str, int]
    ordinal_endings: tuple[str, ...]
    either: tuple[str, ...] = Field(title="Words between two values of which one is meant")
    negation: tuple[str, ...] = Field(title="Words before a value that is not meant")
    blank: tuple[str, ...] = Field(title="Patterns that hold no date, time or count: greetings, prices")
    weekdays: Mapping[int, tuple[str, ...]]
    weekday_endings: tuple[str, ...] = Field(title="What may be grown on to a weekday: Samstag-abend")
    short_weekdays: tuple[str, ...] = Field(title="Weekdays that need a point or a date beside them")
    months: Mapping[int, tuple[str, ...]]
    relative_days: Mapping[str, int]
    feasts: Mapping[str, str]
    next_weekday: Literal["nearest", "ask"]
    dates: tuple[DateRule, ...]
    parts_of_day: Mapping[Literal["morning", "noon", "afternoon", "evening", "night"], tuple[str, ...]]
    times: tuple[TimeRule, ...]
    times_in: tuple[DurationRule, ...]
    after_time: str = Field(title="What follows a number that is no hour")
    after_count: str = Field(title="What follows a number that counts no people")
    before_count: str = Field(title="What leads a number that counts no people")
    people_words: str
    child_words: str
    family_words: str
    member_words: str = Field(title="One person in a list of people")
    collective: Mapping[str, int] = Field(title="zu viert")
    pair_words: str = Field(title="Two people in one word: parents")
    people: tuple[CountRule, ...]
    couple: str = Field(title="Pattern on the unfolded text, where case tells a couple from a few")
    digits: Mapping[str, str]
    repeats: Mapping[str, int]
    plus: tuple[str, ...]
    name_before: tuple[str, ...]
    name_after: tuple[str, ...]
    name_intros: tuple[str, ...] = Field(title="After these, what follows is a name")
    name_outros: tuple[str, ...] = Field(title="Before these, what was said is a name")
    name_notes: str
    particles: tuple[str, ...]
    letters: Mapping[str, str]
    letter_like: tuple[str, ...]
    not_names: tuple[str, ...] = Field(title="Words that no name holds")
    phone_fillers: tuple[str, ...] = Field(title="Words between the groups of a number")
    allergens: Mapping[str, tuple[str, ...]]
    slot_words: Mapping[str, tuple[str, ...]] = Field(title="How callers name a slot: die Uhrzeit")
    correction_words: tuple[str, ...] = Field(title="Words that say that a value replaces another")
    but_words: tuple[str, ...] = Field(title="Words after which a yes is no clear yes")
