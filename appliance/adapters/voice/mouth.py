"""Speaks one call's replies: clause by clause, and with a bridge sentence while the voice engine is away."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from livekit import rtc

from appliance.errors import EngineError
from appliance.speech.tts import Audio, TextToSpeech

FRAME_SECONDS = 0.1
"""Length of the pieces that are handed on; short, so that an interruption finds little queued."""


@dataclass(frozen=True)
class Mouth:
    """``bridge``: audio that needs no engine; ``recovered``: waits until the engine answers again."""

    voice: TextToSpeech
    bridge: Callable[[str], Audio | None]
    recovered: Callable[[], Awaitable[bool]]
    failed: Callable[[EngineError], None]

    async def speak(self, text: str, language: str) -> AsyncIterator[rtc.AudioFrame]:
        """The text as frames. A dead engine costs a bridge sentence and a repetition, not the answer."""
        try:
            async for frame in self._spoken(text, language):
                yield frame
            return
        except EngineError as error:
            self.failed(error)
        if (bridge := self.bridge(language)) is not None:
            for frame in frames(bridge):
                yield frame
        if await self.recovered():
            async for frame in self._spoken(text, language):
                yield frame

    async def _spoken(self, text: str, language: str) -> AsyncIterator[rtc.AudioFrame]:
        async for audio in self.voice.synthesize(text, language):
            for frame in frames(audio):
                yield frame


def frames(audio: Audio) -> list[rtc.AudioFrame]:
    """A piece of speech as LiveKit's frames."""
    size = max(1, int(audio.rate * FRAME_SECONDS))
    parts = [audio.samples[start : start + size] for start in range(0, len(audio.samples), size)]
    return [rtc.AudioFrame(part.tobytes(), audio.rate, 1, len(part)) for part in parts]
