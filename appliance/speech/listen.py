"""A recording to user turns, with the same voice detection, recogniser and gate as a call."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field

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


@dataclass(frozen=True)
class Listener:
    """Recordings to utterances. ``seconds``: time limit for one utterance."""

    stt: SpeechToText
    voice: VoiceModel
    seconds: float = 30.0
    settings: SegmentSettings = DEFAULT_SEGMENTS
    gate: TurnGate = field(default_factory=TurnGate)

    async def listen(
        self, samples: Samples, language: str, *, words: Iterable[str] = (), said: Iterable[str] = ()
    ) -> AsyncIterator[Heard]:
        """Every utterance with its transcript, which carries the gate's judgement.

        ``samples``: 16 kHz mono int16. ``words``: likely names and dishes. ``said``: what the assistant said
        meanwhile. Raises what ``SpeechToText.transcribe`` raises.
        """
        terms, spoken = tuple(words), tuple(said)
        for utterance in utterances(self.voice, samples, self.settings):
            heard = await self.stt.transcribe(
                utterance.samples, language, words=terms, voice=utterance.voice, seconds=self.seconds
            )
            judgement = self.gate.decide(heard, spoken)
            yield Heard(utterance.start, utterance.end, heard.judged(judgement))
