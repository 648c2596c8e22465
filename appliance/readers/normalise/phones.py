"""Phone numbers, spoken or written: digits, pairs, doubles; valid ones in E.164, others as digits so far."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import phonenumbers

from appliance.readers.normalise.found import Found
from appliance.readers.normalise.words import Words
from appliance.readers.normalise.written import fold, write

REGION = "DE"
TRUNK_ZERO = frozenset({"DE", "AT", "CH"})
"""Where a number without its leading zero lacks the area code: it can't be dialled."""
FEWEST = 6
"""Fewer digits than this are no phone number."""
GAP = 3
"""So many words may stand between two groups of one number."""


@dataclass(frozen=True)
class Digits:
    """A run of digits of ``text[start:end]``, with a leading "+" where one was said."""

    digits: str
    start: int
    end: int


def find_digits(text: str, words: Words) -> list[Digits]:
    """All runs of digits in reading order, also those too short for a number ("null eins fünf eins")."""
    runs: list[Digits] = []
    gap = GAP + 1
    for digits, start, end in _pieces(text, words):
        if digits is None:
            gap += 1
        elif digits == "":
            continue
        elif runs and gap == 0 and not digits.startswith("+"):
            runs[-1] = Digits(runs[-1].digits + digits, runs[-1].start, end)
        else:
            runs.append(Digits(digits, start, end))
            gap = 0
    return runs


def find_phones(text: str, words: Words, *, region: str = REGION) -> list[Found]:
    """Numbers that can be dialled, as E.164."""
    found = [(run, e164(run.digits, region)) for run in find_digits(text, words)]
    return [Found(number, run.start, run.end) for run, number in found if number is not None]


def read_phone(text: str, words: Words, *, region: str = REGION) -> Found | None:
    """The last number said that can be dialled, or nothing."""
    phones = find_phones(text, words, region=region)
    return phones[-1] if phones else None


def read_digits(text: str, words: Words) -> str:
    """The longest run of digits said, "" if none: what is there of a number that is not complete."""
    return max((run.digits for run in find_digits(text, words)), key=len, default="")


def e164(digits: str, region: str = REGION) -> str | None:
    """Digits as an E.164 number if it can be dialled, else nothing; abroad its length must fit."""
    if len(digits) < FEWEST or (region in TRUNK_ZERO and digits[0] not in "0+"):
        return None
    international = "+" + digits[2:] if digits.startswith("00") else digits
    try:
        number = phonenumbers.parse(international, region)
    except phonenumbers.NumberParseException:
        return None
    abroad = international.startswith("+") and number.country_code != phonenumbers.country_code_for_region(
        region
    )
    fits = phonenumbers.is_possible_number if abroad else phonenumbers.is_valid_number
    if not fits(number):
        return None
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def _pieces(text: str, words: Words) -> Iterator[tuple[str | None, int, int]]:
    """Each word as the digits that it stands for; "" for one that may stand between, None for others."""
    written = write(text)
    fillers = {fold(word) for word in words.file.phone_fillers}
    table = digit_words(words)
    repeat = 1
    tokens = list(re.finditer(r"\+|\d+|[a-z']+", written.text))
    for token in _joined(tokens, words):
        start, end = written.origin(*token.span)
        count, said = _repeats(token.text, words)
        if count > 1 and not said:
            repeat = count
            continue
        digits = said if said.isdigit() or said == "+" else table.get(said)
        if digits is None and said in words.file.plus:
            digits = "+"
        if digits is None:
            yield ("" if said in fillers else None), start, end
            continue
        yield digits * max(repeat, count), start, end
        repeat = 1


@dataclass(frozen=True)
class _Token:
    text: str
    span: tuple[int, int]


def _joined(tokens: list[re.Match[str]], words: Words) -> Iterator[_Token]:
    """Tokens, with number words of two words ("twenty five") as one."""
    at = 0
    while at < len(tokens):
        if at + 1 < len(tokens):
            pair = f"{tokens[at].group()} {tokens[at + 1].group()}"
            if pair in words.numbers or pair in words.file.repeats:
                yield _Token(pair, (tokens[at].start(), tokens[at + 1].end()))
                at += 2
                continue
        yield _Token(tokens[at].group(), tokens[at].span())
        at += 1


def _repeats(said: str, words: Words) -> tuple[int, str]:
    """ "Doppelnull" is "null" twice; "doppel" alone repeats what follows."""
    for word, count in words.file.repeats.items():
        if said.startswith(fold(word)):
            return count, said.removeprefix(fold(word)).strip()
    return 1, said


def digit_words(words: Words) -> dict[str, str]:
    """Every word that stands for digits in a number, pairs and hundreds included."""
    numbers = {word: str(value) for word, value in words.numbers.items() if value < 1000}
    return numbers | {fold(word): digits for word, digits in words.file.digits.items()}
