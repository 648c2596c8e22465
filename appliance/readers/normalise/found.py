"""What a normaliser returns: one value, several that it could be, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from appliance.conversation.commands import SlotValue
from appliance.readers.normalise.words import Words
from appliance.readers.normalise.written import Written


@dataclass(frozen=True)
class Found:
    """One value, read from ``text[start:end]`` of the utterance."""

    value: SlotValue
    start: int
    end: int
    negated: bool = False
    """Said, but not meant: "nicht vier"."""


@dataclass(frozen=True)
class Ambiguous:
    """Several values are possible, likeliest first; the caller is asked which."""

    candidates: tuple[SlotValue, ...]
    start: int
    end: int
    negated: bool = False


Hit = Found | Ambiguous


def values_of(hit: Hit) -> tuple[SlotValue, ...]:
    """All values that a hit allows."""
    return (hit.value,) if isinstance(hit, Found) else hit.candidates


def longest_first(hits: Sequence[Hit]) -> list[Hit]:
    """Hits that do not overlap, in reading order; where they do, the longer one stays (earlier on a tie)."""
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda h: (h.start - h.end, h.start)):
        if all(hit.end <= other.start or hit.start >= other.end for other in kept):
            kept.append(hit)
    return sorted(kept, key=lambda h: h.start)


def join_alternatives(hits: Sequence[Hit], between: Callable[[int, int], bool]) -> list[Hit]:
    """ "Drei oder vier" is one hit that can mean both. ``between(end, start)`` sees an "or" there."""
    joined: list[Hit] = []
    for hit in hits:
        last = joined[-1] if joined else None
        if last is not None and not hit.negated and between(last.end, hit.start):
            candidates = tuple(dict.fromkeys(values_of(last) + values_of(hit)))
            if len(candidates) > 1:
                joined[-1] = Ambiguous(candidates, last.start, hit.end, last.negated)
            else:
                joined[-1] = replace(last, end=hit.end)
        else:
            joined.append(hit)
    return joined


def meant(hits: Sequence[Hit]) -> Hit | None:
    """The hit that the caller means: the last that is not negated."""
    return next((hit for hit in reversed(hits) if not hit.negated), None)


def moved(hit: Hit, span: tuple[int, int]) -> Hit:
    """The same hit at another place, as from rewritten text back to the utterance."""
    return replace(hit, start=span[0], end=span[1])


def settle(hits: Sequence[Hit], written: Written, words: Words) -> list[Hit]:
    """Raw matches over written text as hits of the utterance: longest kept, "not" and "or" seen."""
    kept = [replace(h, negated=words.negates(written.text[: h.start])) for h in longest_first(hits)]
    joined = join_alternatives(kept, lambda end, start: words.is_or(written.text[end:start]))
    return [moved(hit, written.origin(hit.start, hit.end)) for hit in joined]
