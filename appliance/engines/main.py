"""What every engine process's ``main`` shares: run until SIGTERM, end with the error's message and code."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from pathlib import Path

from appliance.engines.protocol import EngineServer
from appliance.errors import TresenError


async def _until_stopped(server: EngineServer, socket: Path) -> None:
    task = asyncio.create_task(server.run(socket))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await task


def run_engine(server: EngineServer, socket: Path) -> None:
    """Serve on ``socket`` until told to stop. Exits with the error's own code when loading fails."""
    try:
        asyncio.run(_until_stopped(server, socket))
    except TresenError as error:
        print(f"{server.name}: {error.message}", file=sys.stderr, flush=True)
        sys.exit(error.exit_code)
