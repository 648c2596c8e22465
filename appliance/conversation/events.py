"""What happened in a call, one frozen class each. Class names are persisted in JSONL, so they are stable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class CallStarted:
    """The header of a call's record (R-50)."""

    call_id: str
    at: datetime
    tenant: str
    channel: str
    language: str
    versions: Mapping[str, str] = field(default_factory=dict)
    """Software, prompt and models by name."""


@dataclass(frozen=True)
class CallerSaid:
    """A user turn."""

    at: datetime
    text: str
    language: str
    confidence: float
    silence_seconds: float | None = None
    key: str | None = None


@dataclass(frozen=True)
class Understood:
    """The commands that came out of a turn, JSON-ready, and who read them."""

    at: datetime
    commands: tuple[Mapping[str, Any], ...]
    reader: str
    confidence: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ToolRan:
    """A tool call with its result."""

    at: datetime
    tool: str
    arguments: Mapping[str, Any]
    ok: bool
    result: Mapping[str, Any]
    error: str | None
    seconds: float


@dataclass(frozen=True)
class StateChanged:
    """The dialogue state after a turn: matter, slots, what is open."""

    at: datetime
    state: Mapping[str, Any]


@dataclass(frozen=True)
class AssistantSaid:
    """An assistant turn. ``replaced``: what the output check refused, when it did."""

    at: datetime
    text: str
    language: str
    seconds: Mapping[str, float] = field(default_factory=dict)
    replaced: str | None = None


@dataclass(frozen=True)
class TurnTimed:
    """What the voice channel measured for the turn just spoken; all in seconds."""

    at: datetime
    seconds: Mapping[str, float]


@dataclass(frozen=True)
class SomethingFailed:
    """An engine or tool failed and the caller heard a bridge sentence. No personal data in ``detail``."""

    at: datetime
    stage: str
    code: str
    detail: str


@dataclass(frozen=True)
class SecurityEvent:
    """A refused write or another attempt to get round a rule."""

    at: datetime
    code: str
    detail: str


@dataclass(frozen=True)
class CallEnded:
    """The close of a call's record."""

    at: datetime
    outcome: str
    duration_seconds: float


Event = (
    CallStarted
    | CallerSaid
    | Understood
    | ToolRan
    | StateChanged
    | AssistantSaid
    | TurnTimed
    | SomethingFailed
    | SecurityEvent
    | CallEnded
)
