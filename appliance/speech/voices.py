"""Which voice speaks a language: the first of its chain that is on this box. The chains are data."""

from __future__ import annotations

import hashlib
import shutil
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
from pydantic import Field, ValidationError

from appliance.config import Strict
from appliance.errors import ConfigError, SetupError, UsageError

Samples = npt.NDArray[np.int16]
Installed = Callable[[str, str], str | None]
"""Told kind and name of a voice: its version, or None when it is not on this box."""

PROGRAMS = {"pico": "pico2wave", "espeak": "espeak-ng"}
KINDS = ("piper", *PROGRAMS)
DRIVING = 1
"""Part of every version: raised when voices are driven differently, so that old phrases are not used."""


@dataclass(frozen=True)
class Audio:
    """A piece of speech: (n,) int16, mono."""

    samples: Samples
    rate: int
    """Samples per second."""

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate


class Voice(Protocol):
    """Speaks one language."""

    def synthesize(self, text: str) -> Audio:
        """The text as speech; blocking. Raises EngineError."""
        ...


class Chain(Strict):
    """``kind:name`` of each voice, best first."""

    chain: tuple[str, ...] = Field(min_length=1)


@dataclass(frozen=True)
class VoiceChoice:
    """A voice that can speak, and what stands in the way of the better ones."""

    language: str
    kind: str
    name: str
    version: str = "1"
    passed_over: tuple[str, ...] = ()
    """``kind:name`` of the better voices that are not installed."""

    @property
    def id(self) -> str:
        """``pico:de-DE``: as in the chain, for people and for Wyoming's ``voice.name``."""
        return f"{self.kind}:{self.name}"

    @property
    def key(self) -> str:
        """Voice and version, for the phrase cache: another version, another key."""
        return f"{self.id}@{self.version}"

    @property
    def reason(self) -> str:
        """Why no better voice speaks; empty when this is the best of its chain."""
        return f"not installed: {', '.join(self.passed_over)}" if self.passed_over else ""


def load_chains(path: Path) -> dict[str, Chain]:
    """The chains by language. Raises ConfigError, also for a Piper voice of another language."""
    try:
        chains = {key: Chain.model_validate(value) for key, value in tomllib.loads(path.read_text()).items()}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as cause:
        raise ConfigError(f"The voices in {path} can't be read: {cause}") from cause
    for language, one in chains.items():
        for entry in one.chain:
            _check(path, language, entry)
    return chains


def _check(path: Path, language: str, entry: str) -> None:
    """A voice that reads another language's sounds is unintelligible, so a chain may not name one."""
    kind, _, name = entry.partition(":")
    if kind not in KINDS or not name:
        raise ConfigError(
            f"{path}: '{entry}' is no voice. Write {', '.join(f'{one}:NAME' for one in KINDS)}."
        )
    speaks = name.removeprefix("piper-").partition("-")[0]
    if speaks != language:
        raise ConfigError(f"{path}: the voice '{entry}' speaks '{speaks}' and may not speak '{language}'.")


def usable_voices(language: str, chains: Mapping[str, Chain], installed: Installed) -> list[VoiceChoice]:
    """The language's voices that are on this box, best first; never empty.

    Raises UsageError for a language without a chain, SetupError (with the remedy) when none is installed.
    """
    if language not in chains:
        raise UsageError(
            f"No voice speaks '{language}'. Languages with a voice: {', '.join(sorted(chains))}."
        )
    passed: list[str] = []
    found: list[VoiceChoice] = []
    for entry in chains[language].chain:
        kind, _, name = entry.partition(":")
        version = installed(kind, name)
        if version is None:
            passed.append(entry)
        else:
            found.append(VoiceChoice(language, kind, name, version, tuple(passed)))
    if not found:
        raise SetupError(
            f"No voice for '{language}' is installed (looked for {', '.join(passed)}). "
            "Run: sudo apt-get install espeak-ng"
        )
    return found


def choose_voice(language: str, chains: Mapping[str, Chain], installed: Installed) -> VoiceChoice:
    """The best voice of the language that is on this box. Raises as :func:`usable_voices`."""
    return usable_voices(language, chains, installed)[0]


def choose_voices(
    languages: Iterable[str], chains: Mapping[str, Chain], installed: Installed
) -> dict[str, VoiceChoice]:
    """The voice of each language. Raises as :func:`usable_voices`."""
    return {language: choose_voice(language, chains, installed) for language in languages}


def on_this_box(models: Path) -> Installed:
    """Looks where voices can be: weights in ``models/<name>``, programs on the path."""

    def installed(kind: str, name: str) -> str | None:
        return _weights_version(models / name) if kind == "piper" else _program_version(PROGRAMS[kind])

    return installed


def _weights_version(folder: Path) -> str | None:
    """Of a folder with one ``.onnx`` and its ``.onnx.json``: the size of the one, the hash of the other."""
    for weights in sorted(folder.glob("*.onnx")):
        about = weights.with_name(f"{weights.name}.json")
        if about.is_file():
            digest = hashlib.sha256(about.read_bytes()).hexdigest()[:12]
            return f"{DRIVING}.{weights.stat().st_size}.{digest}"
    return None


def _program_version(program: str) -> str | None:
    """Size and time of the file: an update changes them, and nothing has to be run to know them."""
    path = shutil.which(program)
    if path is None:
        return None
    about = Path(path).stat()
    return f"{DRIVING}.{about.st_size}.{int(about.st_mtime)}"
