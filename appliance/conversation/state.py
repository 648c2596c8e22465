"""Where a conversation stands: one frozen value, from which every decision follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from appliance.conversation.commands import AskFact, SlotValue
from appliance.conversation.models import Question, Say
from appliance.conversation.plain import named, plain


class Source(StrEnum):
    """Where a slot's value comes from."""

    SAID = "said"
    """From words of the caller (R-22)."""
    OFFER = "offer"
    """The assistant proposed it, the caller took it."""
    LINE = "line"
    """The caller's number from the line; the caller agreed to use it."""


@dataclass(frozen=True)
class Filled:
    """A slot's value with its provenance."""

    value: SlotValue
    text: str
    """The words that it was read from."""
    source: Source
    turn: int


@dataclass(frozen=True)
class Pending:
    """A write that was read back: the id that redeems it, and the exact arguments it is for."""

    id: str
    arguments: Mapping[str, Any]
    minted: datetime


class OfferKind(StrEnum):
    """What a plain yes would take."""

    SLOTS = "slots"
    """Values for slots: another day, the number of the line."""
    START = "start"
    """Begin a matter."""
    TEAM = "team"
    """Hand over to a person."""
    MORE = "more"
    """Hear the rest of a list."""


@dataclass(frozen=True)
class Offer:
    """Something that the assistant proposed and that is waiting for a yes or no."""

    kind: OfferKind
    slots: Mapping[str, SlotValue] = field(default_factory=dict)
    source: Source = Source.OFFER
    matter: str = ""
    reason: str = ""
    """Of a hand-over."""
    summary: str = ""


@dataclass(frozen=True)
class Refusal:
    """A wish that can't be had, so that it is not checked again, and what can be had instead."""

    arguments: Mapping[str, Any]
    reason: str
    alternatives: tuple[Mapping[str, Any], ...] = ()
    """Tool arguments of each, the nearest first."""
    offered: int = 0
    """So many of them were proposed."""


@dataclass(frozen=True)
class Topic:
    """What the last answer was about, so that "geht das ohne Gluten?" can be understood."""

    category: str | None = None
    item: str | None = None
    items: tuple[str, ...] = ()
    """Names on the menu that were meant."""
    rest: Say | None = None
    """The part of a list that was not said yet."""


@dataclass(frozen=True)
class Answer:
    """To do: answer a question from a tool. ``searched``: the business's own answers do not hold it."""

    fact: AskFact
    searched: bool = False


@dataclass(frozen=True)
class Check:
    """To do: see whether the wish can be had."""


@dataclass(frozen=True)
class Write:
    """To do: redeem the pending action."""

    attempts: int = 1


@dataclass(frozen=True)
class HandOver:
    """To do: give the matter to a person."""

    reason: str
    summary: str = ""
    urgency: str = "normal"


@dataclass(frozen=True)
class HangUp:
    """To do: say goodbye and end the call. ``silent``: because nobody speaks any more."""

    silent: bool = False


@dataclass(frozen=True)
class Clarify:
    """To do: ask which of several values was meant."""

    slot: str
    candidates: tuple[SlotValue, ...]


Task = Answer | Clarify | Check | Write | HandOver | HangUp


@dataclass(frozen=True)
class DialogueState:
    """The whole state of one call. Nothing else is remembered between turns."""

    language: str
    caller: str | None = None
    """Number from the line, E.164, if it was sent."""
    turn: int = 0
    matter: str | None = None
    slots: Mapping[str, Filled] = field(default_factory=dict)
    question: Question = Question.NONE
    asked: tuple[str, ...] = ()
    prompt: Say | None = None
    """How the open question is asked once more."""
    offer: Offer | None = None
    refusal: Refusal | None = None
    checked: Mapping[str, Any] | None = None
    """Arguments of the check that said yes last."""
    pending: Pending | None = None
    agenda: tuple[Task, ...] = ()
    doing: Task | None = None
    """Whose tool result is awaited."""
    corrections: Mapping[str, int] = field(default_factory=dict)
    """How often each slot of the matter was corrected."""
    refusals: int = 0
    """Writes in a row that the backend refused."""
    declined: tuple[str, ...] = ()
    """Slots whose offered value the caller did not want."""
    not_understood: int = 0
    """Turns in a row that meant nothing."""
    unclear: int = 0
    """Turns in a row that were heard badly."""
    silences: int = 0
    """Steps of the silence ladder that were taken since the caller's last word."""
    spoke: bool = False
    waiting: bool = False
    """The caller asked for a moment."""
    closing: bool = False
    """The assistant asked whether there is anything else."""
    topic: Topic = Topic()
    last: tuple[Say, ...] = ()
    """What was said last."""
    repeatable: tuple[Say, ...] = ()
    """What is said again when the caller asks for it: the last that was no aside."""
    used: Mapping[str, int] = field(default_factory=dict)
    """How often each phrase was said: the next wording follows from it."""
    booked: tuple[Mapping[str, Any], ...] = ()
    """Arguments of what was written in this call."""
    escalated: tuple[str, ...] = ()
    answered: int = 0
    ended: bool = False

    @property
    def values(self) -> dict[str, SlotValue]:
        """Slots without their provenance."""
        return {slot: filled.value for slot, filled in self.slots.items()}

    def to_data(self) -> dict[str, Any]:
        """JSON-ready, for the record."""
        data: dict[str, Any] = plain(self)
        return {
            **data,
            "agenda": [named(task) for task in self.agenda],
            "doing": named(self.doing) if self.doing else None,
        }
