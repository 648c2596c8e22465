"""The TTS engine process: Wyoming ``synthesize`` in; ``audio-start``, ``-chunk`` …, ``-stop`` out."""

from __future__ import annotations

import argparse
import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from wyoming.event import Event

from appliance.config import load_paths
from appliance.engines.main import run_engine
from appliance.engines.protocol import Channel, EngineServer
from appliance.errors import EngineError, UsageError
from appliance.speech.clauses import clauses
from appliance.speech.external_voices import EspeakVoice, PicoVoice
from appliance.speech.phrase_cache import PhraseCache
from appliance.speech.piper import PiperVoice
from appliance.speech.spoken import NO_BREAK, spoken
from appliance.speech.voices import Audio, Chain, Voice, VoiceChoice, load_chains, on_this_box, usable_voices

log = logging.getLogger(__name__)

CHUNK = 4096
"""Samples of one ``audio-chunk``: 0.2 s, so that who leaves is noticed soon."""
LONGEST_TEXT = 20_000
"""Characters of one request; more is no utterance."""
WARM_UP = "1, 2, 3, 4, 5, 6, 7."


@dataclass(frozen=True)
class Clause:
    """A spoken clause. ``failed``: better voices that did not speak, with why."""

    audio: Audio
    choice: VoiceChoice
    cached: bool
    failed: tuple[str, ...] = ()

    @property
    def fallback_reason(self) -> str:
        """Why not the best voice of the chain spoke; empty when it did."""
        return "; ".join(part for part in (self.choice.reason, *self.failed) if part)


class Voices:
    """The voices of this box: loaded when first used, and the next of the chain when one fails."""

    def __init__(self, models: Path, chains: Mapping[str, Chain], cache: PhraseCache, threads: int) -> None:
        """``threads``: of a Piper voice."""
        self._models = models
        self._chains = chains
        self._cache = cache
        self._threads = threads
        self._loaded: dict[str, Voice] = {}

    def usable(self, language: str, name: str | None) -> list[VoiceChoice]:
        """Best first; only ``name`` when it is given. Raises UsageError, SetupError."""
        found = usable_voices(language, self._chains, on_this_box(self._models))
        if name is None:
            return found
        named = [choice for choice in found if choice.id == name]
        if not named:
            known = ", ".join(choice.id for choice in found)
            raise UsageError(f"'{name}' is no voice for '{language}' here. There are: {known}.")
        return named

    def speak(self, words: str, choices: list[VoiceChoice]) -> Clause:
        """One clause with the first voice that does it. Blocking. Raises EngineError when none does."""
        failed: list[str] = []
        for choice in choices:
            audio = self._cache.get(choice.key, words)
            if audio is not None:
                return Clause(audio, choice, True, tuple(failed))
            try:
                audio = self.load(choice).synthesize(words.replace(NO_BREAK, " "))
            except EngineError as error:
                log.warning("%s failed, the next voice speaks: %s", choice.id, error.message)
                failed.append(error.message)
                continue
            self._cache.put(choice.key, words, audio)
            return Clause(audio, choice, False, tuple(failed))
        raise EngineError(f"No voice spoke. {' '.join(failed)}")

    def load(self, choice: VoiceChoice) -> Voice:
        """Raises ModelCorrupt."""
        if choice.id not in self._loaded:
            self._loaded[choice.id] = self._make(choice)
        return self._loaded[choice.id]

    def _make(self, choice: VoiceChoice) -> Voice:
        match choice.kind:
            case "piper":
                return PiperVoice(self._models / choice.name, choice.language, self._threads)
            case "pico":
                return PicoVoice(choice.name)
            case _:
                return EspeakVoice(choice.name)


class TtsEngine(EngineServer):
    """Speaks one clause at a time in the order of arrival, so that two callers take turns."""

    name = "tts"

    def __init__(self, voices: Voices, languages: tuple[str, ...]) -> None:
        """``languages``: whose voices are loaded at start; the others when they are first asked for."""
        self._voices = voices
        self._languages = languages
        self._turn = asyncio.Lock()

    def load(self) -> None:
        for language in self._languages:
            self._voices.load(self._voices.usable(language, None)[0]).synthesize(WARM_UP)

    async def handle(self, first: Event, channel: Channel) -> None:
        began = perf_counter()
        text, language, name = _request(first)
        choices = self._voices.usable(language, name)
        done: list[Clause] = []
        seconds_first = 0.0
        for clause in clauses(spoken(text, language)):
            async with self._turn:
                if channel.gone:
                    return
                made = await asyncio.to_thread(self._voices.speak, clause, choices)
            if not done:
                seconds_first = perf_counter() - began
                await channel.send("audio-start", _form(made.audio))
            await _send(channel, made.audio)
            done.append(made)
        if not done:
            raise EngineError("There is nothing to say in this text.")
        worst = max(done, key=lambda one: len(one.fallback_reason))
        await channel.send(
            "audio-stop",
            {
                "voice": worst.choice.id,
                "fallback_reason": worst.fallback_reason,
                "cached": all(one.cached for one in done),
                "seconds_first": round(seconds_first, 4),
            },
        )


def _request(first: Event) -> tuple[str, str, str | None]:
    """Text, language and the voice's name, if one is wanted. Raises EngineError."""
    if first.type != "synthesize":
        raise EngineError(f"The TTS engine knows no event '{first.type}'. Begin with 'synthesize'.")
    voice = first.data.get("voice")
    text = first.data.get("text")
    if not isinstance(text, str) or not isinstance(voice, dict) or not isinstance(voice.get("language"), str):
        raise EngineError("'synthesize' needs a text and a voice with its language.")
    if len(text) > LONGEST_TEXT:
        raise EngineError(f"'synthesize' got {len(text)} characters; {LONGEST_TEXT} can be spoken at once.")
    name = voice.get("name")
    return text, voice["language"], str(name) if name else None


def _form(audio: Audio) -> dict[str, int]:
    return {"rate": audio.rate, "width": 2, "channels": 1}


async def _send(channel: Channel, audio: Audio) -> None:
    for start in range(0, len(audio.samples), CHUNK):
        if channel.gone:
            return
        payload = audio.samples[start : start + CHUNK].astype("<i2").tobytes()
        await channel.send("audio-chunk", _form(audio), payload)


def main() -> None:
    """Arguments: socket, models, phrase cache, languages to load at start, threads."""
    paths = load_paths()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--socket", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=paths.models)
    parser.add_argument("--voices", type=Path, default=paths.checkout / "models" / "voices.toml")
    parser.add_argument("--cache", type=Path, default=paths.data / "phrases")
    parser.add_argument("--languages", default="de,en", help="voices loaded at start")
    parser.add_argument("--threads", type=int, default=2, help="of a Piper voice")
    given = parser.parse_args()
    voices = Voices(given.models, load_chains(given.voices), PhraseCache(given.cache), given.threads)
    run_engine(TtsEngine(voices, tuple(given.languages.split(","))), given.socket)


if __name__ == "__main__":
    main()
