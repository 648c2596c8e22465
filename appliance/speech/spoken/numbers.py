"""Cardinals, ordinals, decimals, fractions, ranges and years as words. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from num2words import num2words

from appliance.speech.spoken.words import DASH, SpokenWords, either, word_before

LONGEST_CARDINAL = 18
"""Digits beyond which a number is read digit by digit."""
YEARS = range(1900, 2100)
"""Four digits that are said as a year when nothing else is known of them."""


@lru_cache(maxsize=4096)
def _words(value: int, form: str, language: str) -> str:
    said = str(num2words(value, to=form, lang=language))
    return said.replace("-", " ").replace(",", "") if language == "en" else said


class Numbers:
    """Says numbers in one language."""

    def __init__(self, words: SpokenWords) -> None:
        self._words = words
        self._language = words.number_language
        numbers, ordinals = words.numbers, words.ordinals
        signs = either(ordinals.signs)
        self._ordinal = re.compile(rf"(?<![\w.,:])(\d{{1,12}})({signs})(?=\s|$|[,;:!?)/–-]|\.)")
        joints = either(ordinals.joints)
        self._series = re.compile(rf"(?:(?<!\w)\d{{1,3}}{signs}(?:\s?,\s|\s+{joints}\s+))+$")
        self._certain = {word: word for word in ordinals.certain}
        mark, group = re.escape(numbers.decimal_mark), re.escape(numbers.group_mark)
        number = rf"\d{{1,3}}(?:{group}\d{{3}})+(?!\d)(?:{mark}\d+)?|\d+(?:{mark}\d+)?"
        self.pattern = rf"(?:{number})"
        """Regular expression of a number as this language writes it, without sign and group."""
        self._number = re.compile(rf"(?<![\w])([-−])?({number})|\d+|(?<=\d)\.(?=\d)")
        self._span = re.compile(rf"(?<=\d){DASH}(?=\d)")
        self._fraction = re.compile(r"(?<![\d/.,])(?:(\d+) )?(\d{1,3})/(\d{1,3})(?![\d/]|[.,]\d)")
        self._times = re.compile(r"(?<![\w.,])(\d+)\s?[x×](?=\s|$|[,.;:!?)])")
        self._year = re.compile(rf"\b({either(numbers.year_after)}\s+)(1[1-9]\d\d|20\d\d)\b(?![.,:]\d)", re.I)
        called = either((*numbers.digits_after, *numbers.emergency_after))
        self._emergency = re.compile(rf"\b({called}\s+)({either(numbers.emergency)})\b(?![.,:]\d)", re.I)

    def cardinal(self, value: int, before_noun: bool = False) -> str:
        """``before_noun``: "ein" instead of "eins"."""
        if value == 1 and before_noun:
            return self._words.numbers.one
        return _words(value, "cardinal", self._language)

    def ordinal(self, value: int, ending: str | None = None) -> str:
        """``ending``: what case and gender add; by default that of a word that stands alone."""
        ordinals = self._words.ordinals
        return _words(value, "ordinal", self._language) + (ordinals.ending if ending is None else ending)

    def year(self, value: int) -> str:
        return _words(value, "year", self._language)

    def digits(self, written: str) -> str:
        """Digit by digit."""
        return " ".join(self.cardinal(int(digit)) for digit in written)

    def value(self, written: str, before_noun: bool = False) -> str:
        """A number as it is written in this language."""
        if "/" in written:
            return self.fractions(written)
        numbers = self._words.numbers
        whole, mark, rest = written.partition(numbers.decimal_mark)
        whole = whole.replace(numbers.group_mark, "")
        if mark:
            return numbers.decimal.format(whole=self.cardinal(int(whole)), digits=self.digits(rest))
        if (len(whole) > 1 and whole.startswith("0")) or len(whole) > LONGEST_CARDINAL:
            return self.digits(whole)
        return self.cardinal(int(whole), before_noun)

    def ordinals(self, text: str) -> str:
        """ "5.", "5th"; a number at a sentence's end is none, unless the word before asks for one."""
        return self._ordinal.sub(lambda hit: self._one_ordinal(hit), text)

    def _one_ordinal(self, hit: re.Match[str]) -> str:
        ordinals = self._words.ordinals
        ending = self.ending(hit.string[: hit.start()])
        rest = hit.string[hit.end() :]
        if ordinals.only_after and not self._is_ordinal(hit.string[: hit.start()], rest, ending is not None):
            return hit[0]
        return self.ordinal(int(hit[1]), ending) + ("." if ordinals.only_after and not rest.strip() else "")

    def ending(self, before: str, more: Mapping[str, str] | None = None) -> str | None:
        """The ending that the words before an ordinal ask for; "am 25. und 26.": one ending for both."""
        known = {**self._words.ordinals.endings, **(more or {})}
        before = self.before_series(before)
        return word_before(before, len(before), known)

    def before_series(self, before: str) -> str:
        """The text before an ordinal, without the ordinals that are joined with it."""
        return self._series.sub("", before)

    def _is_ordinal(self, before: str, rest: str, asked: bool) -> bool:
        """Whether a number with a full stop is an ordinal and not the end of a sentence."""
        alone = not before.strip()
        if not rest.strip():
            return alone or word_before(before, len(before), self._certain) is not None
        following = rest.lstrip()[0]
        return rest[0].isspace() and following.isalpha() and (asked or alone or following.islower())

    def fractions(self, text: str) -> str:
        """ "1/2", "1 1/2"."""
        return self._fraction.sub(self._one_fraction, text)

    def _one_fraction(self, hit: re.Match[str]) -> str:
        numbers = self._words.numbers
        count, parts = int(hit[2]), int(hit[3])
        if parts < 2 or parts > 100 or (count == 24 and parts == 7):
            return hit[0]
        if (count, parts) == (1, 2) and hit[1]:
            return numbers.and_half.format(whole=self.cardinal(int(hit[1]), True))
        if parts == 2:
            said = (numbers.half if count == 1 else numbers.halves).format(count=self.cardinal(count))
        else:
            form = numbers.fraction if count == 1 else numbers.fractions
            part = self.ordinal(parts, numbers.fraction_ending)
            said = form.format(count=self.cardinal(count, True), part=part)
        return (
            numbers.and_fraction.format(whole=self.cardinal(int(hit[1]), True), part=said) if hit[1] else said
        )

    def rest(self, text: str) -> str:
        """Everything that still has digits: years, emergency numbers, "2x", ranges, plain numbers."""
        numbers = self._words.numbers
        text = self._year.sub(lambda hit: hit[1] + self.year(int(hit[2])), text)
        text = self._emergency.sub(lambda hit: hit[1] + self.digits(hit[2]), text)
        text = self._times.sub(
            lambda hit: numbers.times.format(number=self.cardinal(int(hit[1]), True)), text
        )
        text = self._span.sub(f" {numbers.range} ", text)
        return self._number.sub(self._one_number, text)

    def _one_number(self, hit: re.Match[str]) -> str:
        sign, written = hit[1], hit[2] or hit[0]
        if written == ".":
            return f" {self._words.address['.']} "
        if written.isdigit() and len(written) == 4 and int(written) in YEARS:
            said = self.year(int(written))
        else:
            said = self.value(written)
        before = " " if hit.start() and hit.string[hit.start() - 1].isalnum() else ""
        after = " " if hit.string[hit.end() : hit.end() + 1].isalpha() else ""
        return f"{before}{self._words.numbers.minus + ' ' if sign else ''}{said}{after}"
