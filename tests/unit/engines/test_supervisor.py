"""Engine processes: ready before use, restarted when dead, errors told, nothing left behind."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from appliance.engines.protocol import EngineClient
from appliance.engines.supervisor import EngineSpec, Supervisor, python_engine, restart_pause
from appliance.errors import ConstraintError, EngineDown, EngineError, EngineTimeout, SetupError

pytestmark = pytest.mark.unit


def echo(*arguments: str) -> EngineSpec:
    return python_engine("echo", "tests.fakes.echo_engine", *arguments, ready_seconds=20)


@pytest.fixture
async def supervisor(tmp_path: Path) -> AsyncIterator[Supervisor]:
    supervisor = Supervisor((echo(),), tmp_path, lambda line: None)
    await supervisor.start()
    yield supervisor
    await supervisor.stop()


async def ask(client: EngineClient, kind: str, seconds: float = 5.0) -> object:
    async with client.connect() as channel:
        await channel.send(kind, {"text": "Grüß Gott"}, b"\x00\x01")
        return await client.expect(channel, seconds)


async def test_a_started_engine_answers_with_data_and_payload(supervisor: Supervisor) -> None:
    answer = await ask(supervisor.client("echo"), "say")
    assert (answer.data["text"], answer.payload) == ("Grüß Gott", b"\x00\x01")  # type: ignore[attr-defined]


async def test_an_engines_error_arrives_as_the_same_error(supervisor: Supervisor) -> None:
    with pytest.raises(ConstraintError, match="no grammar"):
        await ask(supervisor.client("echo"), "fail")


async def test_a_bug_in_an_engine_is_an_engine_error_and_the_engine_lives_on(supervisor: Supervisor) -> None:
    with pytest.raises(EngineError, match="ValueError"):
        await ask(supervisor.client("echo"), "crash")
    await ask(supervisor.client("echo"), "say")


async def test_a_slow_engine_is_given_up_in_time(supervisor: Supervisor) -> None:
    with pytest.raises(EngineTimeout):
        await ask(supervisor.client("echo"), "hang", seconds=0.1)


async def test_a_killed_engine_is_down_at_once_and_back_by_itself(supervisor: Supervisor) -> None:
    client, before = supervisor.client("echo"), supervisor.pid("echo")
    assert before is not None
    os.kill(before, signal.SIGKILL)
    await asyncio.sleep(0.02)
    with pytest.raises(EngineDown):
        await ask(client, "say")
    for _ in range(200):
        if await client.ping():
            break
        await asyncio.sleep(0.05)
    await ask(client, "say")
    assert supervisor.pid("echo") != before
    assert supervisor.restarts["echo"] == 1


async def test_an_engine_that_can_not_load_says_why(tmp_path: Path) -> None:
    supervisor = Supervisor((echo("--broken"),), tmp_path, lambda line: None)
    with pytest.raises(SetupError, match="weights are missing"):
        await supervisor.start()


async def test_stopping_leaves_no_process_and_no_socket(tmp_path: Path) -> None:
    supervisor = Supervisor((echo(),), tmp_path, lambda line: None)
    await supervisor.start()
    pid, socket = supervisor.pid("echo"), supervisor.client("echo").socket
    assert pid is not None
    assert socket.exists()
    assert socket.stat().st_mode & 0o077 == 0
    await supervisor.stop()
    assert not socket.parent.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_pause_before_a_restart_doubles_up_to_a_ceiling() -> None:
    assert [restart_pause(n) for n in (1, 2, 3, 20)] == [0.05, 0.1, 0.2, 10.0]
