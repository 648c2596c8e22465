"""The last look at a reply: every number, time, price, day, name, dish and allergen must be known (R-21)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from num2words import num2words

from appliance.brain.evidence import Known, bare, gather
from appliance.conversation.steps import Evidence

EURO = r"(?:€|Euro\b|EUR\b|euros?\b)"
MONEY = re.compile(rf"€\s?(\d+)(?:[.,](\d{{2}}))?|(\d+)(?:[.,](\d{{2}}))?\s?{EURO}", re.IGNORECASE)
HALF = r"\s?([ap])\.?m\b\.?"
CLOCK = re.compile(
    rf"(?<![\d.,])(\d{{1,2}})[:.](\d{{2}})(?!\d)(?:{HALF})?|\b(\d{{1,2}}){HALF}", re.IGNORECASE
)
PHONE = re.compile(r"(?<!\w)\+?\d(?:[ /-]?\d){6,}(?!\w)")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
WORD = re.compile(r"[^\W\d_]+")
CALLED = re.compile(
    r"\b(?:Herrn?|Frau|Familie|Namen|Mr|Mrs|Ms|name(?: of)?)\.?,? ((?:(?-i:[A-ZÀ-ÞĀ-Ž])[\w'’-]+ ?){1,4})"
)
"""What follows is a person's name."""
LARGEST_WORD = 100
NO_NUMBERS = frozenset({"one", "ein", "eine", "eins"})
"""Number words that mostly are none."""


def unfounded(text: str, language: str, evidence: Evidence) -> tuple[str, ...]:
    """Claims of ``text`` that stand nowhere in the evidence, as they are written; empty when all do."""
    known = gather(evidence)
    found = [
        *_prices_of_dishes(text, known, evidence),
        *_things(text, known, (*evidence.dishes, *evidence.allergens)),
        *_people(text, known),
        *_days(text, known, evidence),
        *_figures(text, known, language),
    ]
    return tuple(dict.fromkeys(found))


def _figures(text: str, known: Known, language: str) -> Iterator[str]:
    """Phone numbers, prices, times and other numbers, each kind taken out of the text before the next."""
    rest = text
    for pattern, is_known in (
        (PHONE, _is_phone),
        (MONEY, _is_price),
        (CLOCK, _is_time),
        (NUMBER, _is_number),
    ):
        for match in pattern.finditer(rest):
            if not is_known(match, known) and not known.holds(match[0].strip()):
                yield match[0].strip()
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)
    for word in WORD.findall(rest):
        value = _number_words(language).get(word.casefold())
        if value is not None and value not in known.numbers and not known.holds(word):
            yield word


def _is_phone(match: re.Match[str], known: Known) -> bool:
    return bare(match[0]) in known.phones


def _is_price(match: re.Match[str], known: Known) -> bool:
    return _cents(match) in known.cents


def _is_time(match: re.Match[str], known: Known) -> bool:
    hour, minute = int(match[1] or match[4]), int(match[2] or 0)
    half = (match[3] or match[5] or "").casefold()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return (hour, minute) in known.clocks


def _is_number(match: re.Match[str], known: Known) -> bool:
    """A count, or a day of the month; a fraction only as it stands in a text."""
    if not match[0].isdigit():
        return False
    value = int(match[0])
    on_the_hour = {hour for hour, minute in known.clocks if minute == 0}
    return (
        value in known.numbers
        or any(value in (day.day, day.year) for day in known.days)
        or value in on_the_hour
    )


def _cents(match: re.Match[str]) -> int:
    whole, part = (match[1], match[2]) if match[1] else (match[3], match[4])
    return int(whole) * 100 + int(part or 0)


def _days(text: str, known: Known, evidence: Evidence) -> Iterator[str]:
    """Names of weekdays and months that no known date has."""
    weekdays = {evidence.weekdays[day.weekday()] for day in known.days if evidence.weekdays}
    months = {evidence.months[day.month - 1] for day in known.days if evidence.months}
    for word in WORD.findall(text):
        is_name = word in evidence.weekdays or word in evidence.months
        if is_name and word not in weekdays | months and not known.holds(word):
            yield word


def _things(text: str, known: Known, things: tuple[str, ...]) -> Iterator[str]:
    """Dishes and allergens that are named; the longest name counts."""
    rest = text.casefold()
    for thing in sorted({one.casefold() for one in things if one}, key=len, reverse=True):
        pattern = re.compile(rf"(?<!\w){re.escape(thing)}(?!\w)")
        if pattern.search(rest):
            rest = pattern.sub(" ", rest)
            if not known.holds(thing):
                yield thing


def _people(text: str, known: Known) -> Iterator[str]:
    for match in CALLED.finditer(text):
        unknown = [word for word in match[1].split() if not known.holds(word.strip(".,"))]
        if unknown:
            yield match[1].strip()


def _prices_of_dishes(text: str, known: Known, evidence: Evidence) -> Iterator[str]:
    """A price right behind a dish must be that dish's own."""
    names = sorted({*known.names, *(one.casefold() for one in evidence.dishes)}, key=len, reverse=True)
    names = [name for name in names if name]
    if not names:
        return
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names))
    matches = list(pattern.finditer(text.casefold()))
    for number, match in enumerate(matches):
        end = matches[number + 1].start() if number + 1 < len(matches) else len(text)
        price = MONEY.search(text, match.end(), end)
        if price and match[0] in known.prices and _cents(price) not in known.prices[match[0]]:
            yield f"{match[0]}: {price[0]}"


@lru_cache(maxsize=8)
def _number_words(language: str) -> dict[str, int]:
    """``zwölf`` -> 12, up to a hundred; empty for a language without such words here."""
    try:
        words = {num2words(value, lang=language).casefold(): value for value in range(2, LARGEST_WORD + 1)}
    except NotImplementedError:
        return {}
    return {word: value for word, value in words.items() if word not in NO_NUMBERS}
