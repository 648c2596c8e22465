"""What may be said in a call, gathered from its tool results, slots and fixed texts, by kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any

from appliance.conversation.steps import Evidence

ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
ISO_TIME = re.compile(r"\d{2}:\d{2}")
PHONE = re.compile(r"\+?\d[\d /()-]{5,}")
HOME = "49"
"""Country code that is left out at home."""


@dataclass
class Known:
    """What may be claimed."""

    numbers: set[int] = field(default_factory=set)
    cents: set[int] = field(default_factory=set)
    clocks: set[tuple[int, int]] = field(default_factory=set)
    days: set[date] = field(default_factory=set)
    phones: set[str] = field(default_factory=set)
    """Digits as :func:`bare` leaves them."""
    prices: dict[str, set[int]] = field(default_factory=dict)
    """Cents by folded name: what an item or one of its options may cost."""
    names: set[str] = field(default_factory=set)
    """Folded names of items in results."""
    texts: list[str] = field(default_factory=list)
    """Folded."""

    def holds(self, words: str) -> bool:
        """Whether the words stand somewhere as they are, not inside other words or numbers."""
        pattern = re.compile(rf"(?<![\w]){re.escape(words.casefold())}(?![\w])")
        return any(pattern.search(text) for text in self.texts)


def gather(evidence: Evidence) -> Known:
    """Sort the evidence."""
    known = Known()
    for result in evidence.results:
        _take(known, result.data)
    for value in evidence.values:
        _take(known, value)
    known.texts += [text.casefold() for text in evidence.fixed]
    return known


def bare(number: str) -> str:
    """A phone number's digits without zeros, country code and marks, so that spellings compare."""
    digits = re.sub(r"\D", "", number)
    digits = digits.removeprefix("00") if digits.startswith("00") else digits
    if digits.startswith(HOME) and (number.strip().startswith(("+", "00"))):
        digits = digits[len(HOME) :]
    return digits.lstrip("0")


def _take(known: Known, value: Any, key: str = "") -> None:
    if isinstance(value, Mapping):
        if isinstance(name := value.get("name"), str):
            known.names.add(name.casefold())
            known.prices.setdefault(name.casefold(), set()).update(_sums(value))
            known.cents.update(_sums(value))
        for inner_key, inner in value.items():
            _take(known, inner, str(inner_key))
    elif isinstance(value, list | tuple):
        for inner in value:
            _take(known, inner, key)
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int):
        (known.cents if key.endswith("cents") else known.numbers).add(value)
    elif isinstance(value, date):
        known.days.add(value)
    elif isinstance(value, time):
        known.clocks.add((value.hour, value.minute))
    elif isinstance(value, str):
        _take_text(known, value)


def _take_text(known: Known, value: str) -> None:
    known.texts.append(value.casefold())
    if ISO_DATE.fullmatch(value):
        known.days.add(date.fromisoformat(value))
    elif ISO_TIME.fullmatch(value):
        known.clocks.add((int(value[:2]), int(value[3:])))
    elif PHONE.fullmatch(value):
        known.phones.add(bare(value))


def _sums(item: Mapping[str, Any]) -> Iterator[int]:
    """The price, and the price with one option."""
    cents = item.get("price_cents")
    if isinstance(cents, int):
        yield cents
        for option in item.get("options") or ():
            if isinstance(extra := option.get("price_cents"), int):
                yield cents + extra
