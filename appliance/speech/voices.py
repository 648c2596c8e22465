"""Which voice speaks a language: the first of its chain that is on this box."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
from pydantic import Field, ValidationError

from appliance.config import Strict
from appliance.errors import ConfigError, SetupError

Samples = npt.NDArray[np.int16]


@dataclass(frozen=True)
class Audio:
    """A piece of speech: (n,) int16, mono."""

    samples: Samples
    rate: int

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate


class Voice(Protocol):
    """Speaks one language."""

    name: str
    """Also the key of cached phrases: another voice, another name."""

    def synthesize(self, text: str) -> Audio:
        """The text as speech; blocking. Raises EngineError."""
        ...


class Chain(Strict):
    """``kind:name`` of each voice, best first."""

    chain: tuple[str, ...] = Field(min_length=1)


@dataclass(frozen=True)
class VoiceChoice:
    """The voice that will speak, and what stands in the way of the better ones."""

    language: str
    kind: str
    name: str
    passed_over: tuple[str, ...] = ()


def load_chains(path: Path) -> dict[str, Chain]:
    """The chains by language. Raises ConfigError."""
    try:
        return {key: Chain.model_validate(value) for key, value in tomllib.loads(path.read_text()).items()}
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as cause:
        raise ConfigError(f"The voices in {path} can't be read: {cause}") from cause


def choose_voice(
    language: str, chains: Mapping[str, Chain], available: Callable[[str, str], bool]
) -> VoiceChoice:
    """The first voice of the language's chain that is available.

    ``available``: told kind and name. Raises SetupError when there is none, naming what would bring one.
    """
    if language not in chains:
        raise SetupError(f"No voice speaks '{language}'. Languages with a voice: {', '.join(chains)}.")
    passed: list[str] = []
    for entry in chains[language].chain:
        kind, _, name = entry.partition(":")
        if available(kind, name):
            return VoiceChoice(language, kind, name, tuple(passed))
        passed.append(entry)
    raise SetupError(
        f"No voice for '{language}' is installed (looked for {', '.join(passed)}). "
        "Run: sudo apt-get install espeak-ng"
    )


def on_this_box(models: Path) -> Callable[[str, str], bool]:
    """Looks where voices can be: weights under ``models``, programs on the path."""

    def available(kind: str, name: str) -> bool:
        match kind:
            case "piper":
                return any((models / name).glob("*.onnx"))
            case "pico":
                return shutil.which("pico2wave") is not None
            case "espeak":
                return shutil.which("espeak-ng") is not None
            case _:
                raise ConfigError(f"Unknown kind of voice '{kind}'. Known are piper, pico and espeak.")

    return available
