"""Voices of the operating system: pico2wave and espeak-ng, each run once per clause."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import soundfile

from appliance.errors import EngineError
from appliance.speech.voices import Audio

LIMIT = 5.0
"""Seconds after which a program is given up; both need well under one for a clause."""
PICO_MARKUP = re.compile(r"[<>\\&]")
"""Characters that pico2wave would take for commands."""
WORDS_A_MINUTE = 155
"""espeak-ng's own 175 is hard to follow on a telephone."""


class PicoVoice:
    """SVOX pico: de-DE, en-GB, en-US, es-ES, fr-FR, it-IT."""

    def __init__(self, language: str) -> None:
        self.name = f"pico-{language}"
        self._language = language

    def synthesize(self, text: str) -> Audio:
        """Raises EngineError."""
        with tempfile.TemporaryDirectory(prefix="tresen-pico-") as folder:
            target = Path(folder) / "out.wav"
            plain = PICO_MARKUP.sub(" ", _one_line(text))
            _run(["pico2wave", f"--lang={self._language}", f"--wave={target}", "--", plain], "")
            return _read(target, self.name)


class EspeakVoice:
    """espeak-ng: over a hundred languages, robotic. Without ``-m`` it takes no markup."""

    def __init__(self, language: str) -> None:
        self.name = f"espeak-{language}"
        self._language = language

    def synthesize(self, text: str) -> Audio:
        """Raises EngineError."""
        with tempfile.TemporaryDirectory(prefix="tresen-espeak-") as folder:
            target = Path(folder) / "out.wav"
            speed = ["-s", str(WORDS_A_MINUTE)]
            plain = _one_line(text).replace("[[", " ").replace("]]", " ")
            _run(["espeak-ng", "-v", self._language, *speed, "-w", str(target), "--stdin"], plain)
            return _read(target, self.name)


def _one_line(text: str) -> str:
    """Without control characters: a NUL can't be an argument."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _run(command: list[str], text: str) -> None:
    try:
        subprocess.run(command, input=text.encode(), capture_output=True, check=True, timeout=LIMIT)
    except subprocess.TimeoutExpired as cause:
        raise EngineError(f"{command[0]} did not speak within {LIMIT:.0f} s.") from cause
    except subprocess.CalledProcessError as cause:
        raise EngineError(f"{command[0]} ended with {cause.returncode} instead of speaking.") from cause
    except OSError as cause:
        raise EngineError(f"{command[0]} can't be started: {cause.strerror}.") from cause


def _read(path: Path, name: str) -> Audio:
    try:
        samples, rate = soundfile.read(path, dtype="int16")
    except (OSError, soundfile.LibsndfileError) as cause:
        raise EngineError(f"{name} wrote no readable sound.") from cause
    if not len(samples):
        raise EngineError(f"{name} made no sound.")
    return Audio(samples, int(rate))
