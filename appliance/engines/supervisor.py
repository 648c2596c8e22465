"""Starts engine processes, waits until they are ready, restarts the dead with a growing pause, stops them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from appliance.engines.protocol import EngineClient
from appliance.errors import EngineDown, SetupError

FIRST_PAUSE = 0.05
LONGEST_PAUSE = 10.0
HEALTHY_AFTER = 30.0
"""Seconds after which a process counts as healthy and its next pause starts small again."""
GRACE = 5.0
"""Seconds between the polite and the hard end."""


@dataclass(frozen=True)
class EngineSpec:
    """How to start one engine. ``argv`` gets ``--socket PATH`` appended."""

    name: str
    argv: tuple[str, ...]
    ready_seconds: float = 60.0
    environment: Mapping[str, str] = field(default_factory=dict)


def restart_pause(failures: int) -> float:
    """Seconds to wait before the restart number ``failures`` (from 1): doubles, with a ceiling."""
    return float(min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE))


class Supervisor:
    """Owns the engine processes of one box (or one test run) and a private folder for their sockets."""

    def __init__(self, specs: tuple[EngineSpec, ...], log: Path, tell: Callable[[str], None]) -> None:
        """``log``: folder for the engines' output; ``tell``: called with one line of progress."""
        self._specs = specs
        self._log = log
        self._tell = tell
        self._folder = Path(tempfile.mkdtemp(prefix="tresen-"))
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._watchers: list[asyncio.Task[None]] = []
        self.restarts: dict[str, int] = {spec.name: 0 for spec in specs}

    def client(self, name: str) -> EngineClient:
        """A client for the engine ``name``; valid across restarts."""
        return EngineClient(name, self._folder / f"{name}.socket")

    def pid(self, name: str) -> int | None:
        """The process id, or None while it is not running."""
        process = self._processes.get(name)
        return process.pid if process and process.returncode is None else None

    async def start(self) -> None:
        """Start all engines at once and wait until each is ready.

        Raises SetupError when one ends by itself before it was ever ready (its last output is in the
        message), EngineDown when one is not ready in time.
        """
        self._log.mkdir(parents=True, exist_ok=True)
        try:
            await asyncio.gather(*(self._first_start(spec) for spec in self._specs))
        except BaseException:
            await self.stop()
            raise
        self._watchers = [asyncio.create_task(self._watch(spec)) for spec in self._specs]

    async def stop(self) -> None:
        """End every process, politely, then hard; the socket folder goes too."""
        for task in self._watchers:
            task.cancel()
        await asyncio.gather(*self._watchers, return_exceptions=True)
        self._watchers = []
        await asyncio.gather(*(self._end(process) for process in self._processes.values()))
        for left in self._folder.glob("*"):
            left.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._folder.rmdir()

    async def _first_start(self, spec: EngineSpec) -> None:
        process = await self._spawn(spec)
        loop = asyncio.get_running_loop()
        began = loop.time()
        while not await self.client(spec.name).ping():
            if process.returncode is not None:
                raise SetupError(f"The {spec.name} engine ended while starting: {self._last_words(spec)}")
            if loop.time() - began > spec.ready_seconds:
                raise EngineDown(f"The {spec.name} engine was not ready after {spec.ready_seconds:.0f} s.")
            await asyncio.sleep(0.05)
        self._tell(f"{spec.name} ready after {loop.time() - began:.1f} s")

    async def _watch(self, spec: EngineSpec) -> None:
        """Restart the engine whenever it ends."""
        loop = asyncio.get_running_loop()
        failures = 0
        while True:
            began = loop.time()
            await self._processes[spec.name].wait()
            failures = 1 if loop.time() - began > HEALTHY_AFTER else failures + 1
            self.restarts[spec.name] += 1
            self._tell(f"{spec.name} ended ({self._processes[spec.name].returncode}), restarting")
            await asyncio.sleep(restart_pause(failures))
            await self._spawn(spec)

    async def _spawn(self, spec: EngineSpec) -> asyncio.subprocess.Process:
        socket = self._folder / f"{spec.name}.socket"
        socket.unlink(missing_ok=True)
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", **spec.environment}
        with (self._log / f"{spec.name}.log").open("ab") as output:
            process = await asyncio.create_subprocess_exec(
                *spec.argv,
                "--socket",
                str(socket),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
            )
        self._processes[spec.name] = process
        return process

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        if process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), GRACE)
        except TimeoutError:
            process.kill()
            await process.wait()

    def _last_words(self, spec: EngineSpec) -> str:
        lines = (self._log / f"{spec.name}.log").read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it printed nothing"


def python_engine(name: str, module: str, *arguments: str, ready_seconds: float = 60.0) -> EngineSpec:
    """An engine that is a module of this package, run by this Python."""
    return EngineSpec(name, (sys.executable, "-m", module, *arguments), ready_seconds)
