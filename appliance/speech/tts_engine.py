"""The TTS engine process: Wyoming ``synthesize`` in; ``audio-start``, ``-chunk`` …, ``-stop`` out."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from wyoming.event import Event

from appliance.config import load_paths
from appliance.engines.main import run_engine
from appliance.engines.protocol import Channel, EngineServer
from appliance.errors import EngineError, SetupError
from appliance.speech.phrase_cache import PhraseCache
from appliance.speech.piper import PiperVoice
from appliance.speech.system_voices import EspeakVoice, PicoVoice
from appliance.speech.voices import Audio, Chain, Voice, VoiceChoice, choose_voice, load_chains, on_this_box

CHUNK = 4096
"""Samples of one ``audio-chunk``."""


class TtsEngine(EngineServer):
    """Speaks one clause at a time, in the order of arrival."""

    name = "tts"

    def __init__(
        self,
        models: Path,
        chains: dict[str, Chain],
        cache: PhraseCache,
        languages: tuple[str, ...],
        threads: int,
    ) -> None:
        """``languages``: whose voices are loaded at start; the others when they are first asked for."""
        self._models = models
        self._chains = chains
        self._cache = cache
        self._languages = languages
        self._threads = threads
        self._voices: dict[str, tuple[VoiceChoice, Voice]] = {}
        self._turn = asyncio.Lock()

    def load(self) -> None:
        for language in self._languages:
            _, voice = self._voice(language)
            voice.synthesize("1, 2, 3.")

    async def handle(self, first: Event, channel: Channel) -> None:
        if first.type != "synthesize":
            raise EngineError(f"The TTS engine knows no event '{first.type}'. Begin with 'synthesize'.")
        text = str(first.data.get("text", "")).strip()
        language = str((first.data.get("voice") or {}).get("language", ""))
        if not text:
            raise EngineError("'synthesize' has no text.")
        async with self._turn:
            if channel.gone:
                return
            choice, audio = await asyncio.to_thread(self._speak, text, language)
        await _send(channel, audio, choice)

    def _speak(self, text: str, language: str) -> tuple[VoiceChoice, Audio]:
        choice, voice = self._voice(language)
        key = f"{choice.kind}-{choice.name}"
        audio = self._cache.get(key, text)
        if audio is None:
            audio = voice.synthesize(text)
            self._cache.put(key, text, audio)
        return choice, audio

    def _voice(self, language: str) -> tuple[VoiceChoice, Voice]:
        if language not in self._voices:
            try:
                choice = choose_voice(language, self._chains, on_this_box(self._models))
            except SetupError as error:
                raise EngineError(error.message) from error
            self._voices[language] = choice, self._make(choice)
        return self._voices[language]

    def _make(self, choice: VoiceChoice) -> Voice:
        match choice.kind:
            case "piper":
                return PiperVoice(self._models / choice.name, self._threads)
            case "pico":
                return PicoVoice(choice.name)
            case _:
                return EspeakVoice(choice.name)


async def _send(channel: Channel, audio: Audio, choice: VoiceChoice) -> None:
    form = {"rate": audio.rate, "width": 2, "channels": 1}
    await channel.send("audio-start", {**form, "voice": f"{choice.kind}-{choice.name}"})
    for start in range(0, len(audio.samples), CHUNK):
        await channel.send("audio-chunk", form, audio.samples[start : start + CHUNK].tobytes())
    await channel.send("audio-stop", {"passed_over": list(choice.passed_over)})


def main() -> None:
    """Arguments: socket, models, phrase cache, languages to load at start, threads."""
    paths = load_paths()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--socket", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=paths.models)
    parser.add_argument("--voices", type=Path, default=paths.checkout / "models" / "voices.toml")
    parser.add_argument("--cache", type=Path, default=paths.data / "phrases")
    parser.add_argument("--languages", default="de,en")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    engine = TtsEngine(
        given.models,
        load_chains(given.voices),
        PhraseCache(given.cache),
        tuple(given.languages.split(",")),
        given.threads,
    )
    run_engine(engine, given.socket)


if __name__ == "__main__":
    main()
