"""A caller made of recordings: speaks each when the assistant has finished, in real time, then hangs up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from appliance.adapters.voice.line import FRAME, RATE, Samples

AUDIBLE = 300
"""Absolute sample value above which sound counts as audible (of 32,768)."""


@dataclass(frozen=True)
class Manners:
    """How the recorded caller behaves; all in seconds."""

    think: float = 0.6
    """Pause between the assistant's last word and the caller's first."""
    patience: float = 15.0
    """Longest wait for an answer before the caller goes on all the same."""
    farewell: float = 1.0
    """Pause after the last answer before hanging up."""


@dataclass(frozen=True)
class SpokenTurn:
    """When a recording was spoken; samples since the line opened."""

    name: str
    began: int
    ended: int
    """The last audible sample."""
    played: int
    """The recording's own end, silence included."""


@dataclass
class RecordedCaller:
    """Source of a line. ``idle`` tells whether the assistant has nothing left to say."""

    recordings: Sequence[tuple[str, Samples]]
    idle: Callable[[], bool]
    manners: Manners = field(default_factory=Manners)
    turns: list[SpokenTurn] = field(default_factory=list)
    hung_up: bool = False
    _offset: int | None = None
    _quiet_since: int | None = None
    _heard_assistant: bool = False
    _waiting_since: int = 0

    def next_frame(self, position: int) -> Samples | None:
        """The recording while one is spoken, silence while listening, None after hanging up."""
        if self.hung_up:
            return None
        if self._offset is None and self._my_turn(position):
            if len(self.turns) == len(self.recordings):
                self.hung_up = True
                return None
            self._begin(position)
        return self._frame(position)

    def hang_up(self) -> None:
        """End the call from outside: the assistant has ended it."""
        self.hung_up = True

    def _my_turn(self, position: int) -> bool:
        """True when the assistant has spoken and been quiet long enough, or never answered in time."""
        if not self.idle():
            self._heard_assistant, self._quiet_since = True, None
            return False
        if not self._heard_assistant:
            return position - self._waiting_since > self.manners.patience * RATE
        if self._quiet_since is None:
            self._quiet_since = position
        last = len(self.turns) == len(self.recordings)
        pause = self.manners.farewell if last else self.manners.think
        return position - self._quiet_since >= pause * RATE

    def _begin(self, position: int) -> None:
        name, samples = self.recordings[len(self.turns)]
        audible = np.flatnonzero(np.abs(samples.astype(np.int32)) > AUDIBLE)
        last = int(audible[-1]) if len(audible) else len(samples)
        self.turns.append(SpokenTurn(name, position, position + last, position + len(samples)))
        self._offset = 0

    def _frame(self, position: int) -> Samples:
        frame = np.zeros(FRAME, dtype=np.int16)
        if self._offset is None:
            return frame
        samples = self.recordings[len(self.turns) - 1][1]
        part = samples[self._offset : self._offset + FRAME]
        frame[: len(part)] = part
        self._offset += FRAME
        if self._offset >= len(samples):
            self._offset, self._quiet_since, self._heard_assistant = None, None, False
            self._waiting_since = position
        return frame


def first_audible(samples: Samples, start: int) -> int | None:
    """Position of the first audible sample at or after ``start``, or None."""
    audible = np.flatnonzero(np.abs(samples[start:].astype(np.int32)) > AUDIBLE)
    return start + int(audible[0]) if len(audible) else None
