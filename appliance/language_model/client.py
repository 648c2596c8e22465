"""The language model as the layers above use it: a completer over the engine's socket."""

from __future__ import annotations

from typing import Any

from wyoming.event import Event

from appliance.config import Paths
from appliance.conversation.constraint import Constraint, encode
from appliance.conversation.ports import Completion, Decision
from appliance.engines.protocol import EngineClient
from appliance.engines.supervisor import EngineSpec, python_engine
from appliance.errors import ConstraintError, EngineError
from appliance.language_model.matcher import Matcher
from appliance.language_model.wire import to_json

MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m"
"""Of the ``small`` profile; the 0.5B is twice as quick and reads badly (docs/adr/0016)."""
GRACE = 0.25
"""Seconds that the engine may take beyond a request's limit to say that it was not done."""


def llm_engine(paths: Paths, model: str = MODEL, threads: int = 2) -> EngineSpec:
    """How to start the language model's process; evaluated prompts are kept beside the models."""
    return python_engine(
        "language_model",
        "appliance.language_model.engine",
        *("--models", str(paths.models), "--model", model),
        *("--threads", str(threads), "--cache", str(paths.cache / "prompts")),
        ready_seconds=120.0,
    )


class LanguageModel:
    """Implements :class:`appliance.conversation.ports.Completer`."""

    def __init__(self, client: EngineClient) -> None:
        self._client = client

    async def complete(
        self, prefix: str, text: str, grammar: Constraint, *, sequence: str, seconds: float
    ) -> Completion:
        """The likeliest text under ``grammar`` after ``prefix`` and ``text``.

        ``seconds`` counts from now and includes waiting for other callers. Raises ConstraintError when
        nothing satisfies the constraint or the answer does not, EngineTimeout, EngineDown.
        """
        matcher = Matcher(grammar)
        request = {"prefix": prefix, "text": text, "constraint": to_json(grammar)}
        answer = await self._ask("complete", "completion", request, sequence, seconds)
        completion = _read(answer.data)
        if not matcher.matches(encode(completion.text)):
            raise ConstraintError("The engine's answer does not satisfy the constraint; it is not used.")
        return completion

    async def hold(self, prefix: str, *, seconds: float = 120.0) -> int:
        """Have ``prefix`` evaluated ahead of the first turn; its length in tokens."""
        answer = await self._ask("hold", "held", {"prefix": prefix}, "", seconds)
        return int(answer.data["tokens"])

    async def forget(self, sequence: str, *, seconds: float = 2.0) -> None:
        """A call has ended: what the engine keeps of it goes."""
        await self._ask("forget", "forgotten", {"prefix": ""}, sequence, seconds)

    async def _ask(
        self, kind: str, wanted: str, data: dict[str, Any], sequence: str, seconds: float
    ) -> Event:
        async with self._client.connect() as channel:
            await channel.send(kind, {**data, "sequence": sequence, "seconds": seconds})
            event = await self._client.expect(channel, seconds + GRACE)
        if event.type != wanted:
            raise EngineError(f"The language model answered '{event.type}' to '{kind}'.")
        return event


def _read(data: dict[str, Any]) -> Completion:
    try:
        return Completion(
            text=str(data["text"]),
            confidence=float(data["confidence"]),
            options=tuple((str(text), float(probability)) for text, probability in data["options"]),
            decisions=tuple(Decision(int(one["at"]), float(one["probability"])) for one in data["decisions"]),
            tokens=int(data["tokens"]),
            seconds=float(data["seconds"]),
            first_token_seconds=float(data["first_token_seconds"]),
        )
    except (KeyError, TypeError, ValueError) as cause:
        raise EngineError("The language model's answer is not complete.") from cause
