"""What is read sign by sign: phone numbers, booking numbers, web and e-mail addresses. Pure."""

from __future__ import annotations

import re

from appliance.speech.spoken.numbers import Numbers
from appliance.speech.spoken.words import NO_BREAK, SpokenWords, either

_PHONE = re.compile(r"(?<![\w.,:])(?:\+|00|\(?0)\d*[\d)](?:[ /–()-]{1,3}\d+)*(?![\w]|[.,:]\d)")
_IDENTIFIER = re.compile(
    r"(?<![\w-])[A-Z]{2,6}(?:-[A-Z0-9]{2,})+(?![\w-])|(?<![\w-])(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z0-9]{4,}(?![\w-])"
)
_ADDRESS = re.compile(
    r"(?<![\w@])(?:https?://)?(?:[\w.+-]+@)?(?:[A-Za-z0-9äöüÄÖÜ][\w-]*\.)+(?:[a-z]{2,})(?:/[\w/.?=&%-]*\w)?/?(?![\w@])"
)
_ONE_WORD = re.compile(r"\.[a-z]{2,}$")
FEWEST_DIGITS = 6
"""Digits below which a number is no phone number."""


class Spelled:
    """Spells in one language."""

    def __init__(self, words: SpokenWords, numbers: Numbers) -> None:
        self._words = words
        self._numbers = numbers
        self._sign = re.compile(either(tuple(words.address)))
        self._postal_code = re.compile(words.numbers.postal_code)
        after = either(words.numbers.digits_after)
        self._called = re.compile(rf"(?<!\w)({after}:?\s+)(\d[\d /-]{{4,}}\d)(?!\w|[.,:]\d)", re.I)

    def phones(self, text: str) -> str:
        """Digits in pairs with a short pause between the pairs."""
        text = _PHONE.sub(lambda hit: self._phone(hit[0]), text)
        return self._called.sub(lambda hit: hit[1] + self._phone(hit[2]), text)

    def postal_codes(self, text: str) -> str:
        """ "24103 Kiel": two digits, then three."""
        return self._postal_code.sub(
            lambda hit: f"{self._numbers.digits(hit[0][:-3])},{NO_BREAK}{self._numbers.digits(hit[0][-3:])}",
            text,
        )

    def identifiers(self, text: str) -> str:
        """ "RES-2F7K": letters and digits one by one."""
        return _IDENTIFIER.sub(lambda hit: self._letters(hit[0]), text)

    def addresses(self, text: str) -> str:
        """ "info@aylem.de", "www.aylem.de"."""
        return _ADDRESS.sub(lambda hit: self._address(hit[0]), text)

    def _phone(self, written: str) -> str:
        groups = re.findall(r"\d+", written)
        if sum(len(group) for group in groups) < FEWEST_DIGITS:
            return written
        pairs = [self._numbers.digits(pair) for group in groups for pair in _pairs(group)]
        lead = f"{self._words.plus} " if written.startswith("+") else ""
        return lead + f",{NO_BREAK}".join(pair.replace(" ", NO_BREAK) for pair in pairs)

    def _letters(self, identifier: str) -> str:
        parts = [self._signs(part) for part in identifier.split("-")]
        return f",{NO_BREAK}".join(parts)

    def _signs(self, part: str) -> str:
        return NO_BREAK.join(self._numbers.digits(sign) if sign.isdigit() else sign for sign in part)

    def _address(self, address: str) -> str:
        bare = re.sub(r"^https?://", "", address).rstrip("/")
        said = re.sub(r"(?<=\.)[a-z]{2}(?=$|/)|^www(?=\.)", lambda hit: " ".join(hit[0]), bare)
        said = re.sub(r"\d+", lambda hit: f" {self._numbers.digits(hit[0])} ", said)
        said = self._sign.sub(lambda hit: f" {self._words.address[hit[0]]} ", said)
        return " ".join(said.split())


def _pairs(group: str) -> list[str]:
    """Two digits each; three at the end of an odd group."""
    pairs = [group[start : start + 2] for start in range(0, len(group), 2)]
    if len(pairs) > 1 and len(pairs[-1]) == 1:
        pairs[-2:] = [pairs[-2] + pairs[-1]]
    return pairs
