"""Real recordings through voice detection, the engine process and the gate, at default settings."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from appliance.config import load_paths
from appliance.engines.supervisor import Supervisor
from appliance.speech.audio import RATE, Samples, read_audio, through_telephone
from appliance.speech.listen import Heard, Listener
from appliance.speech.stt import MODEL, SpeechToText, stt_engine
from appliance.speech.transcript import Verdict
from appliance.speech.vad import VoiceModel

pytestmark = [pytest.mark.audio, pytest.mark.asyncio(loop_scope="module")]

YES_NO = {
    "yes": ("Ja", "Ja bitte", "Genau", "Stimmt", "Richtig", "Gerne", "Okay", "Passt", "Ja genau", "Ja gerne"),
    "no": ("Nein", "Nein danke", "Nee", "Falsch", "Stimmt nicht", "Nein nicht"),
}
DIGITS = {
    "0": ("Null",),
    "1": ("Eins",),
    "2": ("Zwei", "Zwo"),
    "3": ("Drei",),
    "4": ("Vier",),
    "5": ("Fünf",),
    "6": ("Sechs",),
    "7": ("Sieben",),
    "8": ("Acht",),
    "9": ("Neun",),
}


Say = Callable[..., Samples]
"""(text, voice) -> its sound after a telephone line."""


@dataclass(frozen=True)
class Ear:
    """The engine's client and a listener over it."""

    stt: SpeechToText
    listener: Listener

    async def hear(self, samples: Samples, language: str = "de", said: tuple[str, ...] = ()) -> list[Heard]:
        return [one async for one in self.listener.listen(samples, language, said=said)]

    async def turns(self, samples: Samples, language: str = "de", said: tuple[str, ...] = ()) -> list[str]:
        heard = await self.hear(samples, language, said)
        return [one.transcript.text for one in heard if one.transcript.is_speech]


@pytest.fixture(scope="module")
def weights() -> Path:
    folder = load_paths().models / MODEL
    if not (folder / "model.bin").is_file():
        pytest.skip(f"the model {MODEL} is not in the store")
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ear(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Ear]:
    supervisor = Supervisor((stt_engine(),), tmp_path_factory.mktemp("logs"), lambda line: None)
    await supervisor.start()
    stt = SpeechToText(supervisor.client("stt"))
    yield Ear(stt, Listener(stt, VoiceModel(), seconds=60.0))
    await supervisor.stop()


