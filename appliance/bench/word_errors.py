"""Word error rate: words that are wrong, missing or too many, over the words that were said."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rapidfuzz.distance import Levenshtein


def spoken_words(text: str) -> list[str]:
    """Lower case, no punctuation, ss for ß: what counts as the same word."""
    return re.sub(r"[^\w\s]", " ", text.lower().replace("ß", "ss")).split()


def word_error_rate(pairs: Iterable[tuple[str, str]]) -> float:
    """Over all (said, heard) together; 0 is perfect. 0.0 when nothing was said."""
    errors = words = 0
    for said, heard in pairs:
        expected = spoken_words(said)
        errors += Levenshtein.distance(expected, spoken_words(heard))
        words += len(expected)
    return errors / words if words else 0.0
