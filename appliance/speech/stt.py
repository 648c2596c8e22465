"""Speech to text for the layers above: one call per utterance, answered by the engine process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from appliance.engines.protocol import EngineClient
from appliance.engines.supervisor import EngineSpec, python_engine
from appliance.errors import EngineError
from appliance.speech.audio import RATE, Samples
from appliance.speech.transcript import Transcript, Voice, from_data

MODEL = "whisper-base"
"""Id of the smallest machine's model."""
CHUNK = RATE
"""Samples per audio event."""


def stt_engine(model: str = MODEL, *, threads: int = 2) -> EngineSpec:
    """How to start the engine process with the model ``model`` of the store."""
    return python_engine("stt", "appliance.speech.stt_engine", "--model", model, "--threads", str(threads))


class SpeechToText:
    """Client of ``stt_engine``, shared by all calls; the engine serves one utterance after the other."""

    def __init__(self, client: EngineClient) -> None:
        self._client = client

    async def transcribe(
        self,
        audio: Samples,
        language: str,
        *,
        words: Iterable[str] = (),
        candidates: Mapping[str, Sequence[str]] | None = None,
        voice: Voice | None = None,
        full_window: bool = False,
        seconds: float = 10.0,
    ) -> Transcript:
        """The transcript of one utterance.

        ``audio``: mono int16 at 16 kHz, at most 30 s. ``language``: a code such as "de". ``words``: names and
        dishes whose spelling should be likelier. ``candidates``: a closed set, answer -> spellings; a short
        utterance that is one of them has it as ``answer``. ``voice``: what the caller's own voice
        detection found, else the engine looks itself. ``full_window``: 30 s, as a reference. ``seconds``:
        time limit, waiting for other callers included. Cancelling it tells the engine to drop the work.

        Raises EngineDown, EngineTimeout, EngineError, AudioError.
        """
        request = {
            "language": language,
            "transcript_terms": list(words),
            "candidates": {answer: list(texts) for answer, texts in (candidates or {}).items()},
            "full_window": full_window,
            "voice": None if voice is None else [voice.voiced, voice.certain],
        }
        form = {"rate": RATE, "width": 2, "channels": 1}
        async with self._client.connect() as channel:
            await channel.send("transcribe", request)
            await channel.send("audio-start", form)
            for start in range(0, audio.size, CHUNK):
                await channel.send("audio-chunk", form, audio[start : start + CHUNK].tobytes())
            await channel.send("audio-stop")
            event = await self._client.expect(channel, seconds)
        try:
            return from_data(event.data)
        except (KeyError, ValueError, TypeError) as cause:
            raise EngineError(f"The STT engine sent an unreadable '{event.type}' event.") from cause
