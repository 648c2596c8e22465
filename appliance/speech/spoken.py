"""Written text to spoken words: times, dates, prices, phone numbers, abbreviations (R-31). Pure.

The rules are the same for all languages; their words are data in ``knowledge/spoken/<language>.yaml``.
A language without such a file is passed on as it is: its voice reads numbers in its own way.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Literal

import yaml
from num2words import num2words
from pydantic import ValidationError

from appliance.config import CHECKOUT, Strict
from appliance.errors import ConfigError

FOLDER = CHECKOUT / "knowledge" / "spoken"


class SpokenWords(Strict):
    """One language's words; the meaning of each stands in the YAML file beside its value."""

    number_language: str
    one: str
    ordinal_ending: str
    months: tuple[str, ...]
    month_short: tuple[str, ...]
    weekdays: tuple[str, ...]
    weekday_short: tuple[str, ...]
    clock: Literal[12, 24]
    hour: str
    hour_minute: str
    hour_word: str
    halves: tuple[str, ...] = ()
    zero_minute: str = "{minute}"
    range: str
    date: str
    date_after_weekday: str
    day_first: bool
    price: str
    price_units: str
    price_one: str
    price_cents: str
    percent: str
    decimal_mark: str
    decimal: str
    group_mark: str
    plus: str
    at: str
    dot: str
    dash: str
    ordinal_after: tuple[str, ...]
    abbreviations: dict[str, str]


@lru_cache(maxsize=16)
def load_spoken_words(language: str, folder: Path = FOLDER) -> SpokenWords | None:
    """A language's words, or None when it has no file. Raises ConfigError."""
    path = folder / f"{language}.yaml"
    if not re.fullmatch(r"[a-z]{2,3}", language) or not path.is_file():
        return None
    try:
        return SpokenWords.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, ValidationError) as cause:
        raise ConfigError(f"{path} is wrong: {cause}") from cause


def spoken(text: str, language: str) -> str:
    """What a voice should read for ``text``."""
    plain = " ".join(re.sub(r"[*_#`|]+", " ", text).split())
    speller = _speller(language)
    return speller.spell(plain) if speller is not None else plain


@lru_cache(maxsize=16)
def _speller(language: str) -> _Speller | None:
    words = load_spoken_words(language)
    return _Speller(words) if words is not None else None


PHONE = re.compile(r"(?<![\w,.])\+?\d[\d /()-]{6,}\d(?![\w,.]*\d)")
IDENTIFIER = re.compile(r"\b[A-Z]{2,}-[A-Z0-9]{4,}\b")
ADDRESS = re.compile(r"\b(?:https?://)?(?:[\w.-]+@)?(?:[\w-]+\.)+[a-z]{2,}\b(?:/[\w/-]*)?")
CLOCK = re.compile(
    r"\b(\d{1,2})[:.](\d{2})(?:\s*(?:Uhr))?(?:\s*[–-]\s*(\d{1,2})[:.](\d{2}))?(?:\s*Uhr\b)?(?!\s*(?:€|EUR|\d))"
)
PRICE = re.compile(r"(?:€\s*(\d+)(?:[.,](\d{2}))?)|(?:\b(\d+)(?:[.,](\d{2}))?\s*(?:€|EUR\b|Euro\b))")
ISO_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
DOTTED_DATE = re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})?(?!\d)")
PERCENT = re.compile(r"\b(\d+(?:[.,]\d+)?)\s*%")
NUMBER = re.compile(r"(?<![\w])\d[\d.,]*\d|(?<![\w])\d")
SPAN = re.compile(r"(?<=\d)\s?[–-]\s?(?=\d)")


