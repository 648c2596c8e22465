"""Voices of the operating system: pico2wave and espeak-ng, each run once per clause."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import soundfile

from appliance.errors import EngineError
from appliance.speech.voices import Audio

LIMIT = 10.0
"""Seconds after which a program is given up."""
MARKUP = re.compile(r"[<>\\&]")
"""Characters that pico2wave would take for commands."""


class PicoVoice:
    """SVOX pico: de-DE, en-GB, en-US, es-ES, fr-FR, it-IT."""

    def __init__(self, language: str) -> None:
        self.name = f"pico-{language}"
        self._language = language

    def synthesize(self, text: str) -> Audio:
        """Raises EngineError."""
        with tempfile.TemporaryDirectory(prefix="tresen-pico-") as folder:
            target = Path(folder) / "out.wav"
            plain = MARKUP.sub(" ", text)
            _run(["pico2wave", f"--lang={self._language}", f"--wave={target}", "--", plain], "")
            return _read(target, self.name)


class EspeakVoice:
    """espeak-ng: over a hundred languages, robotic."""

    def __init__(self, language: str) -> None:
        self.name = f"espeak-{language}"
        self._language = language

    def synthesize(self, text: str) -> Audio:
        """Raises EngineError."""
        with tempfile.TemporaryDirectory(prefix="tresen-espeak-") as folder:
            target = Path(folder) / "out.wav"
            _run(["espeak-ng", "-v", self._language, "-s", "155", "-w", str(target), "--stdin"], text)
            return _read(target, self.name)


def _run(command: list[str], text: str) -> None:
    try:
        subprocess.run(command, input=text, text=True, capture_output=True, check=True, timeout=LIMIT)
    except (OSError, subprocess.SubprocessError) as cause:
        raise EngineError(f"{command[0]} did not speak: {type(cause).__name__}.") from cause


def _read(path: Path, name: str) -> Audio:
    try:
        samples, rate = soundfile.read(path, dtype="int16")
    except (OSError, soundfile.SoundFileError) as cause:
        raise EngineError(f"{name} wrote no readable sound.") from cause
    if not len(samples):
        raise EngineError(f"{name} made no sound.")
    return Audio(samples, int(rate))
