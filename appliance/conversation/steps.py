"""What happens to a conversation and what it wants done: the words between session and policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from appliance.conversation.commands import Command
from appliance.conversation.models import Question, Say, ToolCall, ToolResult
from appliance.conversation.state import DialogueState, Offer, Task


@dataclass(frozen=True)
class Heard:
    """A turn of the caller, understood. ``confident``: the recogniser was sure of the words (R-28)."""

    commands: tuple[Command, ...]
    confident: bool = True


@dataclass(frozen=True)
class Returned:
    """A tool's result."""

    result: ToolResult


@dataclass(frozen=True)
class Minted:
    """A pending action exists for exactly these arguments."""

    id: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class NotTaken:
    """The tool would not take the arguments that were to be read back; ``problem`` names them."""

    problem: str


@dataclass(frozen=True)
class Refused:
    """The backend refused a write."""


@dataclass(frozen=True)
class NotRead:
    """The readers failed; what the caller said is not known."""


Happening = Heard | Returned | Minted | NotTaken | Refused | NotRead


@dataclass(frozen=True)
class CallTool:
    """Run a tool; its result comes back as :class:`Returned`."""

    call: ToolCall


@dataclass(frozen=True)
class Propose:
    """Mint a pending action; it comes back as :class:`Minted`."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class End:
    """The call is over when the reply was spoken."""


Action = CallTool | Propose | Say | End


@dataclass(frozen=True)
class Step:
    """A state with what is to be done from it, built up by the decisions."""

    state: DialogueState
    actions: tuple[Action, ...] = ()
    settled: bool = False
    """The turn has its last word: the open matter is not taken further."""

    @property
    def waits(self) -> bool:
        """True when something must come back before the turn is over."""
        return any(isinstance(action, CallTool | Propose) for action in self.actions)

    @property
    def says(self) -> bool:
        return any(isinstance(action, Say) for action in self.actions)

    def having(self, **changes: Any) -> Step:
        """The same with fields of the state changed."""
        return replace(self, state=replace(self.state, **changes))

    def settle(self) -> Step:
        return replace(self, settled=True)

    def do(self, action: Action) -> Step:
        return replace(self, actions=(*self.actions, action))

    def say(self, phrase: str, **values: Any) -> Step:
        return self.do(Say(phrase, values))

    def aside(self, phrase: str) -> Step:
        """Say something about the talk itself."""
        return self.do(Say(phrase, aside=True))

    def ask(
        self,
        phrase: str,
        *slots: str,
        question: Question = Question.SLOT,
        offer: Offer | None = None,
        again: str | None = None,
        **values: Any,
    ) -> Step:
        """Ask, and leave the question open. ``again``: the phrase by which it is asked once more."""
        prompt = Say(again or phrase, values)
        step = self.having(question=question, asked=slots, offer=offer, prompt=prompt)
        return step.say(phrase, **values).settle()

    def ask_nothing(self) -> Step:
        """No question is open any more."""
        return self.having(question=Question.NONE, asked=(), offer=None, prompt=None)

    def queue(self, *tasks: Task) -> Step:
        return self.having(agenda=(*self.state.agenda, *tasks))

    def call(self, task: Task, tool: str, pending: str | None = None, **arguments: Any) -> Step:
        """Run a tool for a task."""
        return self.having(doing=task).do(CallTool(ToolCall(tool, arguments, pending)))


@dataclass(frozen=True)
class Evidence:
    """All that may be said in a call: what tools returned, what the caller gave, what the business is."""

    results: tuple[ToolResult, ...] = ()
    values: tuple[Any, ...] = ()
    """Slots and fixed facts."""
    fixed: tuple[str, ...] = ()
    """Texts that the business or the phrase files wrote, without their placeholders."""
    dishes: tuple[str, ...] = ()
    """All that is on the menu: what of it is named must stand in a result."""
    allergens: tuple[str, ...] = ()
    """Names of all allergens, likewise."""
    weekdays: tuple[str, ...] = ()
    """Monday first, in the language of the reply."""
    months: tuple[str, ...] = ()
