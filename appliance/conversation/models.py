"""Values that pass through the core: turn, context, reply, tool call and tool result. No behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time
from enum import StrEnum
from typing import Any

from appliance.conversation.commands import Reading, SlotValue


class Question(StrEnum):
    """What kind of question the assistant has just asked."""

    NONE = "none"
    SLOT = "slot"
    """One or more slots were asked for (``Context.asked``)."""
    YES_NO = "yes_no"
    """Read-back or offer: a yes or no is expected."""


@dataclass(frozen=True)
class Turn:
    """One thing that came from the caller: words, silence or a key."""

    text: str = ""
    language: str = "de"
    confidence: float = 1.0
    """Mean word confidence of the recogniser, 0 to 1; 1 for typed text."""
    words: tuple[tuple[str, float], ...] = ()
    """Each recognised word with its confidence."""
    silence_seconds: float | None = None
    """Set when the turn is silence, not words."""
    key: str | None = None
    """Set when the turn is a DTMF key."""


@dataclass(frozen=True)
class Vocabulary:
    """The tenant's own words, for readers and for the recogniser's prompt."""

    dishes: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Business name, street, people of the house."""


@dataclass(frozen=True)
class TenantProfile:
    """What the conversation must know of a business. Filled from ``knowledge/<tenant>/_meta.md``."""

    id: str
    name: str
    languages: tuple[str, ...]
    """First is the default."""
    formality: str
    """``du`` or ``sie``."""
    phone: str
    """The human line, E.164."""
    notice: str
    """Where the data-protection notice is, as spoken in the greeting; in the default language."""
    time_zone: str
    largest_party: int = 12
    content_mock: bool = False
    """True with ``realistic-mock`` content: every booking says that the team will confirm (R-13)."""
    banned_phrases: tuple[str, ...] = ()
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    notices: Mapping[str, str] = field(default_factory=dict)
    """The notice by language."""
    greetings: Mapping[str, str] = field(default_factory=dict)
    """The business's own greeting by language, with ``{business}`` and ``{notice}``."""
    allergens: tuple[str, ...] = ()
    """Names of the allergens in the languages that are spoken; for the check of replies."""


@dataclass(frozen=True)
class Matter:
    """A form that a pack declares: the slots of something that takes several turns, and its tools."""

    name: str
    """E.g. ``reservation``; also the prefix of its phrases."""
    slots: tuple[str, ...]
    """Required, in the order in which they are asked."""
    arguments: Mapping[str, str]
    """Slot -> argument name of the tools."""
    check_tool: str | None
    """Read tool to run as soon as ``check_slots`` are filled, before the others are asked."""
    check_slots: tuple[str, ...]
    write_tool: str


@dataclass(frozen=True)
class Context:
    """All that a reader may know besides the words."""

    language: str
    now: datetime
    """The business's local time, aware."""
    question: Question = Question.NONE
    asked: tuple[str, ...] = ()
    """Slots that the last question asked for."""
    matter: str | None = None
    slots: Mapping[str, SlotValue] = field(default_factory=dict)
    """What is filled already."""
    offered: Mapping[str, SlotValue] = field(default_factory=dict)
    """What the assistant proposed (an alternative day); a plain yes takes it."""
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    confidence: float = 1.0
    """Mean word confidence of the recogniser for this turn, as in :class:`Turn`."""
    serving: tuple[time, time] = (time(11), time(23))
    """From when to when guests may come; tells "um acht" in the evening from the morning."""


class Effect(StrEnum):
    """Whether a tool only reads, or writes and therefore needs a redeemed pending action."""

    READ = "read"
    WRITE = "write"
    ESCALATE = "escalate"
    """Writes, but never needs a yes: handing over to a person."""
    END = "end"


@dataclass(frozen=True)
class ToolCall:
    """A tool and its arguments, JSON-ready. ``pending_action`` is the id redeemed by a write."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    pending_action: str | None = None


@dataclass(frozen=True)
class ToolResult:
    """What a tool returned. ``data`` is JSON-ready and structured: the sentence is formed elsewhere."""

    tool: str
    ok: bool
    data: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    """Machine-readable reason when not ok."""
    seconds: float = 0.0


@dataclass(frozen=True)
class Say:
    """A phrase to render: key of ``knowledge/phrases/<language>.yaml`` and its values."""

    phrase: str
    values: Mapping[str, Any] = field(default_factory=dict)
    variant: int | None = None
    """Which wording, counted round; None: by the number of the turn."""
    aside: bool = False
    """About the talk itself ("Sind Sie noch dran?"): a caller who asks for the answer again wants another."""


class Outcome(StrEnum):
    """How a call ended."""

    BOOKED = "booked"
    ANSWERED = "answered"
    ESCALATED = "escalated"
    NOT_DONE = "not_done"
    ABANDONED = "abandoned"


@dataclass(frozen=True)
class Reply:
    """What the assistant says to one turn, and what it expects back."""

    text: str
    """The written form, in the caller's language: what is shown and checked."""
    language: str
    question: Question = Question.NONE
    asked: tuple[str, ...] = ()
    end_call: bool = False
    transfer: bool = False
    clauses: tuple[str, ...] = ()
    """The text cut where speech may pause, in order; joined they are ``text``."""


@dataclass(frozen=True)
class TurnRecord:
    """A whole turn, as it goes to the journal, the terminal and the report."""

    turn: Turn
    reading: Reading
    tool_calls: tuple[tuple[ToolCall, ToolResult], ...]
    reply: Reply
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Parts: ``understand``, ``decide``, ``act``, ``say`` and, from the voice channel, the audio parts."""
