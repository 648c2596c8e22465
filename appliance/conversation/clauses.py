"""Cuts a reply where speech may pause, so that the first clause can be spoken while the rest is made."""

from __future__ import annotations

import re

SHORTEST = 12
"""Characters that a clause has at least; shorter ones go with the next."""
AFTER_COMMA = 40
"""A comma cuts only behind so many characters; lists stay in one breath."""
CUT = re.compile(r"(?<=[.!?;:,])\s+")
ORDINAL = re.compile(r"(?:^|\D)\d{1,2}\.\s*$")


def clauses(text: str) -> tuple[str, ...]:
    """The clauses in order; joined they are ``text``. Never cut inside ``5. Dezember``."""
    parts, start = [], 0
    for gap in CUT.finditer(text):
        clause = text[start : gap.end()]
        if ORDINAL.search(text[start : gap.start()]) and text[gap.end() : gap.end() + 1].isalnum():
            continue
        longest = AFTER_COMMA if clause.rstrip().endswith(",") else SHORTEST
        if len(clause.strip()) >= longest:
            parts.append(clause)
            start = gap.end()
    return (*parts, text[start:]) if start < len(text) else tuple(parts)
