"""Where speech begins and ends: a pure state machine over voice probabilities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

_EPSILON = 1e-9
"""Frame times are sums of floats."""


@dataclass(frozen=True)
class SegmentSettings:
    """All times in seconds; probabilities 0 … 1."""

    start: float = 0.5
    """A frame at or above this is voiced."""
    stop: float = 0.35
    """Inside speech, a frame at or above this still is (so that a weak syllable does not end it)."""
    certain: float = 0.8
    """The detector is sure of a voice near the microphone; it is not of people talking in the room."""
    certain_time: float = 0.09
    """Certain time before speech counts as begun."""
    shortest: float = 0.15
    """Voiced time before speech counts as begun; what the detector half believes of a beep is shorter."""
    gap: float = 0.25
    """Before speech counts as begun: unvoiced time after which it was nothing."""
    hangover: float = 0.6
    """Unvoiced time after which speech has ended."""
    pre_roll: float = 0.3
    """Kept before the first voiced frame, so that no first syllable is cut."""
    post_roll: float = 0.2
    """Kept after the last voiced frame."""
    longest: float = 28.0
    """An utterance is ended by force here: Whisper's window is 30 s."""


@dataclass(frozen=True)
class SpeechStarted:
    """Speech has begun; ``at`` is the first voiced moment, which lies ``shortest`` back."""

    at: float


@dataclass(frozen=True)
class SpeechEnded:
    """Speech has ended. ``start`` and ``end`` bound it; how much of it is voiced, and certainly so."""

    start: float
    end: float
    voiced: float
    certain: float


@dataclass(frozen=True)
class SegmentState:
    """Between two frames. ``first`` is None outside a (possible) utterance; the times add up frames."""

    first: float | None = None
    last: float = 0.0
    voiced: float = 0.0
    certain: float = 0.0
    begun: bool = False


def advance(
    state: SegmentState, at: float, length: float, probability: float, settings: SegmentSettings
) -> tuple[SegmentState, SpeechStarted | SpeechEnded | None]:
    """The state after the frame of ``length`` seconds that begins at ``at``, and what it brought about."""
    end = at + length
    floor = settings.stop if state.begun else settings.start
    if probability >= floor:
        return _voiced(state, at, length, probability, settings)
    patience = settings.hangover if state.begun else settings.gap
    if state.first is None or end - state.last < patience - _EPSILON:
        return state, None
    ended = SpeechEnded(state.first, state.last, state.voiced, state.certain) if state.begun else None
    return SegmentState(), ended


def _voiced(
    state: SegmentState, at: float, length: float, probability: float, settings: SegmentSettings
) -> tuple[SegmentState, SpeechStarted | SpeechEnded | None]:
    first = at if state.first is None else state.first
    certain = state.certain + (length if probability >= settings.certain else 0.0)
    state = SegmentState(first, at + length, state.voiced + length, certain, state.begun)
    if state.begun and state.last - first >= settings.longest:
        return SegmentState(), SpeechEnded(first, state.last, state.voiced, certain)
    enough = state.voiced >= settings.shortest - _EPSILON and certain >= settings.certain_time - _EPSILON
    if not state.begun and enough:
        return replace(state, begun=True), SpeechStarted(first)
    return state, None


def segments(
    probabilities: Iterable[float], length: float, settings: SegmentSettings
) -> tuple[SpeechEnded, ...]:
    """All utterances of a recording whose frames of ``length`` seconds have these voice probabilities."""
    state, found, at = SegmentState(), [], 0.0
    for number, probability in enumerate(probabilities):
        at = number * length
        state, event = advance(state, at, length, probability, settings)
        if isinstance(event, SpeechEnded):
            found.append(event)
    if state.first is not None and state.begun:
        found.append(SpeechEnded(state.first, state.last, state.voiced, state.certain))
    return tuple(found)
