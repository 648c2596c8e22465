"""Lets one request at a time at the model, callers in turn, so that no caller waits for all of another's."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator


class FairQueue:
    """A lock whose waiters are served caller by caller, each caller's own in order.

    Two callers' requests one after the other end at 1 and 2 times a request's length; run side by side
    both would end at 2 times (measured: latency.md §2), so nothing is won by mixing them.
    """

    def __init__(self) -> None:
        self._busy = False
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @contextlib.asynccontextmanager
    async def turn(self, caller: str) -> AsyncIterator[None]:
        """Wait for the model; it is this request's until the block ends."""
        if self._busy:
            await self._wait(caller)
        self._busy = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, caller: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Wake the first waiter of the caller who has waited longest; that caller then goes to the end."""
        while self._waiting:
            caller = next(iter(self._waiting))
            waiters = self._waiting.pop(caller)
            turn = waiters.popleft()
            if waiters:
                self._waiting[caller] = waiters
            if not turn.done():
                turn.set_result(None)
                return
        self._busy = False
