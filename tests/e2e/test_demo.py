"""The demo as a newcomer runs it: the real models answer a recorded caller and leave files behind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import soundfile

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).resolve().parents[2]


def demo(*arguments: str, timeout: int = 400, offline: bool = False) -> subprocess.CompletedProcess[str]:
    """``offline``: in a network namespace of its own, where there is no interface to leave by."""
    inside = ["unshare", "--net"] if offline and os.geteuid() == 0 and shutil.which("unshare") else []
    command = [*inside, sys.executable, "-m", "appliance", "demo", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )


def test_a_recorded_caller_is_answered_without_a_network_and_the_call_is_kept(tmp_path: Path) -> None:
    done = demo("--out", str(tmp_path), offline=True)
    assert done.returncode in (0, 1), done.stderr[-3000:]
    report = json.loads((tmp_path / "report.json").read_text())
    assert (
        (done.returncode == 0) == (report["outcome"] == "booked") == bool(report["records"]["reservations"])
    )
    assert report["greeting_s"] <= 1.5
    assert len(report["turns"]) >= 8
    assert sum(turn["end_to_audio_s"] is not None for turn in report["turns"]) >= 7
    sound = soundfile.info(tmp_path / "call.wav")
    assert sound.channels == 2
    assert abs(sound.duration - report["duration_s"]) < 0.1
    events = [json.loads(line)["event"] for line in (tmp_path / "call.jsonl").read_text().splitlines()]
    assert events[0] == "CallStarted"
    assert events[-1] == "CallEnded"
    page = (tmp_path / "report.html").read_text()
    assert "data:audio/ogg;base64," in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "empty"), (b"RIFF\x00\x00\x00\x00WAVEjunk", "")],
    ids=["empty file", "corrupt file"],
)
def test_a_recording_that_can_not_be_used_is_refused_at_once(
    tmp_path: Path, content: bytes, says: str
) -> None:
    caller = tmp_path / "caller.wav"
    caller.write_bytes(content)
    done = demo("--caller", str(caller), "--out", str(tmp_path / "out"), timeout=60)
    assert done.returncode == 2
    assert "caller.wav" in done.stderr
    assert says in done.stderr


def test_a_folder_without_recordings_and_a_language_without_a_caller_are_wrong_use(tmp_path: Path) -> None:
    assert demo("--caller", str(tmp_path), timeout=60).returncode == 2
    assert demo("--lang", "xx", timeout=60).returncode == 2
