"""The client trusts no engine: what does not satisfy the constraint is an error here too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from wyoming.event import Event

from appliance.conversation.constraint import one_of
from appliance.engines.protocol import Channel, EngineClient, EngineServer
from appliance.errors import ConstraintError, EngineDown, EngineError, EngineTimeout
from appliance.language_model.client import LanguageModel

pytestmark = pytest.mark.unit

ANSWER = {
    "text": "yes",
    "confidence": 0.75,
    "options": [["yes", 0.75], ["no", 0.25]],
    "decisions": [{"at": 0, "probability": 0.75}],
    "tokens": 7,
    "seconds": 0.2,
    "first_token_seconds": 0.19,
}


class _Engine(EngineServer):
    name = "language_model"

    def __init__(self) -> None:
        self.kind = "completion"
        self.answer: dict[str, Any] | None = ANSWER
        self.asked: dict[str, Any] = {}

    def load(self) -> None:
        pass

    async def handle(self, first: Event, channel: Channel) -> None:
        self.asked = first.data
        if self.answer is None:
            while not channel.gone:  # noqa: ASYNC110 - the stream has no event for its end
                await asyncio.sleep(0.01)
            return
        if self.answer:
            await channel.send(self.kind, self.answer)


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[_Engine]:
    server = _Engine()
    task = asyncio.create_task(server.run(tmp_path / "s"))
    while not (tmp_path / "s").exists():  # noqa: ASYNC110 - a file
        await asyncio.sleep(0.01)
    yield server
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
def model(tmp_path: Path) -> LanguageModel:
    return LanguageModel(EngineClient("language_model", tmp_path / "s"))


async def _ask(model: LanguageModel, seconds: float = 2.0) -> Any:
    return await model.complete("prefix", "text", one_of("yes", "no"), sequence="call", seconds=seconds)


async def test_an_answer_comes_with_its_probabilities(engine: _Engine, model: LanguageModel) -> None:
    completion = await _ask(model)

    assert (completion.text, completion.confidence) == ("yes", 0.75)
    assert completion.options == (("yes", 0.75), ("no", 0.25))
    assert engine.asked["sequence"] == "call"


@pytest.mark.parametrize("text", ["maybe", "", "yes!", "yesno"])
async def test_an_answer_outside_the_constraint_is_refused(
    engine: _Engine, model: LanguageModel, text: str
) -> None:
    engine.answer = {**ANSWER, "text": text}

    with pytest.raises(ConstraintError):
        await _ask(model)


async def test_an_incomplete_answer_is_an_engine_error(engine: _Engine, model: LanguageModel) -> None:
    engine.answer = {"text": "yes"}

    with pytest.raises(EngineError, match="not complete"):
        await _ask(model)


async def test_an_answer_of_another_kind_is_an_engine_error(engine: _Engine, model: LanguageModel) -> None:
    engine.kind = "transcript"

    with pytest.raises(EngineError, match="transcript"):
        await _ask(model)


async def test_an_error_of_the_engine_arrives_as_the_same_error(
    engine: _Engine, model: LanguageModel
) -> None:
    engine.kind, engine.answer = "error", {"code": "constraint", "text": "no"}

    with pytest.raises(ConstraintError):
        await _ask(model)


async def test_silence_is_a_timeout(engine: _Engine, model: LanguageModel) -> None:
    engine.answer = None

    with pytest.raises(EngineTimeout):
        await _ask(model, seconds=0.05)


async def test_an_engine_that_dies_is_down(engine: _Engine, model: LanguageModel) -> None:
    engine.answer = {}

    with pytest.raises(EngineDown):
        await _ask(model)


async def test_no_engine_is_down(model: LanguageModel) -> None:
    with pytest.raises(EngineDown):
        await _ask(model)


async def test_an_impossible_constraint_never_reaches_the_engine(
    engine: _Engine, model: LanguageModel
) -> None:
    with pytest.raises(ConstraintError):
        await model.complete("p", "t", one_of(), sequence="call", seconds=1)

    assert engine.asked == {}
