"""The ear as LiveKit's speech-to-text: frames in, one final transcript per stretch of speech out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from livekit.agents import stt
from livekit.agents.language import LanguageCode
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, NOT_GIVEN, APIConnectOptions, NotGivenOr
from livekit.agents.utils import AudioBuffer

from appliance.adapters.voice.ear import Ear, Heard
from appliance.speech.audio import RATE

MakeEar = Callable[[Callable[[Heard], None]], Ear]
"""Builds a call's ear around the function that is told what was heard."""


class Hearing(stt.STT[str]):
    """Streaming recogniser of one call."""

    def __init__(self, make_ear: MakeEar) -> None:
        super().__init__(capabilities=stt.STTCapabilities(streaming=True, interim_results=False))
        self._make_ear = make_ear

    def stream(
        self,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
    ) -> stt.RecognizeStream:
        return HearingStream(self, self._make_ear, conn_options)

    async def _recognize_impl(
        self, buffer: AudioBuffer, *, language: NotGivenOr[str] = NOT_GIVEN, conn_options: APIConnectOptions
    ) -> stt.SpeechEvent:
        raise TypeError("Hearing is a stream: use stream().")


class HearingStream(stt.RecognizeStream):
    """Feeds the ear and passes on what it heard."""

    def __init__(self, hearing: Hearing, make_ear: MakeEar, conn_options: APIConnectOptions) -> None:
        super().__init__(stt=hearing, conn_options=conn_options, sample_rate=RATE)
        self._ear = make_ear(self._pass_on)

    async def _run(self) -> None:
        try:
            async for item in self._input_ch:
                if not isinstance(item, self._FlushSentinel):
                    self._ear.push(np.frombuffer(item.data, dtype=np.int16))
        finally:
            self._ear.close()

    def _pass_on(self, heard: Heard) -> None:
        transcript = heard.transcript
        data = stt.SpeechData(
            language=LanguageCode(transcript.language), text=transcript.text, confidence=transcript.confidence
        )
        event = stt.SpeechEvent(type=stt.SpeechEventType.FINAL_TRANSCRIPT, alternatives=[data])
        self._event_ch.send_nowait(event)
