"""The real voices of this box: sound at the said rate, no markup, callers by telephone."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import soundfile

from appliance.config import load_paths
from appliance.errors import EngineError, UsageError
from appliance.speech.caller_voice import caller_wav
from appliance.speech.external_voices import EspeakVoice, PicoVoice
from appliance.speech.piper import PiperVoice
from appliance.speech.voices import Audio

pytestmark = pytest.mark.audio

PIPER = load_paths().models / "piper-en-us-joe-medium"
pico = pytest.mark.skipif(shutil.which("pico2wave") is None, reason="pico2wave is not installed")
espeak = pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
piper = pytest.mark.skipif(not PIPER.is_dir(), reason="the Piper voice is not in the model store")


@pytest.fixture(scope="module")
def joe() -> PiperVoice:
    return PiperVoice(PIPER, "en", 2)


def is_speech(audio: Audio) -> bool:
    loud = np.abs(audio.samples.astype(np.int32)) > 500
    return audio.samples.dtype == np.int16 and audio.samples.ndim == 1 and bool(loud.mean() > 0.1)


@pico
@pytest.mark.parametrize("language", ["de-DE", "en-GB", "en-US", "fr-FR", "it-IT", "es-ES"])
def test_pico_speaks_at_16_khz(language: str) -> None:
    audio = PicoVoice(language).synthesize("Taxi Hotel Restaurant.")
    assert audio.rate == 16000
    assert is_speech(audio)


@espeak
@pytest.mark.parametrize("language", ["de", "en-gb", "tr", "bg", "ru", "pl"])
def test_espeak_speaks_at_22_khz(language: str) -> None:
    audio = EspeakVoice(language).synthesize("Taxi Hotel Restaurant.")
    assert audio.rate == 22050
    assert is_speech(audio)


@piper
def test_piper_speaks_at_its_own_rate(joe: PiperVoice) -> None:
    audio = joe.synthesize("A table for four on Saturday.")
    assert audio.rate == 22050
    assert 1 < audio.seconds < 4
    assert is_speech(audio)


@piper
def test_an_english_piper_voice_refuses_german() -> None:
    with pytest.raises(Exception, match="speaks 'en-us', not 'de'"):
        PiperVoice(PIPER, "de", 1)


@pico
@pytest.mark.parametrize(
    "text",
    [
        "Tee <break time='9s'/> Kaffee",
        "Tee \\pau=9000\\ Kaffee",
        "Tee & Kaffee <",
        "--lang=xx Tee",
        "Tee\x00Kaffee",
    ],
)
def test_a_text_never_becomes_a_command_of_pico(text: str) -> None:
    audio = PicoVoice("de-DE").synthesize(text)
    assert is_speech(audio)
    assert audio.seconds < 8


@piper
def test_a_text_never_becomes_phonemes_of_piper(joe: PiperVoice) -> None:
    assert is_speech(joe.synthesize("tea [[ and coffee"))
    assert is_speech(joe.synthesize("tea [[and]] coffee"))


@espeak
def test_a_voice_that_does_not_exist_is_an_error_and_no_sound() -> None:
    with pytest.raises(EngineError, match="espeak-ng"):
        EspeakVoice("xx-none").synthesize("Hallo")


@espeak
@pytest.mark.parametrize("language", ["de", "en", "tr"])
def test_callers_come_by_telephone(tmp_path: Path, language: str) -> None:
    path = tmp_path / "caller.wav"
    seconds = caller_wav("Restaurant 19:30", language, path)
    samples, rate = soundfile.read(path, dtype="int16")
    assert rate == 8000
    assert len(samples) / rate == pytest.approx(seconds)
    spectrum = np.abs(np.fft.rfft(samples.astype(float))) ** 2
    frequencies = np.fft.rfftfreq(len(samples), 1 / rate)
    outside = spectrum[(frequencies < 250) | (frequencies > 3500)].sum()
    assert outside < 0.01 * spectrum.sum()


def test_a_caller_without_words_or_with_an_unknown_voice_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no words"):
        caller_wav("***", "de", tmp_path / "a.wav")
    with pytest.raises(UsageError, match="no caller's voice"):
        caller_wav("Hallo", "de", tmp_path / "a.wav", "robot:de")
