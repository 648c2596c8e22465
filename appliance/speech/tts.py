"""Text to speech for the layers above: clause by clause, from the cache when it can, else from the engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping

import numpy as np

from appliance.engines.protocol import EngineClient
from appliance.errors import EngineError
from appliance.speech.clauses import clauses
from appliance.speech.phrase_cache import PhraseCache
from appliance.speech.spoken import spoken
from appliance.speech.voices import Audio, VoiceChoice

LIMIT = 1.6
"""Seconds for the first sound of a clause; the caller must hear something within two."""


class TextToSpeech:
    """Client of ``tts_engine``, shared by all calls."""

    def __init__(self, client: EngineClient, cache: PhraseCache, voices: Mapping[str, VoiceChoice]) -> None:
        """``voices``: the chosen voice by language."""
        self._client = client
        self._cache = cache
        self._voices = voices

    async def synthesize(self, text: str, language: str, *, seconds: float = LIMIT) -> AsyncIterator[Audio]:
        """The text as audio, one piece per clause. Raises EngineDown, EngineTimeout, EngineError."""
        for clause in clauses(text):
            words = spoken(clause, language)
            if not words:
                continue
            audio = self._cached(words, language)
            yield audio if audio is not None else await self._ask(words, language, seconds)

    def cached(self, text: str, language: str) -> Audio | None:
        """A whole text from the cache, without any engine; None when a clause of it is missing."""
        found = [self._cached(spoken(clause, language), language) for clause in clauses(text)]
        if not found or any(audio is None for audio in found):
            return None
        whole = [audio for audio in found if audio is not None]
        return Audio(np.concatenate([audio.samples for audio in whole]), whole[0].rate)

    async def prepare(self, texts: Iterable[str], language: str) -> int:
        """Have these texts in the cache; returns how many clauses had to be made. Raises EngineError."""
        made = 0
        for text in texts:
            for clause in clauses(text):
                words = spoken(clause, language)
                if words and self._cached(words, language) is None:
                    await self._ask(words, language, 30.0)
                    made += 1
        return made

    def _cached(self, words: str, language: str) -> Audio | None:
        choice = self._choice(language)
        return self._cache.get(f"{choice.kind}-{choice.name}", words)

    def _choice(self, language: str) -> VoiceChoice:
        if language not in self._voices:
            raise EngineError(f"No voice speaks '{language}' on this box.")
        return self._voices[language]

    async def _ask(self, words: str, language: str, seconds: float) -> Audio:
        """One clause from the engine, which also puts it into the cache."""
        parts: list[bytes] = []
        rate = 0
        async with self._client.connect() as channel:
            await channel.send("synthesize", {"text": words, "voice": {"language": language}})
            while True:
                event = await self._client.expect(channel, seconds)
                match event.type:
                    case "audio-start":
                        rate = int(event.data["rate"])
                    case "audio-chunk":
                        parts.append(event.payload or b"")
                    case "audio-stop":
                        return Audio(np.frombuffer(b"".join(parts), dtype=np.int16), rate)
                    case other:
                        raise EngineError(f"The TTS engine sent an unknown event '{other}'.")
