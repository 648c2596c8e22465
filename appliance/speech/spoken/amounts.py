"""Prices, percentages and measures as words. Pure."""

from __future__ import annotations

import re

from appliance.speech.spoken.numbers import Numbers
from appliance.speech.spoken.words import DASH, Currency, SpokenWords, either

_MONEY = r"(?:\d{1,3}(?:[.,' ]\d{3})+(?!\d)|\d+)(?:[.,](?:\d{2}(?!\d)|[–—-]+(?!\d)))?"
"""A sum in any country's writing: the last comma or point before two digits is the cents'."""
_CENTS = re.compile(r"^(.*?)(?:[.,](\d{2}|[–—-]+))?$")


class Amounts:
    """Says prices and measures in one language."""

    def __init__(self, words: SpokenWords, numbers: Numbers) -> None:
        self._words = words
        self._numbers = numbers
        self._currencies = {sign: one for one in words.currencies for sign in one.signs}
        sign = either(tuple(self._currencies))
        span = rf"(?:({_MONEY})({DASH}|\s{re.escape(words.numbers.range)}\s))?({_MONEY})"
        self._after = re.compile(rf"(?<![\w.,:]){span}\s?({sign})(?!\w)")
        self._before = re.compile(rf"(?<!\w)({sign})\s?(?:({_MONEY}){DASH}(?:{sign})?\s?)?({_MONEY})(?![\w])")
        number = rf"(?:(?:\d+ )?\d{{1,3}}/\d{{1,3}}|{numbers.pattern})"
        units = either(tuple(words.units))
        self._unit = re.compile(rf"(?<![\w.,:/])([-−])?(?:({number})({DASH}))?({number})\s?({units})(?!\w)")

    def prices(self, text: str) -> str:
        """ "12,50 €", "€12.50", "12–15 Euro"."""
        text = self._before.sub(lambda hit: self._price(hit[2], hit[3], hit[1]), text)
        return self._after.sub(lambda hit: self._price(hit[1], hit[3], hit[4]), text)

    def measures(self, text: str) -> str:
        """ "0,5 l", "20 %", "2–3 kg"."""
        return self._unit.sub(self._measure, text)

    def _price(self, first: str | None, last: str, sign: str) -> str:
        currency = self._currencies[sign]
        said = self._sum(last, currency)
        if first is None:
            return said
        units, cents = _split(first)
        start = self._numbers.cardinal(units) if not cents else self._sum(first, currency)
        return f"{start} {self._words.numbers.range} {said}"

    def _sum(self, written: str, currency: Currency) -> str:
        units, cents = _split(written)
        if units == 0 and cents:
            return currency.cent_one if cents == 1 else f"{self._numbers.cardinal(cents)} {currency.cents}"
        whole = currency.one if units == 1 else f"{self._numbers.cardinal(units)} {currency.many}"
        return self._words.price.format(units=whole, cents=self._numbers.cardinal(cents)) if cents else whole

    def _measure(self, hit: re.Match[str]) -> str:
        sign, first, _, last, symbol = hit.groups()
        unit = self._words.units[symbol]
        minus = f"{self._words.numbers.minus} " if sign else ""
        if first:
            start = self._numbers.value(first)
            return f"{minus}{start} {self._words.numbers.range} {self._numbers.value(last)} {unit.many}"
        return minus + (unit.one if last == "1" else f"{self._numbers.value(last)} {unit.many}")


def _split(written: str) -> tuple[int, int]:
    """Whole units and cents."""
    found = _CENTS.match(written)
    assert found is not None
    whole = re.sub(r"\D", "", found[1])
    return int(whole or 0), int(found[2]) if found[2] and found[2].isdigit() else 0
