"""How right a reader is: a wrong value, no value and a value that nobody said are counted apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from appliance.readers.sentences import SLOTS, Sentence
from appliance.readers.signals import Span

_FILLING = re.compile(r"^(at|on|for|the|a table for|party of|of|around|about|in|um|am|gegen|für|zu)\s+")


@dataclass(frozen=True)
class Tally:
    """Slots by what a reader made of them."""

    exact: int = 0
    wrong: int = 0
    missing: int = 0
    false: int = 0
    """Empty slots that it filled."""
    empty: int = 0
    """Empty slots that it left empty."""

    def with_slot(self, wanted: object | None, read: object | None) -> Tally:
        """One slot more; None is no value."""
        if wanted is None:
            return (
                replace(self, empty=self.empty + 1) if read is None else replace(self, false=self.false + 1)
            )
        if read is None:
            return replace(self, missing=self.missing + 1)
        if wanted == read:
            return replace(self, exact=self.exact + 1)
        return replace(self, wrong=self.wrong + 1)

    def shares(self) -> dict[str, float]:
        """``exact``, ``wrong``, ``missing`` of filled slots; ``false_fill`` of empty ones."""
        filled = max(self.exact + self.wrong + self.missing, 1)
        return {
            "exact": self.exact / filled,
            "wrong": self.wrong / filled,
            "missing": self.missing / filled,
            "false_fill": self.false / max(self.false + self.empty, 1),
        }


def bare(text: str) -> str:
    """A span's words without marks, capitals and the preposition in front."""
    return _FILLING.sub("", re.sub(r"[^\w\s:]", "", text.lower()).strip())


def tally_spans(
    sentences: Sequence[Sentence],
    tagged: Iterable[Sequence[Span]],
    least: float,
    slots: Sequence[str] = SLOTS,
) -> Tally:
    """Spans with at least this confidence against those that were marked as meant."""
    tally = Tally()
    for sentence, spans in zip(sentences, tagged, strict=True):
        wanted = {one.slot: bare(sentence.text[one.start : one.end]) for one in sentence.spans if one.meant}
        read = surest([span for span in spans if span.confidence >= least])
        for slot in slots:
            tally = tally.with_slot(wanted.get(slot), bare(read[slot].text) if slot in read else None)
    return tally


def surest(spans: Iterable[Span]) -> Mapping[str, Span]:
    """Of each slot the span with the highest confidence."""
    found: dict[str, Span] = {}
    for span in spans:
        if span.slot not in found or span.confidence > found[span.slot].confidence:
            found[span.slot] = span
    return found
