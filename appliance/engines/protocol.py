"""Wyoming events over a Unix socket: one connection is one request, closing it tells the engine to stop.

The framing is Wyoming's (a JSON line, then data, then payload; github.com/rhasspy/wyoming), so that STT and
TTS can also be used from home-automation software. An engine listens only when its model is loaded and
warm: a ``ping`` that is answered means ready. Errors come back as an ``error`` event with ``code``.
"""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from wyoming.event import Event, async_read_event, async_write_event

from appliance.errors import AudioError, ConstraintError, EngineDown, EngineError, EngineTimeout, TresenError

LINE_LIMIT = 4 * 2**20
"""Longest JSON line in bytes that is accepted."""

_ERRORS: dict[str, type[TresenError]] = {
    kind.code: kind for kind in (EngineError, EngineDown, EngineTimeout, ConstraintError, AudioError)
}


class Channel:
    """Both ends of one request."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, kind: str, data: dict[str, Any] | None = None, payload: bytes | None = None) -> None:
        """Send one event. Raises EngineDown when the other side is gone."""
        try:
            await async_write_event(Event(kind, data or {}, payload), self._writer)
        except (ConnectionError, RuntimeError) as cause:
            raise EngineDown("The other side of the engine's socket is gone.") from cause

    async def receive(self) -> Event | None:
        """The next event, or None when the other side has closed."""
        try:
            return await async_read_event(self._reader)
        except (ConnectionError, asyncio.IncompleteReadError):
            return None

    @property
    def gone(self) -> bool:
        """True when the other side has closed and nothing is left to read: stop working for it."""
        return self._reader.at_eof()

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(ConnectionError, BrokenPipeError):
            await self._writer.wait_closed()


class EngineServer(ABC):
    """Base of an engine process. Subclasses load a model and serve requests with it."""

    name: str

    @abstractmethod
    def load(self) -> None:
        """Load and warm the model; blocking. Raises SetupError when files are missing or wrong."""

    @abstractmethod
    async def handle(self, first: Event, channel: Channel) -> None:
        """Serve one request that begins with ``first``; end early when ``channel.gone``."""

    async def run(self, socket: Path) -> None:
        """Load, then listen on ``socket`` (mode 0600) until cancelled."""
        await asyncio.to_thread(self.load)
        socket.unlink(missing_ok=True)
        server = await asyncio.start_unix_server(self._serve, path=socket, limit=LINE_LIMIT)
        socket.chmod(0o600)
        async with server:
            await server.serve_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        channel = Channel(reader, writer)
        try:
            first = await channel.receive()
            if first is None:
                return
            if first.type == "ping":
                await channel.send("pong", {"engine": self.name})
                return
            await self._answer(first, channel)
        except EngineDown:
            return
        finally:
            await channel.close()

    async def _answer(self, first: Event, channel: Channel) -> None:
        """Run the request; every error of ours becomes an ``error`` event."""
        try:
            await self.handle(first, channel)
        except EngineDown:
            raise
        except TresenError as error:
            await channel.send("error", {"code": error.code, "text": error.message})
        except Exception as error:
            await channel.send("error", {"code": "engine", "text": f"{self.name}: {type(error).__name__}"})
            raise


class EngineClient:
    """Asks an engine; one connection per request."""

    def __init__(self, name: str, socket: Path) -> None:
        self.name = name
        self.socket = socket

    @contextlib.asynccontextmanager
    async def connect(self) -> AsyncIterator[Channel]:
        """A channel to the engine. Raises EngineDown when nobody listens."""
        try:
            reader, writer = await asyncio.open_unix_connection(self.socket, limit=LINE_LIMIT)
        except OSError as cause:
            raise EngineDown(f"The {self.name} engine does not answer on {self.socket}.") from cause
        channel = Channel(reader, writer)
        try:
            yield channel
        finally:
            await channel.close()

    async def expect(self, channel: Channel, seconds: float) -> Event:
        """The next event within ``seconds``.

        Raises EngineTimeout, EngineDown (closed without an answer) or the error that the engine reported.
        """
        try:
            event = await asyncio.wait_for(channel.receive(), seconds)
        except TimeoutError as cause:
            raise EngineTimeout(f"The {self.name} engine gave no answer in {seconds:.1f} s.") from cause
        if event is None:
            raise EngineDown(f"The {self.name} engine closed the connection without an answer.")
        if event.type == "error":
            kind = _ERRORS.get(event.data.get("code", ""), EngineError)
            raise kind(str(event.data.get("text", "unknown error")))
        return event

    async def ping(self, seconds: float = 1.0) -> bool:
        """True when the engine is loaded and answers."""
        try:
            async with self.connect() as channel:
                await channel.send("ping")
                return (await self.expect(channel, seconds)).type == "pong"
        except EngineError:
            return False
