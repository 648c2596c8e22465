"""The voice engine and its client over a real socket: order, cache, fallback, barge-in, a dead engine."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from appliance.engines.protocol import EngineClient
from appliance.errors import EngineDown, EngineError, EngineTimeout
from appliance.speech.phrase_cache import PhraseCache
from appliance.speech.tts import Spoken, TextToSpeech
from appliance.speech.tts_engine import TtsEngine, Voices
from appliance.speech.voices import Audio, Chain, Voice, VoiceChoice, choose_voices

pytestmark = pytest.mark.unit

CHAINS = {"de": Chain(chain=("pico:de-DE", "espeak:de"))}


@dataclass
class ScriptedVoice:
    """Says a text as samples that all hold its length."""

    stage: Stage
    broken: bool

    def synthesize(self, text: str) -> Audio:
        self.stage.said.append(text)
        if self.stage.gate is not None and len(self.stage.said) > self.stage.free:
            self.stage.gate.wait(5)
        if self.broken:
            raise EngineError("The voice is hoarse.")
        return Audio(np.full(len(text) * 100, len(text), np.int16), 16000)


@dataclass
class Stage:
    """An engine with scripted voices that listens on a socket."""

    folder: Path
    said: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    gate: threading.Event | None = None
    free: int = 0
    """Clauses that need not wait for the gate."""

    def voices(self) -> Voices:
        stage = self

        class Scripted(Voices):
            def usable(self, language: str, name: str | None) -> list[VoiceChoice]:
                return [VoiceChoice("de", "pico", "de-DE"), VoiceChoice("de", "espeak", "de")]

            def _make(self, choice: VoiceChoice) -> Voice:
                return ScriptedVoice(stage, choice.kind in stage.broken)

        return Scripted(self.folder, CHAINS, PhraseCache(self.folder / "phrases"), 1)

    @property
    def client(self) -> TextToSpeech:
        chosen = choose_voices(["de"], CHAINS, lambda kind, name: "1")
        socket = EngineClient("tts", self.folder / "tts.socket")
        return TextToSpeech(socket, PhraseCache(self.folder / "phrases"), chosen)

    @contextlib.asynccontextmanager
    async def playing(self) -> AsyncIterator[TextToSpeech]:
        socket = self.folder / "tts.socket"
        task = asyncio.create_task(TtsEngine(self.voices(), ()).run(socket))
        for _ in range(500):
            if await EngineClient("tts", socket).ping():
                break
            await asyncio.sleep(0.01)
        yield self.client
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


async def until(true: Callable[[], bool]) -> None:
    """Wait for it, five seconds at most."""
    for _ in range(500):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


async def heard(voice: TextToSpeech, text: str, report: list[Spoken] | None = None) -> list[int]:
    """Which clauses were heard, told by the length that their samples hold."""
    kinds: list[int] = []
    collect = report.append if report is not None else None
    async for audio in voice.synthesize(text, "de", report=collect):
        kinds += [kind for kind in (int(audio.samples[0]),) if kinds[-1:] != [kind]]
    return kinds


TEXT = "Ja, gern. Für wie viele Personen darf es sein? Und um 19:30 Uhr?"
CLAUSES = ["Ja, gern.", "Für wie viele Personen darf es sein?", "Und um neunzehn Uhr dreißig?"]


async def test_clauses_are_spoken_in_order_and_in_words(stage: Stage) -> None:
    async with stage.playing() as voice:
        assert await heard(voice, TEXT) == [len(clause) for clause in CLAUSES]
    assert stage.said == CLAUSES


async def test_the_first_clause_is_heard_while_the_second_is_made(stage: Stage) -> None:
    stage.gate = threading.Event()
    async with stage.playing() as voice:
        stage.free = 1
        pieces = voice.synthesize(TEXT, "de", seconds=5)
        task = asyncio.ensure_future(anext(pieces))
        first = await task
        assert first.samples[0] == len(CLAUSES[0])
        await until(lambda: stage.said == CLAUSES[:2])
        stage.gate.set()
        assert (await anext(pieces)).samples[0] == len(CLAUSES[1])


async def test_what_was_said_once_comes_from_the_cache(stage: Stage) -> None:
    report: list[Spoken] = []
    async with stage.playing() as voice:
        await heard(voice, TEXT, report)
        await heard(voice, TEXT, report)
    assert [one.cached for one in report] == [False, True]
    assert stage.said == CLAUSES


async def test_a_voice_that_fails_is_replaced_and_it_is_said_why(stage: Stage) -> None:
    stage.broken.add("pico")
    report: list[Spoken] = []
    async with stage.playing() as voice:
        assert await heard(voice, "Guten Tag.", report) == [len("Guten Tag.")]
    assert (report[0].voice, report[0].fallback_reason) == ("espeak:de", "The voice is hoarse.")


async def test_when_no_voice_speaks_the_error_says_why(stage: Stage) -> None:
    stage.broken |= {"pico", "espeak"}
    async with stage.playing() as voice:
        with pytest.raises(EngineError, match="hoarse"):
            await heard(voice, "Guten Tag.")


async def test_a_caller_who_interrupts_stops_the_engine(stage: Stage) -> None:
    stage.gate = threading.Event()
    async with stage.playing() as voice:
        task = asyncio.ensure_future(heard(voice, TEXT))
        await until(lambda: bool(stage.said))
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await asyncio.sleep(0.05)
        stage.gate.set()
        await asyncio.sleep(0.1)
    assert stage.said == CLAUSES[:1]


async def test_a_slow_engine_is_given_up_in_time(stage: Stage) -> None:
    stage.gate = threading.Event()
    async with stage.playing() as voice:
        with pytest.raises(EngineTimeout):
            async for _ in voice.synthesize("Guten Tag.", "de", seconds=0.1):
                pass
        stage.gate.set()


async def test_a_prepared_bridge_sentence_needs_neither_engine_nor_disk(stage: Stage) -> None:
    async with stage.playing() as voice:
        assert await voice.prepare(["Einen Moment, bitte."], "de") == 1
        assert await voice.prepare(["Einen Moment, bitte."], "de") == 0
    for path in (stage.folder / "phrases").rglob("*.pcm"):
        path.unlink()
    bridge = voice.cached("Einen Moment, bitte.", "de")
    assert bridge is not None
    assert bridge.seconds > 0
    assert await heard(voice, "Einen Moment, bitte.") == [len("Einen Moment, bitte.")]


async def test_a_new_process_finds_the_bridge_sentence_on_disk(stage: Stage) -> None:
    async with stage.playing() as voice:
        await voice.prepare(["Einen Moment, bitte."], "de")
    assert stage.client.cached("Einen Moment, bitte.", "de") is not None
    assert stage.client.cached("Etwas anderes.", "de") is None


async def test_a_dead_engine_costs_only_what_is_not_cached(stage: Stage) -> None:
    async with stage.playing() as voice:
        await voice.prepare(["Ja, gern."], "de")
    pieces: list[Audio] = []

    async def listen() -> None:
        async for audio in voice.synthesize(TEXT, "de"):
            pieces.append(audio)  # noqa: PERF401

    with pytest.raises(EngineDown):
        await listen()
    assert [int(piece.samples[0]) for piece in pieces] == [len("Ja, gern.")]


async def test_a_text_without_words_is_silence(stage: Stage) -> None:
    async with stage.playing() as voice:
        assert await heard(voice, "*** \n") == []


async def test_a_language_without_a_chosen_voice_is_an_error(stage: Stage) -> None:
    with pytest.raises(EngineError, match="'tr'"):
        async for _ in stage.client.synthesize("Merhaba", "tr"):
            pass


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("sing", {"text": "la", "voice": {"language": "de"}}),
        ("synthesize", {"voice": {"language": "de"}}),
        ("synthesize", {"text": "la"}),
        ("synthesize", {"text": "***", "voice": {"language": "de"}}),
        ("synthesize", {"text": "la" * 20_000, "voice": {"language": "de"}}),
    ],
)
async def test_a_wrong_request_is_answered_with_an_error(
    stage: Stage, kind: str, data: dict[str, object]
) -> None:
    async with stage.playing():
        client = EngineClient("tts", stage.folder / "tts.socket")
        async with client.connect() as channel:
            await channel.send(kind, data)
            with pytest.raises(EngineError):
                await client.expect(channel, 2)
