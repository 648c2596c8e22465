"""Cuts a text where speech may pause, so that the first clause can be spoken while the rest is made."""

from __future__ import annotations

import re

SHORTEST = 12
"""Characters below which a clause is joined with the next: a lone "Ja," sounds chopped."""

_END = re.compile(
    r"""(?<=[.!?…])["'”“)]*\s+(?=["'„“(]?[A-ZÄÖÜ0-9])   # a sentence's end
    |(?<=[,;:–])\s+(?=\D)                                # a comma that stands before no number
    """,
    re.VERBOSE,
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:z|d|u|Mo|Di|Mi|Do|Fr|Sa|So|Nr|ca|Str|St|Dr|Tel|inkl|e|i|a|p|No|Mr|Mrs)|\d)\.$"
)


def clauses(text: str) -> tuple[str, ...]:
    """The text in pieces; joined by spaces they are the text. Never inside a number or an abbreviation."""
    found: list[str] = []
    for piece in _END.split(" ".join(text.split())):
        if found and (len(found[-1]) < SHORTEST or _ABBREVIATION.search(found[-1])):
            found[-1] = f"{found[-1]} {piece}"
        elif piece:
            found.append(piece)
    if len(found) > 1 and len(found[-1]) < SHORTEST:
        last = found.pop()
        found[-1] = f"{found[-1]} {last}"
    return tuple(found)
