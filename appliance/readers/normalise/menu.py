"""Dishes, categories and allergens of the tenant's own lists in an utterance, with spellings forgiven."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rapidfuzz import fuzz

from appliance.readers.normalise.found import Ambiguous, Found, Hit, longest_first
from appliance.readers.normalise.words import Words
from appliance.readers.normalise.written import Written, fold, write

SHORTEST = 4
"""Folded letters that a word needs to be alike and not the same."""
ALIKE = 88.0
"""Similarity in per cent from which two spellings are one word; measured on the restaurant's menu."""
TELLING = 5
"""A single word of an entry's name can stand for it from so many letters on."""


def find_entries(text: str, entries: Iterable[str]) -> list[Hit]:
    """Entries of a list named in the text; a word that several entries share is ambiguous."""
    written = write(text)
    windows = list(_windows(written))
    hits: list[Hit] = []
    names = {entry: _joined(fold(entry)) for entry in entries}
    for entry, name in names.items():
        hits += [Found(entry, start, end) for said, start, end in windows if _alike(said, name)]
    whole = [(h.start, h.end) for h in hits]
    for said, start, end in (w for w in windows if " " not in written.text[w[1] : w[2]]):
        if any(a <= start and end <= b for a, b in whole) or len(said) < TELLING:
            continue
        sharing = [entry for entry in names if any(_alike(said, word) for word in _words(entry))]
        if len(sharing) == 1:
            hits.append(Found(sharing[0], start, end))
        elif sharing:
            hits.append(Ambiguous(tuple(sharing), start, end))
    return [_at(hit, written) for hit in longest_first(hits)]


def find_allergens(text: str, words: Words) -> list[Hit]:
    """The fourteen allergens of EU regulation 1169/2011, Annex II, by code (``milk``), in reading order."""
    return find_known(text, words.file.allergens)


def find_known(text: str, table: Mapping[str, Sequence[str]]) -> list[Hit]:
    """Codes whose words stand in the text, also grown together ("Nussallergie", "glutenfrei")."""
    written = write(text)
    hits: list[Hit] = []
    for code, said in table.items():
        for word in map(fold, said):
            free = r"(?:frei|haltig|allergie|allergiker|unvertraeglichkeit|intoleranz|-?free)?\w{0,2}"
            pattern = rf"(?<!\w){re.escape(word)}{free if len(word) > 3 else ''}(?!\w)"
            hits += [Found(code, *m.span()) for m in re.finditer(pattern, written.text)]
    return [_at(hit, written) for hit in longest_first(hits)]


def _at(hit: Hit, written: Written) -> Hit:
    start, end = written.origin(hit.start, hit.end)
    if isinstance(hit, Found):
        return Found(hit.value, start, end)
    return Ambiguous(hit.candidates, start, end)


def _windows(written: Written, most: int = 5) -> Iterator[tuple[str, int, int]]:
    """Every run of up to ``most`` words, joined, with its place."""
    tokens = [m.span() for m in re.finditer(r"\w+", written.text)]
    for first in range(len(tokens)):
        for last in range(first, min(first + most, len(tokens))):
            start, end = tokens[first][0], tokens[last][1]
            yield _joined(written.text[start:end]), start, end


def _joined(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name)


def _words(entry: str) -> list[str]:
    return [word for word in re.findall(r"[a-z]+", fold(entry)) if len(word) >= TELLING]


def _alike(said: str, name: str) -> bool:
    """The same word, give or take an ending or a letter."""
    if not name or abs(len(said) - len(name)) > 3:
        return False
    if said == name:
        return True
    return len(name) >= SHORTEST and fuzz.ratio(said, name, score_cutoff=ALIKE) > 0
