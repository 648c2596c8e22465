"""The recogniser's process and client: what crosses the socket, in what order, with which errors."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from appliance.engines.protocol import EngineClient
from appliance.errors import AudioError, EngineDown, EngineError, EngineTimeout, ModelMissing
from appliance.speech.audio import RATE, Samples
from appliance.speech.recogniser import Request
from appliance.speech.stt import SpeechToText
from appliance.speech.stt_engine import SttEngine
from appliance.speech.transcript import Judgement, Transcript, Verdict, Voice
from appliance.speech.whisper import Whisper, WhisperSettings

pytestmark = pytest.mark.unit


class ScriptedRecogniser:
    """Remembers what it was asked and answers with the request's language as text."""

    def __init__(self) -> None:
        self.asked: list[tuple[Samples, Request]] = []
        self.at_once = 0
        self.most_at_once = 0
        self.pause = 0.0

    def recognise(self, samples: Samples, request: Request) -> Transcript:
        self.asked.append((samples, request))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        time.sleep(self.pause)
        self.at_once -= 1
        verdict = Judgement(Verdict.SPEECH, "scripted")
        voice = request.voice or Voice(1.0, 1.0)
        return Transcript(
            request.language, request.language, (), 1.0, -0.1, 0.0, verdict, 1.0, voice, 8.0, 0.1
        )


class ScriptedEngine(SttEngine):
    """The real process code around a scripted recogniser."""

    def __init__(self, recogniser: ScriptedRecogniser) -> None:
        super().__init__(Path("none"), Path("none"), WhisperSettings())
        self.scripted = recogniser

    def load(self) -> None:
        self._recogniser = self.scripted  # type: ignore[assignment]


@pytest.fixture
def recogniser() -> ScriptedRecogniser:
    return ScriptedRecogniser()


@pytest.fixture
async def client(recogniser: ScriptedRecogniser, tmp_path: Path) -> AsyncIterator[EngineClient]:
    client = EngineClient("stt", tmp_path / "stt.socket")
    task = asyncio.create_task(ScriptedEngine(recogniser).run(client.socket))
    for _ in range(500):
        if await client.ping():
            break
        await asyncio.sleep(0.01)
    yield client
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


SOUND = np.arange(2 * RATE + 77, dtype=np.int16)


async def test_the_request_and_every_sample_arrive(
    client: EngineClient, recogniser: ScriptedRecogniser
) -> None:
    transcript = await SpeechToText(client).transcribe(
        SOUND, "de", words=["Aylem"], candidates={"yes": ["Ja", "Genau"]}, voice=Voice(0.5, 0.25)
    )
    ((samples, request),) = recogniser.asked
    assert np.array_equal(samples, SOUND)
    assert request == Request("de", ("Aylem",), {"yes": ("Ja", "Genau")}, False, Voice(0.5, 0.25))
    assert transcript.text == "de"


async def test_callers_are_served_one_at_a_time_in_order(
    client: EngineClient, recogniser: ScriptedRecogniser
) -> None:
    recogniser.pause = 0.05
    stt = SpeechToText(client)
    waiting = []
    for language in ("de", "en", "tr"):
        waiting.append(asyncio.create_task(stt.transcribe(SOUND, language)))
        await asyncio.sleep(0.01)
    await asyncio.gather(*waiting)
    assert [request.language for _, request in recogniser.asked] == ["de", "en", "tr"]
    assert recogniser.most_at_once == 1


async def test_a_caller_who_gave_up_is_not_served(
    client: EngineClient, recogniser: ScriptedRecogniser
) -> None:
    recogniser.pause = 0.2
    stt = SpeechToText(client)
    first = asyncio.create_task(stt.transcribe(SOUND, "de"))
    await asyncio.sleep(0.05)
    second = asyncio.create_task(stt.transcribe(SOUND, "en"))
    await asyncio.sleep(0.05)
    second.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    await stt.transcribe(SOUND, "tr")
    assert [request.language for _, request in recogniser.asked] == ["de", "tr"]


async def test_a_late_answer_is_a_timeout(client: EngineClient, recogniser: ScriptedRecogniser) -> None:
    recogniser.pause = 0.3
    with pytest.raises(EngineTimeout):
        await SpeechToText(client).transcribe(SOUND, "de", seconds=0.05)


async def test_an_utterance_of_more_than_half_a_minute_is_refused(client: EngineClient) -> None:
    with pytest.raises(AudioError, match="30 s at most"):
        await SpeechToText(client).transcribe(np.zeros(31 * RATE, np.int16), "de")


async def test_audio_of_another_rate_is_resampled(
    client: EngineClient, recogniser: ScriptedRecogniser
) -> None:
    form = {"rate": 8000, "width": 2, "channels": 2}
    async with client.connect() as channel:
        await channel.send("transcribe", {"language": "de"})
        await channel.send("audio-start", form)
        await channel.send("audio-chunk", form, np.full((8000, 2), 500, np.int16).tobytes())
        await channel.send("audio-stop")
        assert (await client.expect(channel, 5)).type == "transcript"
    samples, _ = recogniser.asked[0]
    assert samples.size == RATE
    assert samples[8000] == pytest.approx(500, abs=5)


@pytest.mark.parametrize(
    ("kind", "data"),
    [("synthesize", {}), ("transcribe", {}), ("transcribe", {"language": "de", "candidates": [1]})],
)
async def test_a_request_that_is_none_is_an_error(
    client: EngineClient, kind: str, data: dict[str, object]
) -> None:
    async with client.connect() as channel:
        await channel.send(kind, data)
        with pytest.raises(EngineError):
            await client.expect(channel, 5)


async def test_audio_that_is_no_16_bit_pcm_is_an_error(client: EngineClient) -> None:
    async with client.connect() as channel:
        await channel.send("transcribe", {"language": "de"})
        await channel.send("audio-start", {"rate": 16000, "width": 4, "channels": 1})
        with pytest.raises(AudioError, match="16-bit"):
            await client.expect(channel, 5)


async def test_nobody_listening_is_engine_down(tmp_path: Path) -> None:
    with pytest.raises(EngineDown):
        await SpeechToText(EngineClient("stt", tmp_path / "none")).transcribe(SOUND, "de")


def test_missing_weights_name_the_file_and_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"model\.bin.*tresen models fetch"):
        Whisper(tmp_path)
