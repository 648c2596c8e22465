"""What the trained readers tell the cascade, as protocols: spans with a slot, and intents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class Span(Protocol):
    """Words that a tagger gives a slot: ``text == utterance[start:end]``; confidence 0 to 1."""

    @property
    def slot(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def confidence(self) -> float: ...


class IntentScore(Protocol):
    """An intent and its calibrated probability, 0 to 1."""

    @property
    def intent(self) -> str: ...
    @property
    def probability(self) -> float: ...


class SlotTagger(Protocol):
    """Marks slot values in an utterance; ``asked`` are the slots that were just asked for."""

    def tag(self, text: str, asked: Sequence[str]) -> Sequence[Span]: ...


class IntentReader(Protocol):
    """Says what an utterance is for."""

    def read(self, text: str) -> Sequence[IntentScore]: ...


@dataclass(frozen=True)
class Thresholds:
    """When a reader is believed. Calibrated on training data; these defaults are on the careful side."""

    hear: float = 0.6
    """R-28: a turn recognised with less mean confidence fills nothing."""
    slot_keep: float = 0.6
    """A value less probable than this is not taken."""
    slot_sure: float = 0.8
    """A value less probable than this is worth a second opinion."""
    evidence: float = 0.65
    """How far a normaliser is believed where the tagger saw nothing, if the caller wants a table."""
    intent: float = 0.5
    """An intent at least this probable is there."""
    intent_sure: float = 0.75
    """An intent less probable than this is worth a second opinion."""
    intent_possible: float = 0.03
    """A wish that only the language model reads counts if its intent is at least this probable."""
    intent_maybe: float = 0.3
    """An intent at least this probable spoils a clear yes."""
