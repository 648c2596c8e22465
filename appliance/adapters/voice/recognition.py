"""Recognises one call's speech with the question in mind; a dead engine costs a sentence, not words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from appliance.errors import EngineError
from appliance.speech.audio import Samples
from appliance.speech.stt import SpeechToText
from appliance.speech.transcript import Transcript, Voice

LIMIT = 1.6
"""Seconds after which the engine counts as gone; the caller must hear something within two."""
PATIENCE = 12.0
"""Seconds for the second try, after the caller was told that it takes a moment."""


@dataclass
class Recognition:
    """``recovered``: waits until the engine answers again; ``bridge``: says a bridge sentence meanwhile."""

    engine: SpeechToText
    recovered: Callable[[], Awaitable[bool]]
    bridge: Callable[[EngineError], None]
    language: str
    words: Sequence[str] = ()
    candidates: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The closed set of answers to the open question; empty when it is open what comes."""

    async def __call__(self, audio: Samples, voice: Voice) -> Transcript:
        """The transcript. The audio is kept while the engine restarts. Raises EngineError for good."""
        try:
            return await self._ask(audio, voice, LIMIT)
        except EngineError as error:
            self.bridge(error)
            if not await self.recovered():
                raise
        return await self._ask(audio, voice, PATIENCE)

    async def _ask(self, audio: Samples, voice: Voice, seconds: float) -> Transcript:
        return await self.engine.transcribe(
            audio,
            self.language,
            words=self.words,
            candidates=self.candidates,
            voice=voice,
            seconds=seconds,
        )
