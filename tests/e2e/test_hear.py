"""``tresen hear`` as a program uses it: one JSON line a file, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from appliance.config import load_paths
from appliance.speech.audio import RATE, write_wav
from appliance.speech.stt import MODEL

pytestmark = pytest.mark.e2e


def hear(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "appliance", "hear", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def quiet(tmp_path: Path) -> Path:
    file = tmp_path / "quiet.wav"
    write_wav(file, np.zeros((2 * RATE, 2), np.int16), RATE)
    return file


def test_silence_is_said_as_such_and_a_broken_file_does_not_stop_the_others(
    tmp_path: Path, quiet: Path
) -> None:
    if not (load_paths().models / MODEL / "model.bin").is_file():
        pytest.skip(f"the model {MODEL} is not in the store")
    (tmp_path / "broken.wav").write_bytes(b"no recording at all")
    done = hear(str(tmp_path / "broken.wav"), str(quiet), "--lang", "de", "--json")
    broken, silent = (json.loads(line) for line in done.stdout.splitlines())
    assert "no readable recording" in broken["error"]
    assert silent["speech"] is False
    assert silent["text"] == ""
    assert silent["no_speech_reason"].startswith("silence")
    assert done.returncode == 2
    assert "1 of 2" in done.stderr


def test_without_a_file_it_is_used_wrongly() -> None:
    assert hear().returncode == 2


def test_without_the_model_the_way_out_is_named(tmp_path: Path, quiet: Path) -> None:
    done = hear(str(quiet), TRESEN_CACHE=str(tmp_path / "empty"))
    assert done.returncode == 3
    assert "tresen models fetch" in done.stderr
