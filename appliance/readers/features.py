"""What the slot tagger sees of each word: itself, shape, affixes, neighbours, lists, the question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

Gazetteer = Mapping[str, frozenset[str]]
"""Lower-case word -> the lists in which it stands ("first_name", "month", …)."""

SHAPE_LENGTH = 6
ASKED = {"name": ("first_name", "last_name")}
"""A question for the name asks for both halves."""


def shape(word: str) -> str:
    """``Müller`` -> ``Xx``, ``19`` -> ``dd``, ``8pm`` -> ``dx``: runs of letters become one."""
    signs = "".join("d" if c.isdigit() else "X" if c.isupper() else "x" if c.isalpha() else c for c in word)
    return re.sub(r"x+", "x", re.sub(r"X{2,}", "XX", signs))[:SHAPE_LENGTH]


def expand_asked(asked: Sequence[str]) -> tuple[str, ...]:
    """Asked slots as the tagger's slots."""
    return tuple(slot for one in asked for slot in ASKED.get(one, (one,)))


def features(words: Sequence[str], asked: Sequence[str], lists: Gazetteer) -> list[list[str]]:
    """One list of features per word."""
    lower = [word.lower() for word in words]
    shapes = [shape(word) for word in words]
    asks = [f"ask={slot}" for slot in expand_asked(asked)] or ["ask=none"]
    size = "1" if len(words) == 1 else "2" if len(words) == 2 else "5" if len(words) <= 5 else "+"
    return [_word(position, lower, shapes, asks, size, lists) for position in range(len(words))]


def _word(
    at: int, lower: Sequence[str], shapes: Sequence[str], asks: Sequence[str], size: str, lists: Gazetteer
) -> list[str]:
    word = lower[at]
    found = ["bias", f"w={word}", f"s={shapes[at]}", f"n={size}", f"n={size}|s={shapes[at]}"]
    found += [f"p{n}={word[:n]}" for n in (1, 2, 3, 4) if len(word) > n]
    found += [f"x{n}={word[-n:]}" for n in (1, 2, 3, 4) if len(word) > n]
    found += [f"g={name}" for name in lists.get(word, ())]
    found += [
        part for ask in asks for part in (ask, f"{ask}|s={shapes[at]}", f"{ask}|n={size}", f"{ask}|w={word}")
    ]
    found += [f"{ask}|g={name}" for ask in asks for name in lists.get(word, ())]
    for offset in (-4, -3, -2, -1, 1, 2, 3, 4):
        found += _neighbour(at, offset, lower, shapes, lists)
    before = lower[at - 1] if at else "<s>"
    behind = lower[at + 1] if at + 1 < len(lower) else "</s>"
    found += [
        f"b={before}_{word}",
        f"a={word}_{behind}",
        f"c={before}_{behind}",
        f"cs={before}|{shapes[at]}|{behind}",
    ]
    if at > 1:
        found.append(f"bb={lower[at - 2]}_{before}")
    if at + 2 < len(lower):
        found.append(f"aa={behind}_{lower[at + 2]}")
    return found


def _neighbour(
    at: int, offset: int, lower: Sequence[str], shapes: Sequence[str], lists: Gazetteer
) -> list[str]:
    place = at + offset
    if not 0 <= place < len(lower):
        return [f"{offset}end"]
    found = [f"{offset}w={lower[place]}"]
    if abs(offset) <= 2:
        found += [
            f"{offset}s={shapes[place]}",
            *(f"{offset}g={name}" for name in lists.get(lower[place], ())),
        ]
    return found
