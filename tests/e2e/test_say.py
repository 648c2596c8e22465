"""``tresen say`` as a user types it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import soundfile

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed"),
]
ROOT = Path(__file__).resolve().parents[2]


def say(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "appliance", "say", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def test_it_writes_a_wav_and_tells_voice_spoken_form_and_seconds(tmp_path: Path) -> None:
    done = say(tmp_path, "Um 19:30 Uhr.", "--lang", "de", "--out", "out.wav", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["spoken"] == "Um neunzehn Uhr dreißig."
    assert told["voice"].split(":")[0] in {"piper", "pico", "espeak"}
    samples, rate = soundfile.read(tmp_path / "out.wav", dtype="int16")
    assert (rate, len(samples) / rate) == (told["rate"], pytest.approx(told["seconds"], abs=0.001))
    assert abs(samples).max() > 1000


def test_without_out_it_writes_say_wav_here_and_says_so(tmp_path: Path) -> None:
    done = say(tmp_path, "Merhaba", "--lang", "tr")
    assert done.returncode == 0, done.stderr
    assert "say.wav" in done.stdout
    assert "espeak:tr" in done.stdout
    assert (tmp_path / "say.wav").is_file()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((" ",), 2, "nothing to say"),
        (("***",), 2, "nothing to say"),
        (("Hi", "--lang", "xx"), 2, "No voice speaks 'xx'"),
        (("Hi", "--out", "missing/out.wav"), 2, "can't be written"),
    ],
)
def test_wrong_use_is_named_and_leaves_no_file(
    tmp_path: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    done = say(tmp_path, *arguments)
    assert (done.returncode, list(tmp_path.glob("*.wav"))) == (code, [])
    assert words in done.stderr
