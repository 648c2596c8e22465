"""One request at a time, callers in turn."""

from __future__ import annotations

import asyncio

import pytest

from appliance.language_model.fair_queue import FairQueue

pytestmark = pytest.mark.unit


async def _ask(queue: FairQueue, caller: str, served: list[str]) -> None:
    async with queue.turn(caller):
        served.append(caller)
        await asyncio.sleep(0)


async def test_a_caller_with_many_requests_does_not_keep_another_waiting() -> None:
    queue, served = FairQueue(), list[str]()

    await asyncio.gather(*(_ask(queue, caller, served) for caller in "aaaab"))

    assert served.index("b") <= 2
    assert sorted(served) == list("aaaab")


async def test_never_two_at_once() -> None:
    queue = FairQueue()
    inside = 0

    async def work(caller: str) -> None:
        nonlocal inside
        async with queue.turn(caller):
            inside += 1
            assert inside == 1
            await asyncio.sleep(0.001)
            inside -= 1

    await asyncio.gather(*(work(str(number % 3)) for number in range(12)))


async def test_who_gives_up_waiting_does_not_block_the_others() -> None:
    queue, served = FairQueue(), list[str]()
    async with queue.turn("a"):
        gives_up = asyncio.create_task(_ask(queue, "b", served))
        stays = asyncio.create_task(_ask(queue, "c", served))
        await asyncio.sleep(0)
        gives_up.cancel()
    await asyncio.wait_for(stays, 1)

    assert served == ["c"]


async def test_who_is_cancelled_just_when_it_is_their_turn_passes_it_on() -> None:
    queue, served = FairQueue(), list[str]()
    async with queue.turn("a"):
        cancelled = asyncio.create_task(_ask(queue, "b", served))
        stays = asyncio.create_task(_ask(queue, "c", served))
        await asyncio.sleep(0)
    cancelled.cancel()
    await asyncio.wait_for(stays, 1)

    assert served == ["c"]
    async with asyncio.timeout(1), queue.turn("d"):
        pass


async def test_an_error_frees_the_model() -> None:
    queue = FairQueue()
    with pytest.raises(ValueError, match="x"):
        async with queue.turn("a"):
            raise ValueError("x")

    async with asyncio.timeout(1), queue.turn("b"):
        pass
