"""The language model's process: ``python -m appliance.language_model.engine --socket S --models M …``."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import click
from wyoming.event import Event

from appliance.engines.main import run_engine
from appliance.engines.protocol import Channel, EngineServer
from appliance.errors import EngineError, EngineTimeout, UsageError
from appliance.language_model.decoding import decode
from appliance.language_model.fair_queue import FairQueue
from appliance.language_model.llama import Llama, LlamaSettings
from appliance.language_model.prefixes import Check, PrefixFiles, Sequences
from appliance.language_model.wire import from_json

LOOK_SECONDS = 0.02
"""How often it is seen whether the client has gone."""
LONGEST_TEXT = 8_000
"""Characters of a request's text, beyond its prefix."""


@dataclass(frozen=True)
class Request:
    """One ``complete`` or ``hold`` event's data."""

    prefix: str
    text: str
    constraint: Any
    sequence: str
    seconds: float

    @classmethod
    def read(cls, data: dict[str, Any]) -> Request:
        """Raises EngineError when a field is missing or has the wrong type."""
        match data:
            case {"prefix": str(prefix), "sequence": str(sequence), "seconds": int() | float() as seconds}:
                text = data.get("text", "")
                if isinstance(text, str) and len(text) <= LONGEST_TEXT and seconds > 0:
                    return cls(prefix, text, data.get("constraint"), sequence, float(seconds))
        raise EngineError(
            f"A request needs prefix, text (up to {LONGEST_TEXT} characters), constraint, sequence, seconds."
        )


class LanguageModelEngine(EngineServer):
    """Serves ``complete``, ``hold`` (evaluate a prefix ahead of time) and ``forget`` (a call has ended)."""

    name = "language_model"

    def __init__(
        self, file: Path, settings: LlamaSettings, cache: Path | None, prefixes: tuple[Path, ...] = ()
    ) -> None:
        """``cache``: folder for evaluated prefixes; ``prefixes``: text files to evaluate while loading."""
        self._file = file
        self._settings = settings
        self._cache = cache
        self._warm = prefixes
        self._queue = FairQueue()

    def load(self) -> None:
        self._llama = Llama(self._file, self._settings)
        name = f"{self._llama.fingerprint()} {self._llama.version}"
        files = PrefixFiles(self._cache, name) if self._cache else None
        self._sequences = Sequences(self._llama, files)
        for file in self._warm:
            try:
                prefix = file.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as cause:
                raise UsageError(f"The prompt file {file} can't be read: {cause}.") from cause
            self._sequences.hold(prefix, _never)

    async def handle(self, first: Event, channel: Channel) -> None:
        request = Request.read(first.data)
        async with self._stoppable(channel, request.seconds) as check, self._queue.turn(request.sequence):
            match first.type:
                case "complete":
                    answer = await asyncio.to_thread(self._complete, request, check)
                    await channel.send("completion", answer)
                case "hold":
                    tokens = await asyncio.to_thread(self._sequences.hold, request.prefix, check)
                    await channel.send("held", {"tokens": tokens})
                case "forget":
                    await asyncio.to_thread(self._sequences.forget, request.sequence)
                    await channel.send("forgotten")
                case kind:
                    raise EngineError(f"The language model knows no '{kind}' event.")

    def _complete(self, request: Request, check: Check) -> dict[str, Any]:
        began = monotonic()
        constraint = from_json(request.constraint)
        if not request.text:
            raise EngineError("A request needs a text beyond its prefix.")
        writer, tokens = self._sequences.begin(request.prefix, request.text, request.sequence, check)
        decoded = decode(constraint, self._llama.vocabulary, writer, tokens, check)
        return {
            "text": decoded.text,
            "confidence": decoded.confidence,
            "options": [list(option) for option in decoded.options],
            "decisions": [asdict(decision) for decision in decoded.decisions],
            "tokens": writer.tokens,
            "seconds": monotonic() - began,
            "first_token_seconds": decoded.first_token_seconds,
        }

    @contextlib.asynccontextmanager
    async def _stoppable(self, channel: Channel, seconds: float) -> AsyncIterator[Check]:
        """A check that raises once ``seconds`` are over or the client has gone."""
        deadline = monotonic() + seconds
        gone = threading.Event()

        async def look() -> None:
            while not channel.gone:  # noqa: ASYNC110 - the stream has no event for its end
                await asyncio.sleep(LOOK_SECONDS)
            gone.set()

        def check() -> None:
            if gone.is_set():
                raise EngineError("The client has gone.")
            if monotonic() > deadline:
                raise EngineTimeout(f"The language model was not done after {seconds:.1f} s.")

        watcher = asyncio.create_task(look())
        try:
            yield check
        finally:
            watcher.cancel()


def _never() -> None:
    """The check of a request that nobody stops."""


@click.command()
@click.option("--socket", required=True, type=click.Path(path_type=Path), help="Unix socket to listen on.")
@click.option("--models", required=True, type=click.Path(path_type=Path), help="Folder of the model store.")
@click.option("--model", required=True, help="Id of the model: <models>/<id>/model.gguf.")
@click.option("--threads", default=2, show_default=True, help="Threads for the model.")
@click.option("--cells", default=LlamaSettings.cells, show_default=True, help="Tokens held by all sequences.")
@click.option(
    "--cache", type=click.Path(path_type=Path), help="Folder for evaluated prompts; none: not kept."
)
@click.option(
    "--prefix-file", "prefixes", multiple=True, type=click.Path(path_type=Path), help="Evaluate at start."
)
def main(
    socket: Path,
    models: Path,
    model: str,
    threads: int,
    cells: int,
    cache: Path | None,
    prefixes: tuple[Path, ...],
) -> None:
    """Load a language model and serve constrained completions."""
    settings = LlamaSettings(threads=threads, cells=cells)
    run_engine(LanguageModelEngine(models / model / "model.gguf", settings, cache, prefixes), socket)


if __name__ == "__main__":
    main()
