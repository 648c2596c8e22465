"""A recording to user turns, with the same voice detection, recogniser and gate as a call."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from appliance.speech.audio import Samples
from appliance.speech.segments import SegmentSettings
from appliance.speech.stt import SpeechToText
from appliance.speech.transcript import Transcript
from appliance.speech.turn_gate import TurnGate
from appliance.speech.vad import DEFAULT_SEGMENTS, VoiceModel, utterances


@dataclass(frozen=True)
class Heard:
    """One utterance of a recording; times in seconds of the recording."""

    start: float
    end: float
    transcript: Transcript


async def listen(
    samples: Samples,
    stt: SpeechToText,
    voice: VoiceModel,
    language: str,
    *,
    words: Iterable[str] = (),
    said: Iterable[str] = (),
    settings: SegmentSettings = DEFAULT_SEGMENTS,
    seconds: float = 30.0,
) -> AsyncIterator[Heard]:
    """Every utterance with its transcript, which carries the gate's judgement.

    ``samples``: 16 kHz mono int16. ``said``: what the assistant said meanwhile. ``seconds``: time limit for
    one utterance. Raises what ``SpeechToText.transcribe`` raises.
    """
    gate, terms, spoken = TurnGate(), tuple(words), tuple(said)
    for utterance in utterances(voice, samples, settings):
        heard = await stt.transcribe(
            utterance.samples, language, words=terms, voice=utterance.voice, seconds=seconds
        )
        yield Heard(utterance.start, utterance.end, heard.judged(gate.decide(heard, spoken)))
