"""What the core needs from outside, as protocols. Wiring gives it the real things, tests scripted ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from appliance.conversation.commands import Reading
from appliance.conversation.constraint import Constraint
from appliance.conversation.events import Event
from appliance.conversation.models import Context, Say, ToolCall, ToolResult
from appliance.conversation.state import DialogueState
from appliance.conversation.steps import Evidence, Happening, Step


class Reader(Protocol):
    """Turns words into commands. Never decides, never acts, never raises on odd input."""

    async def read(self, text: str, context: Context) -> Reading: ...


class ToolRunner(Protocol):
    """Runs tools for one call. Validates, authorises, redeems, executes and records.

    A write without a valid pending action raises :class:`appliance.errors.WriteRefused`.
    """

    language: str
    """In which results hold their words; may be set while the call is going on."""

    async def run(self, call: ToolCall) -> ToolResult: ...

    async def propose(self, tool: str, arguments: Mapping[str, Any], now: datetime) -> str:
        """Mint a pending action for exactly these arguments; returns its id. One use, two minutes."""
        ...


class Journal(Protocol):
    """Keeps what happened, as it happens."""

    def write(self, event: Event) -> None: ...


class Phrasebook(Protocol):
    """Renders phrases in a language; ``turn`` varies the wording of those that name no variant."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages in which all phrases are there."""
        ...

    def render(self, say: Sequence[Say], language: str, turn: int) -> str: ...

    def fixed(self, say: Sequence[Say], language: str) -> tuple[str, ...]:
        """What these phrases say whatever their values are."""
        ...

    def calendar(self, language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the days, Monday first, and of the months."""
        ...

    def elsewhere(self, language: str) -> str | None:
        """In a language that is not spoken here: that the team will call back."""
        ...


class Brain(Protocol):
    """Decides. Pure: the same state, happening and time give the same step."""

    def step(self, state: DialogueState, happening: Happening, now: datetime) -> Step: ...

    def silence_steps(self, state: DialogueState) -> tuple[float, ...]:
        """Seconds of silence, each counted from the assistant's last word, at which it wants to speak."""
        ...

    def unfounded(self, text: str, language: str, evidence: Evidence) -> tuple[str, ...]:
        """Claims in a reply that stand in nothing that is known (R-21); empty when it may be spoken."""
        ...


@dataclass(frozen=True)
class Decision:
    """One place of a completion where the constraint left the model a choice."""

    at: int
    """Bytes (UTF-8) of the text before it."""
    probability: float
    """Of what was chosen, among all that was allowed there."""


@dataclass(frozen=True)
class Completion:
    """What the language model wrote under a constraint."""

    text: str
    confidence: float = 1.0
    """Probability of the text among all that the constraint allows, 0 to 1; not calibrated."""
    options: tuple[tuple[str, float], ...] = ()
    """For a plain choice: every option with its probability, likeliest first."""
    decisions: tuple[Decision, ...] = ()
    tokens: int = 0
    """Evaluated for it, beyond the prefix."""
    seconds: float = 0.0
    first_token_seconds: float = 0.0


class Completer(Protocol):
    """The language model under a constraint. See ``appliance.language_model`` for the real one."""

    async def complete(
        self, prefix: str, text: str, grammar: Constraint, *, sequence: str, seconds: float
    ) -> Completion:
        """Complete ``prefix`` (held in the cache by its content) plus ``text`` under ``grammar``.

        ``sequence`` names the call, whose cache is kept apart; ``seconds`` is the time limit. Raises
        ConstraintError, EngineTimeout, EngineDown; never returns what the grammar does not allow.
        """
        ...
