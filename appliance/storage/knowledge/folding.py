"""One spelling for words that people write differently: case, umlauts (ä, ae, a), accents, punctuation."""

from __future__ import annotations

import re
import unicodedata

WORD = re.compile(r"[^\W_]+")
LETTERS = str.maketrans({"ß": "ss", "ı": "i", "ø": "o", "đ": "d", "ł": "l"})


def fold(text: str) -> str:
    """``Döner-Teller``, ``DOENER TELLER`` and ``doner teller`` become the same text."""
    return " ".join(words(text))


def words(text: str) -> list[str]:
    """The words of a text, folded, in order."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(LETTERS))
    bare = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return [re.sub(r"([aou])e", r"\1", word) for word in WORD.findall(bare)]
