"""Text to speech for the layers above: from the phrase cache when it can, else from the engine."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from appliance.engines.protocol import Channel, EngineClient
from appliance.engines.supervisor import EngineSpec, python_engine
from appliance.errors import EngineError
from appliance.speech.clauses import clauses
from appliance.speech.phrase_cache import PhraseCache
from appliance.speech.spoken import spoken
from appliance.speech.voices import Audio, VoiceChoice

__all__ = ["Audio", "Spoken", "TextToSpeech"]

LIMIT = 1.6
"""Seconds in which the engine must send the next piece; the caller must hear something within two."""
PREPARING = 30.0
"""The same while phrases are made beforehand and nobody waits."""


def tts_engine(languages: Iterable[str], *, threads: int = 2) -> EngineSpec:
    """How to start the engine process with the voices of ``languages`` loaded."""
    return python_engine(
        "tts", "appliance.speech.tts_engine", "--languages", ",".join(languages), "--threads", str(threads)
    )


@dataclass(frozen=True)
class Spoken:
    """How a text was spoken."""

    voice: str
    """``kind:name``."""
    fallback_reason: str
    """Why not the best voice of the chain spoke; empty when it did."""
    cached: bool
    """True when every clause came from the cache."""


class TextToSpeech:
    """Client of ``tts_engine``, shared by all calls.

    What is in the cache is played without the engine, so that a bridge sentence that was prepared can be
    heard while no engine lives. What :meth:`prepare` made is held in memory too: it needs no disk either.
    """

    def __init__(self, client: EngineClient, cache: PhraseCache, voices: Mapping[str, VoiceChoice]) -> None:
        """``voices``: the chosen voice by language (``voices.choose_voices``)."""
        self._client = client
        self._cache = cache
        self._voices = voices
        self._held: dict[tuple[str, str], Audio] = {}

    async def synthesize(
        self,
        text: str,
        language: str,
        *,
        seconds: float = LIMIT,
        report: Callable[[Spoken], None] | None = None,
    ) -> AsyncIterator[Audio]:
        """The text as pieces of audio in order; closing the iterator stops the engine (barge-in).

        The clauses at the front that are cached come at once, while the engine already makes the others.
        A text without anything to say gives nothing. ``report`` is told at the end how it was spoken.
        Raises EngineDown, EngineTimeout, EngineError.
        """
        parts = clauses(spoken(text, language))
        ready = self._front(parts, language)
        rest = " ".join(parts[len(ready) :])
        async with contextlib.AsyncExitStack() as stack:
            begun = await self._begin(stack, rest, language) if rest else None
            for audio in ready:
                yield audio
            if isinstance(begun, EngineError):
                raise begun
            if begun is not None:
                async for audio in self._received(begun, seconds, report):
                    yield audio
            elif report and ready:
                choice = self._choice(language)
                report(Spoken(choice.id, choice.reason, True))

    def cached(self, text: str, language: str) -> Audio | None:
        """A whole text without any engine: for bridge sentences. None when a clause of it is missing."""
        parts = clauses(spoken(text, language))
        ready = self._front(parts, language)
        if not parts or len(ready) < len(parts) or len({audio.rate for audio in ready}) > 1:
            return None
        return Audio(np.concatenate([audio.samples for audio in ready]), ready[0].rate)

    async def prepare(self, texts: Iterable[str], language: str) -> int:
        """Have these texts at hand, in the cache and in memory: greeting, bridge sentences, fixed phrases.

        Returns how many clauses had to be made. Raises EngineError.
        """
        made = 0
        for text in texts:
            for words in clauses(spoken(text, language)):
                audio = self._cached(words, language)
                if audio is None:
                    audio = await self._made(words, language)
                    made += 1
                self._held[self._choice(language).key, words] = audio
        return made

    def _front(self, parts: Iterable[str], language: str) -> list[Audio]:
        """The clauses at the front that are cached."""
        found: list[Audio] = []
        for words in parts:
            audio = self._cached(words, language)
            if audio is None:
                break
            found.append(audio)
        return found

    def _cached(self, words: str, language: str) -> Audio | None:
        key = self._choice(language).key
        return self._held.get((key, words)) or self._cache.get(key, words)

    def _choice(self, language: str) -> VoiceChoice:
        if language not in self._voices:
            known = ", ".join(sorted(self._voices))
            raise EngineError(f"No voice was chosen for '{language}'; there are voices for: {known}.")
        return self._voices[language]

    async def _made(self, words: str, language: str) -> Audio:
        async with contextlib.AsyncExitStack() as stack:
            begun = await self._begin(stack, words, language)
            if isinstance(begun, EngineError):
                raise begun
            pieces = [audio async for audio in self._received(begun, PREPARING, None)]
        return Audio(np.concatenate([audio.samples for audio in pieces]), pieces[0].rate)

    async def _begin(
        self, stack: contextlib.AsyncExitStack, words: str, language: str
    ) -> Channel | EngineError:
        """The channel on which the engine answers, or why there is none (the cached front comes first)."""
        try:
            channel = await stack.enter_async_context(self._client.connect())
            await channel.send("synthesize", {"text": words, "voice": {"language": language}})
        except EngineError as error:
            return error
        return channel

    async def _received(
        self, channel: Channel, seconds: float, report: Callable[[Spoken], None] | None
    ) -> AsyncIterator[Audio]:
        """The pieces as they come. Raises EngineError also when the engine says that it is done with none."""
        pieces = 0
        while True:
            event = await self._client.expect(channel, seconds)
            data = event.data
            match event.type:
                case "audio-start":
                    continue
                case "audio-chunk":
                    pieces += 1
                    samples = np.frombuffer(event.payload or b"", dtype="<i2").astype(np.int16)
                    yield Audio(samples, int(data["rate"]))
                case "audio-stop" if pieces:
                    if report:
                        report(Spoken(str(data["voice"]), str(data["fallback_reason"]), bool(data["cached"])))
                    return
                case other:
                    raise EngineError(f"The TTS engine sent '{other}' where sound was due.")
