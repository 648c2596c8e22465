"""Short answers: choose from a closed set by how well each candidate fits the sound. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ChoiceSettings:
    """Log probabilities per token; docs/adr/0012 holds the figures that they come from."""

    margin: float = 0.5
    """By how much the best answer must beat the second."""
    below_free: float = 2.5
    """How far the best answer may lie below the free text before "none of these" is likelier."""
    worst: float = -4.0
    """Below this nothing in the set was said."""


@dataclass(frozen=True)
class Choice:
    """The answer that was said and its margin over the second best (log probability per token)."""

    answer: str
    margin: float


def choose(
    scores: Sequence[tuple[str, float]], free_score: float, settings: ChoiceSettings | None = None
) -> Choice | None:
    """The answer of a closed set, or None when none was said or two are too close to call.

    ``scores``: answer and mean log probability per token; ``free_score``: that of the free text.
    """
    limits = settings or ChoiceSettings()
    if not scores:
        return None
    ranked = sorted(scores, key=lambda item: -item[1])
    answer, best = ranked[0]
    margin = best - ranked[1][1] if len(ranked) > 1 else best - limits.worst
    if best < limits.worst or best < free_score - limits.below_free or margin < limits.margin:
        return None
    return Choice(answer, margin)
