"""The words of one language, from ``knowledge/spoken/<language>.yaml``; what each means stands there."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError

from appliance.config import CHECKOUT, Strict
from appliance.errors import ConfigError

FOLDER = CHECKOUT / "knowledge" / "spoken"
NO_BREAK = "\u00a0"
"""A space at which speech is not cut into clauses: between the pairs of a phone number."""
DASH = r"\s?[–—-]\s?"
"""Regular expression of the dash of a range."""


class ClockStyle(StrEnum):
    """How times are said."""

    EXACT = "exact"
    """"neunzehn Uhr dreißig", "seven thirty p.m."."""
    EVERYDAY = "everyday"
    """"halb acht", "half past seven": the half of the day is left out."""


class NumberWords(Strict):
    """Cardinals, decimals, fractions, ranges."""

    one: str
    minus: str
    decimal_mark: str
    group_mark: str
    decimal: str
    range: str
    times: str
    half: str
    halves: str
    fraction: str
    fractions: str
    fraction_ending: str
    and_fraction: str
    and_half: str
    year_after: tuple[str, ...]
    digits_after: tuple[str, ...]
    emergency_after: tuple[str, ...]
    emergency: tuple[str, ...]
    postal_code: str = "(?!)"
    """Regular expression."""


class OrdinalWords(Strict):
    """Ordinals. ``endings``: by the word or words before, what is added to num2words' form."""

    signs: tuple[str, ...] = Field(min_length=1)
    only_after: bool
    ending: str
    endings: dict[str, str]
    certain: tuple[str, ...] = ()
    """Words after which a number with the sign is an ordinal also at the end of a sentence."""
    joints: tuple[str, ...]
    """Between ordinals that share one ending."""


class CalendarWords(Strict):
    """Dates and days of the week."""

    months: tuple[str, ...] = Field(min_length=12, max_length=12)
    month_short: tuple[str, ...] = Field(min_length=12, max_length=12)
    weekdays: tuple[str, ...] = Field(min_length=7, max_length=7)
    weekday_short: tuple[str, ...] = Field(min_length=7, max_length=7)
    closed: tuple[str, ...]
    """Words after which a short form ("Mo", also a name) is a day, as it is beside times and other days."""
    date: str
    date_after_article: str
    articles: tuple[str, ...] = ()
    fillers: tuple[str, ...] = ()
    month_first: str | None = None
    day_endings: dict[str, str] = Field(default_factory=dict)
    """Endings that hold only for days of a month."""
    weekday_article: str = ""
    weekday_articles: dict[str, str] = Field(default_factory=dict)


class ClockWords(Strict):
    """Times of day. In ``everyday``, ``hour`` is the hour that runs and ``next`` the one after."""

    hours: Literal[12, 24]
    mark: str
    """Regular expression of what may follow a time."""
    hour_mark: str
    """The same after an hour without minutes."""
    marks_half: bool
    hour: str
    hour_minute: str
    hour_first: str
    seconds: str = ""
    minute_below_ten: str = "{minute}"
    halves: tuple[str, str] = ("", "")
    range: str
    range_after: str
    openers: tuple[str, ...]
    joints: tuple[str, ...]
    named: dict[str, str] = Field(default_factory=dict)
    everyday: dict[int, str]


class Currency(Strict):
    """``one`` and ``cent_one`` with their number word, ``many`` and ``cents`` without."""

    signs: tuple[str, ...] = Field(min_length=1)
    one: str
    many: str
    cent_one: str
    cents: str


class Unit(Strict):
    """``one`` with its number word, ``many`` without."""

    one: str
    many: str


class SpokenWords(Strict):
    """All words of a language."""

    number_language: str
    numbers: NumberWords
    ordinals: OrdinalWords
    calendar: CalendarWords
    clock: ClockWords
    price: str
    currencies: tuple[Currency, ...] = Field(min_length=1)
    units: dict[str, Unit]
    plus: str
    address: dict[str, str]
    symbols: dict[str, str]
    abbreviations: dict[str, str]


@lru_cache(maxsize=16)
def load_spoken_words(language: str, folder: Path = FOLDER) -> SpokenWords | None:
    """A language's words, or None when it has no file. Raises ConfigError."""
    path = folder / f"{language}.yaml"
    if not re.fullmatch(r"[a-z]{2,3}", language) or not path.is_file():
        return None
    try:
        return SpokenWords.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as cause:
        raise ConfigError(f"{path} is wrong: {cause}") from cause


def either(words: tuple[str, ...]) -> str:
    """A regular expression of any of these, the longest first; of nothing when there are none."""
    ordered = sorted(words, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(word) for word in ordered) + ")" if ordered else "(?!)"


def word_before(text: str, end: int, known: dict[str, str]) -> str | None:
    """The value of the longest of ``known`` (one or several words) that stands right before ``end``."""
    before = text[:end].rstrip().lower()
    for words in sorted(known, key=len, reverse=True):
        if re.search(rf"(?<!\w){re.escape(words)}$", before):
            return known[words]
    return None
