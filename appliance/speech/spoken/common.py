"""The order of the rules: the most specific first; each leaves words where signs were. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from appliance.speech.spoken.amounts import Amounts
from appliance.speech.spoken.dates import Dates
from appliance.speech.spoken.numbers import Numbers
from appliance.speech.spoken.plain import plain, tidy
from appliance.speech.spoken.spelled import Spelled
from appliance.speech.spoken.times import Times
from appliance.speech.spoken.words import ClockStyle, SpokenWords, either, load_spoken_words


def spoken(text: str, language: str, style: ClockStyle = ClockStyle.EXACT) -> str:
    """What a voice should read for ``text``; saying it again changes nothing.

    A language without a file of words keeps its digits: its voice reads them in its own way. Where a
    pause must not become a gap, e.g. in a phone number, the space is ``NO_BREAK``. Raises ConfigError.
    """
    speller = _speller(language, style)
    return tidy(speller.spell(plain(text)) if speller is not None else plain(text))


@lru_cache(maxsize=16)
def _speller(language: str, style: ClockStyle) -> Speller | None:
    words = load_spoken_words(language)
    return Speller(words, style) if words is not None else None


class Speller:
    """Applies the rules of one language."""

    def __init__(self, words: SpokenWords, style: ClockStyle) -> None:
        numbers = Numbers(words)
        spelled = Spelled(words, numbers)
        dates = Dates(words, numbers)
        amounts = Amounts(words, numbers)
        self._abbreviations = words.abbreviations
        self._symbols = words.symbols
        self._short = re.compile(rf"(?<!\w){either(tuple(words.abbreviations))}(?:(?<=\.)(?=\d)|(?!\w))")
        self._ending = re.compile(rf"(?<=\w){either(tuple(_endings(words)))}(?!\w)")
        self._symbol = re.compile(either(tuple(words.symbols)))
        self._rules = (
            spelled.addresses,
            spelled.identifiers,
            dates.weekdays,
            dates.dates,
            spelled.phones,
            spelled.postal_codes,
            amounts.prices,
            Times(words, numbers, style).times,
            amounts.measures,
            numbers.fractions,
            self._expand,
            numbers.ordinals,
            numbers.rest,
            self._say_symbols,
        )

    def spell(self, text: str) -> str:
        """The text with all rules applied in order."""
        for rule in self._rules:
            text = rule(text)
        return text

    def _expand(self, text: str) -> str:
        """Abbreviations; one that ends the text leaves its full stop."""
        text = self._ending.sub(lambda hit: self._abbreviations[f"-{hit[0]}"], text)
        return self._short.sub(self._expanded, text)

    def _expanded(self, hit: re.Match[str]) -> str:
        rest = hit.string[hit.end() :]
        stop = "." if hit[0].endswith(".") and not rest.strip() else " " if rest[:1].isdigit() else ""
        return self._abbreviations[hit[0]] + stop

    def _say_symbols(self, text: str) -> str:
        return self._symbol.sub(lambda hit: f" {self._symbols[hit[0]]} ", text)


def _endings(words: SpokenWords) -> list[str]:
    """Abbreviations of the last part of a word, written with a hyphen in front: ``-str.``."""
    return [short[1:] for short in words.abbreviations if short.startswith("-")]
