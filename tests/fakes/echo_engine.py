"""An engine that says back what it hears, and fails on request: for tests of the process framework."""

from __future__ import annotations

import argparse
from pathlib import Path

from wyoming.event import Event

from appliance.engines.main import run_engine
from appliance.engines.protocol import Channel, EngineServer
from appliance.errors import ConstraintError, SetupError


class EchoEngine(EngineServer):
    """Answers ``say`` with ``said``; ``fail``, ``crash`` and ``hang`` do what they say."""

    name = "echo"

    def __init__(self, broken: bool) -> None:
        self._broken = broken

    def load(self) -> None:
        if self._broken:
            raise SetupError("the echo's weights are missing")

    async def handle(self, first: Event, channel: Channel) -> None:
        match first.type:
            case "say":
                await channel.send("said", dict(first.data), first.payload)
            case "fail":
                raise ConstraintError("no grammar")
            case "crash":
                raise ValueError("bug")
            case "hang":
                await channel.receive()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--socket", type=Path, required=True)
    parser.add_argument("--broken", action="store_true")
    arguments = parser.parse_args()
    run_engine(EchoEngine(arguments.broken), arguments.socket)
