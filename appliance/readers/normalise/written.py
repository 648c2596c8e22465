"""An utterance in the form that the rules match: folded, number words as digits, positions remembered."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

GERMAN = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "’": "'", "‘": "'", "`": "'", "–": "-", "—": "-"}


def fold_letter(letter: str) -> str:
    """One letter without case and diacritics; umlauts as two letters; may be empty."""
    lower = letter.lower()
    if lower in GERMAN:
        return GERMAN[lower]
    if len(lower) > 1 or not lower.isascii():
        return "".join(c for c in unicodedata.normalize("NFKD", lower) if not unicodedata.combining(c))
    return lower


def fold(text: str) -> str:
    """The whole text folded, as used for tables and for matching."""
    return "".join(fold_letter(letter) for letter in unicodedata.normalize("NFC", text))


@dataclass(frozen=True)
class Written:
    """Rewritten text; character ``i`` stands for ``original[begins[i]:ends[i]]``."""

    text: str
    begins: tuple[int, ...]
    ends: tuple[int, ...]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original utterance that ``text[start:end]`` came from."""
        if start >= end:
            return 0, 0
        return self.begins[start], self.ends[end - 1]

    def replace(self, pattern: re.Pattern[str], by: dict[str, str] | str) -> Written:
        """Every match replaced: by the table's entry for it, or by as many of one character."""
        out: list[str] = []
        begins: list[int] = []
        ends: list[int] = []
        at = 0
        for match in pattern.finditer(self.text):
            start, end = match.span()
            if start == end:
                continue
            out.append(self.text[at:start])
            begins.extend(self.begins[at:start])
            ends.extend(self.ends[at:start])
            new = by * (end - start) if isinstance(by, str) else by[match.group()]
            out.append(new)
            begins.extend([self.begins[start]] * len(new))
            ends.extend([self.ends[end - 1]] * len(new))
            at = end
        out.append(self.text[at:])
        begins.extend(self.begins[at:])
        ends.extend(self.ends[at:])
        return Written("".join(out), tuple(begins), tuple(ends))


def write(text: str) -> Written:
    """The utterance folded, with the place that each character came from."""
    out: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        folded = fold_letter(letter)
        out.append(folded)
        places.extend([place] * len(folded))
    return Written("".join(out), tuple(places), tuple(p + 1 for p in places))