@pytest.fixture
def pico(tmp_path: Path) -> Say:
    """Debian's pico2wave as a caller."""
    if not shutil.which("pico2wave"):
        pytest.skip("pico2wave is not installed")

    def say(text: str, language: str = "de-DE") -> Samples:
        file = tmp_path / "said.wav"
        subprocess.run(["pico2wave", "-l", language, "-w", str(file), text], check=True)
        edge = np.zeros(RATE // 2, np.int16)
        return through_telephone(np.concatenate([edge, read_audio(file), edge]))

    return say


def moments(seconds: float) -> np.ndarray:
    return np.arange(int(seconds * RATE)) / RATE


def sine(*hertz: float, seconds: float) -> np.ndarray:
    return sum(0.3 * np.sin(2 * np.pi * h * moments(seconds)) for h in hertz)  # type: ignore[return-value]


def sounds() -> dict[str, np.ndarray]:
    """Things on a line that nobody says."""
    noise = np.random.default_rng(7)
    keys = [(697, 1209), (770, 1336), (852, 1477), (941, 1633)]
    gap = np.zeros(RATE // 10)
    return {
        "silence": np.zeros(3 * RATE),
        "hiss": 0.05 * noise.standard_normal(3 * RATE),
        "loud hiss": 0.4 * noise.standard_normal(3 * RATE),
        "hum": sine(50, 150, seconds=3),
        "ringing": np.concatenate([sine(425, seconds=1), np.zeros(RATE), sine(425, seconds=1)]),
        "keys": np.concatenate([part for key in keys for part in (sine(*key, seconds=0.2), gap)]),
        "a beep": sine(1000, seconds=0.4),
        "a siren": np.sin(2 * np.pi * (800 * moments(4) + 60 * np.sin(2 * np.pi * moments(4)))) * 0.4,
    }


@pytest.mark.parametrize("name", sounds())
async def test_a_sound_that_nobody_says_makes_no_turn(ear: Ear, name: str) -> None:
    assert await ear.turns((sounds()[name] * 32767).clip(-32768, 32767).astype(np.int16)) == []


async def test_a_sentence_makes_one_turn_with_its_words(ear: Ear, pico: Say) -> None:
    (text,) = await ear.turns(pico("Haben Sie am Samstag noch etwas frei, so gegen zwanzig Uhr?"))
    assert "Samstag" in text
    assert "20 Uhr" in text


async def test_words_have_confidence_and_rising_times_inside_the_utterance(ear: Ear, pico: Say) -> None:
    (heard,) = await ear.hear(pico("Nein, nicht vier, wir sind zu fünft, und lieber am Sonntag."))
    words = heard.transcript.words
    assert " ".join(word.text for word in words) == heard.transcript.text
    assert all(0 < word.confidence <= 1 for word in words)
    assert all(before.start <= after.start for before, after in pairwise(words))
    assert words[-1].end <= heard.transcript.audio_seconds + 0.1


async def test_the_first_syllable_is_in_the_utterance(ear: Ear, pico: Say) -> None:
    (heard,) = await ear.hear(pico("Können Sie mich bitte mit einem Menschen verbinden?"))
    assert heard.transcript.text.startswith("Können")


async def test_another_language_is_said_as_such(ear: Ear, pico: Say) -> None:
    (heard,) = await ear.hear(
        pico("Hello, I would like to book a table for four on Friday at half past seven please.", "en-GB")
    )
    assert heard.transcript.judgement.verdict is Verdict.OTHER_LANGUAGE
    assert heard.transcript.spoken[0] == "en"


async def test_the_assistants_own_voice_coming_back_is_echo(ear: Ear, pico: Say) -> None:
    question = "Für wie viele Personen darf ich den Tisch am Freitag eintragen?"
    assert await ear.turns(pico(question), said=(question,)) == []
    assert len(await ear.turns(pico(question))) == 1


@pytest.mark.parametrize(
    ("said", "answer"),
    [("Ja.", "yes"), ("Nein.", "no"), ("Ja, genau.", "yes"), ("Passt.", "yes"), ("Richtig.", "yes"),
     ("Nein, danke.", "no"), ("Nein, nicht.", "no"), ("Hallo?", None), ("Um acht.", None)],
)  # fmt: skip
async def test_an_open_question_hears_yes_and_no_and_nothing_else(
    ear: Ear, pico: Say, said: str, answer: str | None
) -> None:
    heard = await ear.stt.transcribe(pico(said), "de", candidates=YES_NO, seconds=60)
    assert (heard.answer.answer if heard.answer else None) == answer


async def test_a_long_utterance_is_no_short_answer(ear: Ear, pico: Say) -> None:
    sound = pico("Ja, und dann hätte ich gern noch einen Tisch für vier Personen.")
    heard = await ear.stt.transcribe(sound, "de", candidates=YES_NO, seconds=60)
    assert heard.answer is None
    assert heard.scores == ()


async def test_no_noise_clip_makes_a_turn(ear: Ear, shared: Path) -> None:
    clips = sorted((shared / "data" / "noise").glob("*.wav"))
    assert len(clips) == 83
    turns = {clip.name: await ear.turns(read_audio(clip)) for clip in clips}
    assert {name: texts for name, texts in turns.items() if texts} == {}


async def test_every_raw_sentence_makes_exactly_one_turn(ear: Ear, shared: Path) -> None:
    clips = sorted((shared / "data" / "speech" / "de" / "kerstin" / "raw").glob("*.webm"))
    assert len(clips) == 130
    turns = {clip.name: await ear.turns(read_audio(clip)) for clip in clips}
    assert {name: texts for name, texts in turns.items() if len(texts) != 1} == {}


async def test_spoken_digits_of_a_real_voice_are_heard_from_a_closed_set(ear: Ear, shared: Path) -> None:
    right = wrong = 0
    folder = shared / "data" / "speech" / "de" / "words"
    for digit in DIGITS:
        sound = through_telephone(read_audio(folder / f"alphabet_U00{ord(digit):02X}.ogg"))
        heard = await ear.stt.transcribe(sound, "de", candidates=DIGITS, seconds=60)
        right += heard.answer is not None and heard.answer.answer == digit
        wrong += heard.answer is not None and heard.answer.answer != digit
    assert right >= 5
    assert wrong <= 1


async def test_the_manifest_of_the_noise_clips_is_complete(shared: Path) -> None:
    """84 rows, one of them twice: 83 files."""
    with (shared / "data" / "noise" / "manifest.tsv").open(encoding="utf-8", newline="") as table:
        names = [row["path"] for row in csv.DictReader(table, delimiter="\t")]
    assert len(names) == 84
    assert {path.name for path in (shared / "data" / "noise").glob("*.wav")} == set(names)
