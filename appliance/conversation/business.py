"""What a business tells about itself: hours, menu, capacity, texts. Frozen values, filled from its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time

Words = Mapping[str, str]
"""A text by language (``de``, ``en``, …); the business's default language is always there."""


@dataclass(frozen=True)
class Range:
    """Open from ``opens`` to ``closes``; a close that is not later is on the next day."""

    opens: time
    closes: time

    @property
    def minutes(self) -> tuple[int, int]:
        """Start and end in minutes from the day's midnight; the end may pass 1440."""
        start = self.opens.hour * 60 + self.opens.minute
        end = self.closes.hour * 60 + self.closes.minute
        return start, end if end > start else end + 24 * 60


@dataclass(frozen=True)
class SpecialDays:
    """Dates on which other hours hold; no ranges means closed."""

    first: date
    last: date
    ranges: tuple[Range, ...] = ()
    name: Words = field(default_factory=dict)


@dataclass(frozen=True)
class Hours:
    """When the business is open."""

    weekly: tuple[tuple[Range, ...], ...]
    """Seven entries, Monday first; empty means closed."""
    special: tuple[SpecialDays, ...] = ()
    public_holidays: str | None = None
    """Region whose public holidays are closed days, e.g. ``DE`` or ``DE-NW``; special days go before them."""


@dataclass(frozen=True)
class Option:
    """Something that can be had with an item, with its surcharge in cents."""

    name: Words
    price_cents: int = 0


@dataclass(frozen=True)
class Item:
    """A dish, or a service with its duration."""

    name: Words
    price_cents: int | None
    description: Words = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    allergens: tuple[str, ...] | None = None
    """Letter codes; empty: free of all 14; None: the business did not say."""
    also: tuple[str, ...] = ()
    """Other names by which callers ask for it."""
    minutes: int | None = None


@dataclass(frozen=True)
class Category:
    """A part of the menu."""

    name: Words
    items: tuple[Item, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Menu:
    """All categories in the order of the file."""

    categories: tuple[Category, ...]
    default_language: str = "de"


@dataclass(frozen=True)
class Capacity:
    """What may be booked by phone."""

    largest_party: int = 12
    seats: int = 40
    """Seats that can be taken at the same moment."""
    table_minutes: int = 120
    last_seating_minutes: int = 60
    """The last guests come this long before closing."""
    horizon_days: int = 180


@dataclass(frozen=True)
class Section:
    """A retrievable piece of what the business wrote, cut at ``##`` or ``###``."""

    page: str
    """Which of the business's pages: ``faq``, ``policies``, ``hours``, ``menu``; translations share it."""
    source: str
    """Human title of where it comes from; never a file name."""
    title: str
    text: str
    language: str
    also: tuple[str, ...] = ()
    """Other words by which it is found."""


def in_language(words: Words, language: str, default: str) -> str:
    """The text in a language, else in the default language, else in any; empty when there is none."""
    return words.get(language) or words.get(default) or next(iter(words.values()), "")
