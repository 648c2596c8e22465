"""Runs what the brain wants done. A write that was begun is finished, whatever becomes of the turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from appliance.clock import Clock
from appliance.conversation.models import ToolCall, ToolResult
from appliance.conversation.ports import ToolRunner
from appliance.conversation.state import DialogueState
from appliance.conversation.steps import Happening, Minted, NotTaken, Refused, Returned
from appliance.errors import UsageError, WriteRefused

FAILED = "failed"
"""Error of a result whose tool broke. Whether it wrote is not known: the same action may be tried again."""


@dataclass(frozen=True)
class _Begun:
    """A write whose result did not come back into the conversation yet, and the state that waits for it."""

    state: DialogueState
    call: ToolCall
    task: asyncio.Task[ToolResult]


@dataclass
class Hands:
    """The tools of one call. ``failed`` is told of every fault: stage and error."""

    tools: ToolRunner
    clock: Clock
    failed: Callable[[str, Exception], None]
    results: list[ToolResult] = field(default_factory=list)
    """Of the whole call, in order: the evidence for replies."""
    _begun: _Begun | None = None

    @property
    def has_begun(self) -> bool:
        """True when an interrupted turn left a write behind."""
        return self._begun is not None

    async def run(self, state: DialogueState, call: ToolCall) -> Happening:
        """Run a tool. When the turn is cancelled meanwhile, a read stops and a write goes on."""
        task = asyncio.ensure_future(self._result(call))
        try:
            return self._took(await asyncio.shield(task))
        except WriteRefused:
            return Refused()
        except asyncio.CancelledError:
            if call.pending_action is None:
                task.cancel()
            else:
                self._begun = _Begun(state, call, task)
            raise

    async def finish(self) -> tuple[DialogueState, ToolCall, Happening] | None:
        """The result of the write that was left behind, with the state that waits for it."""
        begun = self._begun
        if begun is None:
            return None
        try:
            happening: Happening = self._took(await asyncio.shield(begun.task))
        except WriteRefused:
            happening = Refused()
        self._begun = None
        return begun.state, begun.call, happening

    async def propose(self, tool: str, arguments: Mapping[str, Any]) -> Happening:
        """Mint a pending action for exactly these arguments."""
        try:
            return Minted(await self.tools.propose(tool, arguments, self.clock.now()), arguments)
        except UsageError as error:
            return NotTaken(error.message)
        except Exception as error:  # a tool's fault is told honestly and never costs the call
            self.failed(f"propose {tool}", error)
            return NotTaken(FAILED)

    def _took(self, result: ToolResult) -> Returned:
        self.results.append(result)
        return Returned(result)

    async def _result(self, call: ToolCall) -> ToolResult:
        try:
            return await self.tools.run(call)
        except WriteRefused:
            raise
        except Exception as error:  # idem
            self.failed(f"tool {call.tool}", error)
            return ToolResult(call.tool, False, {}, FAILED)
