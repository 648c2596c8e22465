"""The time: a protocol, the system's clock and one that starts where it is told.

Decisions never read a clock: they get the time as an argument.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic
from typing import Protocol
from zoneinfo import ZoneInfo


class Clock(Protocol):
    """Tells the business's local time, always with its zone."""

    def now(self) -> datetime: ...


@dataclass(frozen=True)
class SystemClock:
    """The machine's clock in the business's time zone."""

    zone: ZoneInfo

    def now(self) -> datetime:
        return datetime.now(self.zone)


@dataclass(frozen=True)
class ShiftedClock:
    """Begins at ``start`` (aware) when it is made and runs on from there: ``--now``."""

    start: datetime
    _made: float = field(default_factory=monotonic)

    def now(self) -> datetime:
        return self.start + timedelta(seconds=monotonic() - self._made)