class _Speller:
    """Applies the rules of one language, the most specific first."""

    def __init__(self, words: SpokenWords) -> None:
        self._words = words
        months = "|".join([*words.months, *(f"{short}\\.?" for short in words.month_short)])
        days = "|".join(words.weekdays)
        self._day_month = re.compile(
            rf"(?:\b({days}),?\s+(?:den |dem |the )?)?\b(\d{{1,2}})(?:\.|st|nd|rd|th)?\s+(?:of )?"
            rf"({months})\b(?:\s+(\d{{4}})\b)?"
        )
        self._month_day = re.compile(rf"\b({months})\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)")
        self._ordinal = re.compile(
            rf"\b({'|'.join(words.ordinal_after)})\s+(\d{{1,3}})\.(?=\s)" if words.ordinal_after else r"(?!)",
            re.IGNORECASE,
        )
        shorts = sorted(words.abbreviations, key=len, reverse=True)
        self._short = re.compile(
            "|".join(
                rf"(?<![\w]){re.escape(one)}(?![\w])"
                if one[0].isalpha() and one != "str."
                else re.escape(one)
                for one in shorts
            )
        )
        week = "|".join(words.weekday_short)
        self._week_range = re.compile(rf"\b({week})\.?\s?[–-]\s?({week})\b\.?")
        self._week_day = re.compile(rf"\b({week})\.?(?=:?\s+\d|:)")

    def spell(self, text: str) -> str:
        """All rules in order; each leaves words where digits were."""
        text = self._week_range.sub(self._weekday_range, text)
        text = self._week_day.sub(lambda hit: self._weekday(hit[1]), text)
        text = self._short.sub(lambda hit: self._words.abbreviations[hit[0]], text)
        text = IDENTIFIER.sub(lambda hit: self._letters(hit[0]), text)
        text = ADDRESS.sub(lambda hit: self._address(hit[0]), text)
        text = ISO_DATE.sub(lambda hit: self._date(int(hit[3]), int(hit[2]), hit[1]), text)
        text = DOTTED_DATE.sub(self._dotted, text)
        text = PRICE.sub(self._price, text)
        text = CLOCK.sub(self._clock, text)
        text = self._day_month.sub(self._written_date, text)
        text = self._month_day.sub(lambda hit: self._date(int(hit[2]), self._month(hit[1]), None), text)
        text = PHONE.sub(lambda hit: self.phone(hit[0]), text)
        text = PERCENT.sub(lambda hit: self._words.percent.format(number=self._number(hit[1], True)), text)
        text = self._ordinal.sub(lambda hit: f"{hit[1]} {self._nth(int(hit[2]))}", text)
        text = self._hours(text)
        text = SPAN.sub(f" {self._range_word()} ", text)
        return " ".join(NUMBER.sub(lambda hit: self._number(hit[0], False), text).split())

    def phone(self, number: str) -> str:
        """Digits in pairs with a pause between; after + the country's two first."""
        digits = re.sub(r"\D", "", number)
        said = [num2words(int(digit), lang=self._words.number_language) for digit in digits]
        pairs = [" ".join(said[start : start + 2]) for start in range(0, len(said), 2)]
        if len(pairs) > 1 and len(said) % 2:
            pairs[-2:] = [f"{pairs[-2]} {pairs[-1]}"]
        lead = f"{self._words.plus} " if number.startswith("+") else ""
        return lead + ", ".join(pairs)

    def _cardinal(self, value: int, before_noun: bool = False) -> str:
        if value == 1 and before_noun:
            return self._words.one
        return str(num2words(value, lang=self._words.number_language)).replace("-", " ")

    def _nth(self, value: int) -> str:
        return str(num2words(value, to="ordinal", lang=self._words.number_language)) + (
            self._words.ordinal_ending
        )

    def _number(self, written: str, before_noun: bool) -> str:
        words = self._words
        grouped = rf"\d{{1,3}}(?:{re.escape(words.group_mark)}\d{{3}})+"
        if re.fullmatch(grouped, written):
            return self._cardinal(int(written.replace(words.group_mark, "")), before_noun)
        whole, mark, rest = written.partition(words.decimal_mark)
        if mark and whole.isdigit() and rest.isdigit():
            digits = " ".join(self._cardinal(int(digit)) for digit in rest)
            return words.decimal.format(whole=self._cardinal(int(whole)), digits=digits)
        if not written.isdigit():
            return " ".join(self._number(part, False) for part in re.split(r"[.,]", written) if part)
        if len(written) > 1 and written.startswith("0"):
            return " ".join(self._cardinal(int(digit)) for digit in written)
        if len(written) == 4 and 1100 <= int(written) <= 2099:
            return str(num2words(int(written), to="year", lang=words.number_language)).replace("-", " ")
        return self._cardinal(int(written), before_noun)

    def _time(self, hour: int, minute: int, with_half: bool = True) -> str:
        words = self._words
        if words.clock == 24:
            if minute == 0:
                return words.hour.format(hour=self._cardinal(hour, True))
            return words.hour_minute.format(hour=self._cardinal(hour, True), minute=self._cardinal(minute))
        half = words.halves[hour >= 12] if with_half else ""
        said = self._cardinal((hour - 1) % 12 + 1)
        if minute == 0:
            return words.hour.format(hour=said, half=half).strip()
        small = self._cardinal(minute)
        small = words.zero_minute.format(minute=small) if minute < 10 else small
        return words.hour_minute.format(hour=said, minute=small, half=half).strip()

    def _clock(self, hit: re.Match[str]) -> str:
        hour, minute = int(hit[1]), int(hit[2])
        if hour > 24 or minute > 59:
            return hit[0]
        start = self._time(hour, minute)
        if hit[3] is None:
            return start + self._tail(hit[0])
        if self._words.clock == 24 and minute == 0:
            start = self._cardinal(hour, True)
        return self._words.range.format(start=start, end=self._time(int(hit[3]), int(hit[4])))

    def _tail(self, matched: str) -> str:
        return " " if matched.endswith(" ") else ""

    def _hours(self, text: str) -> str:
        """Hours without minutes: "19 Uhr", "11–14 Uhr"."""
        word = self._words.hour_word
        if not word:
            return text
        text = re.sub(
            rf"\b(\d{{1,2}})\s?[–-]\s?(\d{{1,2}})\s+{word}\b",
            lambda hit: self._words.range.format(
                start=self._cardinal(int(hit[1]), True), end=self._time(int(hit[2]), 0)
            ),
            text,
        )
        return re.sub(rf"\b(\d{{1,2}})\s+{word}\b", lambda hit: self._time(int(hit[1]), 0), text)

    def _price(self, hit: re.Match[str]) -> str:
        units, cents = int(hit[1] or hit[3]), int(hit[2] or hit[4] or 0)
        words = self._words
        if cents == 0:
            form = words.price_one if units == 1 else words.price_units
            return form.format(units=self._cardinal(units, True))
        if units == 0:
            return words.price_cents.format(cents=self._cardinal(cents, True))
        return words.price.format(units=self._cardinal(units, True), cents=self._cardinal(cents))

    def _date(self, day: int, month: int, year: str | None, weekday: str | None = None) -> str:
        words = self._words
        if not (1 <= day <= 31 and 1 <= month <= 12):
            return f"{day}.{month}."
        form = words.date_after_weekday if weekday else words.date
        said = form.format(day=self._nth(day), month=words.months[month - 1])
        lead = f"{weekday}, " if weekday else ""
        return lead + said + (f" {self._number(year, False)}" if year else "")

    def _dotted(self, hit: re.Match[str]) -> str:
        year = hit[3] if hit[3] is None or len(hit[3]) == 4 else f"20{hit[3]}"
        return self._date(int(hit[1]), int(hit[2]), year)

    def _written_date(self, hit: re.Match[str]) -> str:
        return self._date(int(hit[2]), self._month(hit[3]), hit[4], hit[1])

    def _month(self, name: str) -> int:
        if name in self._words.months:
            return self._words.months.index(name) + 1
        return self._words.month_short.index(name.rstrip(".")) + 1

    def _weekday(self, short: str) -> str:
        return self._words.weekdays[self._words.weekday_short.index(short)]

    def _weekday_range(self, hit: re.Match[str]) -> str:
        return self._words.range.format(start=self._weekday(hit[1]), end=self._weekday(hit[2]))

    def _range_word(self) -> str:
        return self._words.range.replace("{start}", "").replace("{end}", "").strip()

    def _letters(self, identifier: str) -> str:
        parts = [" ".join(part) for part in identifier.split("-")]
        return ", ".join(parts)

    def _address(self, address: str) -> str:
        bare = re.sub(r"^https?://", "", address)
        bare = bare.replace("@", f" {self._words.at} ").replace("-", f" {self._words.dash} ")
        return bare.replace(".", f" {self._words.dot} ").replace("/", " ")
