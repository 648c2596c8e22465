"""Stand-ins for what a conversation needs: scripted, with a record of what was asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from appliance.clock import Clock
from appliance.conversation.commands import Command, NotUnderstood, Reading
from appliance.conversation.events import Event
from appliance.conversation.models import Context, ToolCall, ToolResult
from appliance.conversation.ports import Journal, Reader, ToolRunner
from appliance.errors import UsageError, WriteRefused


@dataclass
class HandClock(Clock):
    """Stands still until it is moved."""

    time: datetime

    def now(self) -> datetime:
        return self.time

    def pass_(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


@dataclass
class ListJournal(Journal):
    """Keeps events in memory."""

    events: list[Event] = field(default_factory=list)

    def write(self, event: Event) -> None:
        self.events.append(event)

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


@dataclass
class ScriptedReader(Reader):
    """Answers with what was enqueued; ``history`` holds what it was asked."""

    answers: list[Sequence[Command] | Exception] = field(default_factory=list)
    history: list[tuple[str, Context]] = field(default_factory=list)

    def enqueue(self, *commands: Command) -> None:
        self.answers.append(commands)

    def fail(self, error: Exception) -> None:
        self.answers.append(error)

    async def read(self, text: str, context: Context) -> Reading:
        self.history.append((text, context))
        answer = self.answers.pop(0) if self.answers else (NotUnderstood(),)
        if isinstance(answer, Exception):
            raise answer
        return Reading(tuple(answer), "scripted")


@dataclass
class ScriptedTools(ToolRunner):
    """Every table is free and every write works, unless results are enqueued. Pending actions are real ones:
    a write needs the newest id, with the same arguments."""

    results: dict[str, list[ToolResult | Exception]] = field(default_factory=dict)
    history: list[ToolCall] = field(default_factory=list)
    proposed: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    written: list[Mapping[str, Any]] = field(default_factory=list)
    language: str = "de"

    def enqueue(
        self, tool: str, data: Mapping[str, Any], *, ok: bool = True, error: str | None = None
    ) -> None:
        self.results.setdefault(tool, []).append(ToolResult(tool, ok, data, error))

    def fail(self, tool: str, error: Exception) -> None:
        self.results.setdefault(tool, []).append(error)

    async def run(self, call: ToolCall) -> ToolResult:
        self.history.append(call)
        queued = self.results.get(call.tool) or []
        if queued:
            answer = queued.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        return ToolResult(call.tool, True, self._default(call))

    async def propose(self, tool: str, arguments: Mapping[str, Any], now: datetime) -> str:
        if not str(arguments.get("phone", "+49")).startswith("+"):
            raise UsageError(f"'{tool}' would not take these arguments: phone: this is no phone number.")
        self.proposed.append((tool, dict(arguments)))
        return f"PA-{len(self.proposed)}"

    def called(self, tool: str) -> list[ToolCall]:
        return [call for call in self.history if call.tool == tool]

    def _default(self, call: ToolCall) -> Mapping[str, Any]:
        match call.tool:
            case "check_availability":
                return {"available": True, "reason": None, **call.arguments, "alternatives": [], "ranges": []}
            case "book_reservation":
                newest = f"PA-{len(self.proposed)}"
                if call.pending_action != newest or self.proposed[-1][1] != call.arguments:
                    raise WriteRefused("changed: not what was read back.")
                self.written.append(call.arguments)
                return {"id": "RES-TEST22", "status": "confirmed", **call.arguments, "team_confirms": True}
            case "escalate_to_human":
                return {"id": "ESC-TEST22", "way": "callback", "phone": "+492214710412"}
            case "search_knowledge":
                return {"found": False, "sections": []}
            case _:
                return {}
