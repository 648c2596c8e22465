"""Cuts a text where speech may pause, so that the first clause can be spoken while the rest is made. Pure."""

from __future__ import annotations

import re

SHORTEST = 12
"""Characters below which a clause goes with its neighbour: a lone "Ja," sounds chopped."""
SHORTEST_SENTENCE = 6
"""The same of a whole sentence, which may be short: "Ja, gern." is heard while the rest is made."""
AFTER_COMMA = 36
"""Characters that a clause must have before a comma may end it: lists stay in one breath."""
LONGEST = 220
"""Characters after which a clause without a pause is cut between two words, for the first sound's sake."""

_GAP = re.compile(r"(?<=[.!?…;:,–。،؟])[\"'”“»)]*[ \t\n]+")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:\w|\d+|\w{1,3}\.\w{1,3}|[A-ZÄÖÜ]\w{1,2}|\w+str|inkl|bzw|usw|ca|zzgl|evtl|approx|incl|etc)\.$"
)
_DIGIT = re.compile(r"\d")


def clauses(text: str) -> tuple[str, ...]:
    """The text in pieces; joined by spaces they are the text.

    Cut after a sentence, and after a comma, colon or dash when enough stands before it; never between
    numbers ("1, 2"), after an abbreviation or an ordinal ("z. B.", "5. Dezember") or at ``NO_BREAK``.
    """
    plain = re.sub(r"[ \t\r\n]+", " ", text).strip()
    found: list[str] = []
    start = 0
    for gap in _GAP.finditer(plain):
        before = plain[start : gap.end()].strip(" ")
        if gap.end() < len(plain) and _may_end(before, plain[gap.end()]):
            found.append(before)
            start = gap.end()
    rest = plain[start:]
    if found and rest and len(rest) < SHORTEST:
        rest = f"{found.pop()} {rest}"
    return tuple(part for clause in [*found, rest] if clause for part in _within(clause))


def _may_end(before: str, following: str) -> bool:
    """Whether ``before`` may stand as a clause when the text goes on with the character ``following``."""
    if before[-1] in ".!?…。؟\"'”“»)":
        return len(before) >= SHORTEST_SENTENCE and not _ABBREVIATION.search(before)
    return len(before) >= AFTER_COMMA and not _DIGIT.match(following)


def _within(clause: str) -> list[str]:
    """The clause in pieces of at most about ``LONGEST`` characters, cut between words."""
    pieces: list[str] = []
    while len(clause) > LONGEST and (cut := clause.rfind(" ", SHORTEST, LONGEST)) > 0:
        pieces.append(clause[:cut])
        clause = clause[cut + 1 :]
    return [*pieces, clause]
