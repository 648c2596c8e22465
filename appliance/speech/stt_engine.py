"""The STT engine process: Wyoming ``transcribe`` + audio in, one ``transcript`` out."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from wyoming.event import Event

from appliance.config import load_paths
from appliance.engines.main import run_engine
from appliance.engines.protocol import Channel, EngineServer
from appliance.errors import AudioError, EngineError
from appliance.speech.audio import HIGHEST_RATE, LOWEST_RATE, RATE, Samples, resample
from appliance.speech.known_phrases import load_known_phrases
from appliance.speech.recogniser import Recogniser, Request
from appliance.speech.stt import MODEL
from appliance.speech.transcript import Voice, to_data
from appliance.speech.vad import VoiceModel
from appliance.speech.whisper import FULL_WINDOW, Whisper, WhisperSettings

WARM_UP_SECONDS = 2.0


class SttEngine(EngineServer):
    """Serves one utterance at a time, in the order of arrival."""

    name = "stt"

    def __init__(self, model: Path, knowledge: Path, settings: WhisperSettings) -> None:
        """``model``: folder of the weights; ``knowledge``: folder with ``recognition/<lang>.yaml``."""
        self._model = model
        self._knowledge = knowledge
        self._settings = settings
        self._turn = asyncio.Lock()

    def load(self) -> None:
        whisper = Whisper(self._model, self._settings)
        self._recogniser = Recogniser(whisper, VoiceModel(), load_known_phrases(self._knowledge))
        silence: Samples = np.zeros(int(WARM_UP_SECONDS * RATE), np.int16)
        self._recogniser.recognise(silence, Request("en"))

    async def handle(self, first: Event, channel: Channel) -> None:
        if first.type != "transcribe":
            raise EngineError(f"The STT engine knows no event '{first.type}'. Begin with 'transcribe'.")
        request = read_request(first.data or {})
        samples = await receive_audio(channel)
        async with self._turn:
            if channel.gone:
                return
            transcript = await asyncio.to_thread(self._recogniser.recognise, samples, request)
        await channel.send("transcript", to_data(transcript))


def read_request(data: Mapping[str, Any]) -> Request:
    """The ``transcribe`` event's data. Raises EngineError when a field has the wrong shape."""
    try:
        voice = data.get("voice")
        return Request(
            language=str(data["language"]),
            words=tuple(str(word) for word in data.get("transcript_terms") or ()),
            candidates={
                str(answer): tuple(str(text) for text in texts)
                for answer, texts in (data.get("candidates") or {}).items()
            },
            full_window=bool(data.get("full_window", False)),
            voice=None if voice is None else Voice(float(voice[0]), float(voice[1])),
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as cause:
        raise EngineError(
            f"The 'transcribe' event can't be read ({cause!r}); see docs/reference/stt.md."
        ) from cause


async def receive_audio(channel: Channel) -> Samples:
    """The utterance of one request as 16 kHz mono.

    Raises AudioError when it is no 16-bit PCM or longer than 30 s, EngineError on an event that is none of
    audio-start, audio-chunk, audio-stop.
    """
    blocks: list[Samples] = []
    rate, channels, seconds = RATE, 1, 0.0
    while True:
        event = await channel.receive()
        if event is None or event.type == "audio-stop":
            break
        if event.type not in ("audio-start", "audio-chunk"):
            raise EngineError(f"'{event.type}' came in the middle of an utterance.")
        rate, channels = _form(event.data or {})
        block = np.frombuffer(event.payload or b"", np.int16).reshape(-1, channels)
        blocks.append(block.mean(axis=1).astype(np.int16) if channels > 1 else block[:, 0])
        seconds += block.shape[0] / rate
        if seconds > FULL_WINDOW:
            raise AudioError(f"An utterance lasts {FULL_WINDOW:.0f} s at most. Cut it with voice detection.")
    samples: Samples = np.concatenate(blocks) if blocks else np.zeros(0, np.int16)
    return resample(samples, rate, RATE)


def _form(data: Mapping[str, Any]) -> tuple[int, int]:
    """Rate and channels that an audio event says."""
    rate, width, channels = (int(data.get(key, 0)) for key in ("rate", "width", "channels"))
    if width != 2 or channels not in (1, 2) or not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise AudioError(f"16-bit PCM in one or two channels is needed, not {dict(data)}.")
    return rate, channels


def main() -> None:
    """``python -m appliance.speech.stt_engine --socket PATH``."""
    paths = load_paths()
    parser = argparse.ArgumentParser(prog="stt_engine", description=__doc__)
    parser.add_argument("--socket", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=paths.models, help="folder of the model store")
    parser.add_argument("--model", default=MODEL, help="id of the model in it")
    parser.add_argument("--knowledge", type=Path, default=paths.knowledge)
    parser.add_argument("--threads", type=int, default=WhisperSettings.threads)
    parser.add_argument("--beam", type=int, default=WhisperSettings.beam)
    options = parser.parse_args()
    settings = WhisperSettings(threads=options.threads, beam=options.beam)
    run_engine(SttEngine(options.models / options.model, options.knowledge, settings), options.socket)


if __name__ == "__main__":
    main()
