"""Any recording becomes 16 kHz mono, or a clear error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from appliance.errors import AudioError
from appliance.speech.audio import RATE, Samples, read_audio, write_wav

pytestmark = pytest.mark.unit


def tone(seconds: float, rate: int, hertz: float = 440.0) -> Samples:
    moments = np.arange(int(seconds * rate)) / rate
    return (8000 * np.sin(2 * np.pi * hertz * moments)).astype(np.int16)


def loudness(samples: Samples) -> float:
    return float(np.sqrt(np.mean(samples.astype(np.float64) ** 2)))


@pytest.mark.parametrize("rate", [8000, 11025, 16000, 22050, 44100, 47999, 96000])
def test_any_sample_rate_becomes_16_khz_of_the_same_length(tmp_path: Path, rate: int) -> None:
    write_wav(tmp_path / "a.wav", tone(1.0, rate), rate)
    samples = read_audio(tmp_path / "a.wav")
    assert samples.dtype == np.int16
    assert samples.size == pytest.approx(RATE, abs=2)
    assert loudness(samples) == pytest.approx(loudness(tone(1.0, rate)), rel=0.02)


def test_stereo_is_averaged(tmp_path: Path) -> None:
    left = tone(0.5, RATE)
    write_wav(tmp_path / "s.wav", np.stack([left, np.zeros_like(left)], axis=1), RATE)
    assert loudness(read_audio(tmp_path / "s.wav")) == pytest.approx(loudness(left) / 2, rel=0.01)


@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "FLOAT", "ALAW", "ULAW"])
def test_every_usual_wav_encoding_is_read(tmp_path: Path, subtype: str) -> None:
    soundfile.write(tmp_path / "e.wav", tone(0.5, RATE) / 32768, RATE, subtype=subtype)
    assert loudness(read_audio(tmp_path / "e.wav")) == pytest.approx(loudness(tone(0.5, RATE)), rel=0.05)


def test_flac_is_read(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "e.flac", tone(0.5, RATE), RATE)
    assert np.array_equal(read_audio(tmp_path / "e.flac"), tone(0.5, RATE))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match=r"no recording at .*none\.wav"):
        read_audio(tmp_path / "none.wav")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.wav").touch()
    with pytest.raises(AudioError, match="0 bytes"):
        read_audio(tmp_path / "empty.wav")


def test_a_wav_without_samples_is_refused(tmp_path: Path) -> None:
    write_wav(tmp_path / "header.wav", np.zeros(0, np.int16), RATE)
    with pytest.raises(AudioError, match="no audio"):
        read_audio(tmp_path / "header.wav")


@pytest.mark.parametrize(
    "content", [b"this is a letter to my aunt" * 50, b"RIFF\x24\x00\x00\x00WAVEfmt ", b"\x00" * 4000]
)
def test_what_is_no_recording_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "odd.wav").write_bytes(content)
    with pytest.raises(AudioError, match=r"odd\.wav"):
        read_audio(tmp_path / "odd.wav")


def test_a_wav_that_ends_in_the_middle_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    write_wav(tmp_path / "whole.wav", tone(1.0, RATE), RATE)
    (tmp_path / "cut.wav").write_bytes((tmp_path / "whole.wav").read_bytes()[:16044])
    assert np.array_equal(read_audio(tmp_path / "cut.wav"), tone(1.0, RATE)[:8000])


def test_samples_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    broken = np.full(1000, np.nan, np.float32)
    soundfile.write(tmp_path / "nan.wav", broken, RATE, subtype="FLOAT")
    with pytest.raises(AudioError, match="damaged"):
        read_audio(tmp_path / "nan.wav")


@pytest.mark.parametrize("rate", [100, 3999, 400_000])
def test_an_impossible_sample_rate_is_refused(tmp_path: Path, rate: int) -> None:
    write_wav(tmp_path / "r.wav", tone(1.0, 16000)[:4000], rate)
    with pytest.raises(AudioError, match=f"{rate} samples per second"):
        read_audio(tmp_path / "r.wav")


def test_a_recording_longer_than_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    write_wav(tmp_path / "long.wav", np.zeros(601 * 4000, np.int16), 4000)
    with pytest.raises(AudioError, match="longer than 600 s"):
        read_audio(tmp_path / "long.wav")


def test_a_folder_that_is_not_there_is_named_when_writing(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="can't be written"):
        write_wav(tmp_path / "none" / "a.wav", tone(0.1, RATE), RATE)
