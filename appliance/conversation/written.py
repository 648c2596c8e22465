"""How a language writes values: dates, times, money, phone numbers, counts and lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, time
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

E164 = re.compile(r"\+\d{6,15}")
COUNTRY = "49"
"""Numbers of this country are written without its code."""


class Count(BaseModel):
    """``1 Person``, ``4 Personen``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    one: str
    other: str


class Formats(BaseModel):
    """The part of a phrase file that says how values are written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    weekdays: tuple[str, ...] = Field(min_length=7, max_length=7)
    """Monday first."""
    months: tuple[str, ...] = Field(min_length=12, max_length=12)
    date: str
    time: str
    morning: str = ""
    """Mark of the hours before noon; empty where the clock has 24 hours."""
    afternoon: str = ""
    range: str
    money: str
    priced: str
    unpriced: str
    and_joint: str
    or_joint: str
    counts: Mapping[str, Count]


def writers(formats: Formats) -> dict[str, Callable[[Any], str]]:
    """How a value of each kind is written. Kinds: text, number, date, time, money, phone, ranges, list,
    choice, dates, times, phones, priced, and the names of the counts. Dates and times may be ISO strings."""
    plain: dict[str, Callable[[Any], str]] = {
        "text": str,
        "number": lambda value: str(int(value)),
        "date": lambda value: _date(formats, value),
        "time": lambda value: _time(formats, value),
        "money": lambda cents: formats.money.format(whole=cents // 100, cents=f"{cents % 100:02}"),
        "phone": phone_in_groups,
        "ranges": lambda ranges: _ranges(formats, ranges),
        "list": lambda parts: joined([str(one) for one in parts], formats.and_joint),
        "choice": lambda parts: joined([str(one) for one in parts], formats.or_joint),
        "dates": lambda parts: joined([_date(formats, one) for one in parts], formats.or_joint),
        "phones": lambda parts: joined([phone_in_groups(one) for one in parts], formats.or_joint),
        "times": lambda parts: joined([_time(formats, one) for one in parts], formats.or_joint),
        "priced": lambda items: joined([_priced(formats, one) for one in items], formats.and_joint),
    }
    counts = {kind: _counter(count) for kind, count in formats.counts.items()}
    return {**plain, **counts}


def joined(parts: Sequence[str], joint: str) -> str:
    """``a, b und c``"""
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + joint + parts[-1]


def phone_in_groups(value: str) -> str:
    """``+4915123456789`` -> ``0151 2345 6789``; numbers abroad keep their country code."""
    number = re.sub(r"[^\d+]", "", value)
    if not E164.fullmatch(number):
        return value
    if number.startswith(f"+{COUNTRY}"):
        national = "0" + number[len(COUNTRY) + 1 :]
        return f"{national[:4]} {_grouped(national[4:])}"
    return f"{number[:3]} {_grouped(number[3:])}"


def _grouped(digits: str) -> str:
    """In groups of four, of which the last may have two to five digits."""
    groups = []
    while len(digits) > 5:
        groups.append(digits[:4])
        digits = digits[4:]
    return " ".join([*groups, digits])


def _date(formats: Formats, value: date | str) -> str:
    day = date.fromisoformat(value) if isinstance(value, str) else value
    return formats.date.format(
        weekday=formats.weekdays[day.weekday()], day=day.day, month=formats.months[day.month - 1]
    )


def _time(formats: Formats, value: time | str) -> str:
    return formats.time.format(time=_digits(formats, value))


def _digits(formats: Formats, value: time | str) -> str:
    at = time.fromisoformat(value) if isinstance(value, str) else value
    if not formats.morning:
        return f"{at:%H:%M}"
    half = formats.morning if at.hour < 12 else formats.afternoon
    return f"{at.hour % 12 or 12}:{at:%M} {half}"


def _ranges(formats: Formats, ranges: Sequence[Sequence[str]]) -> str:
    shown = [
        formats.range.format(opens=_digits(formats, opens), closes=_digits(formats, closes))
        for opens, closes in ranges
    ]
    return joined(shown, formats.and_joint)


def _priced(formats: Formats, item: Mapping[str, Any]) -> str:
    cents = item.get("price_cents")
    if cents is None:
        return formats.unpriced.format(name=item["name"])
    money = formats.money.format(whole=cents // 100, cents=f"{cents % 100:02}")
    return formats.priced.format(name=item["name"], price=money)


def _counter(count: Count) -> Callable[[Any], str]:
    return lambda value: (count.one if int(value) == 1 else count.other).format(n=int(value))
