"""A caller on disk: one WAV, or a folder of WAVs in the order of their names, with or without a card."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import yaml
from pydantic import ValidationError

from appliance.adapters.voice.line import Samples
from appliance.config import Strict
from appliance.errors import UsageError
from appliance.speech.audio import read_audio

SOUNDS = (".wav", ".flac", ".ogg")


class CallerCard(Strict):
    """``caller.yaml``: what the recordings say and what the caller takes for granted."""

    language: str | None = None
    tenant: str | None = None
    now: datetime | None = None
    """The calendar that the caller has in mind."""
    caller: str | None = None
    """Number that the line shows."""
    voice: str | None = None
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class CallerFolder:
    """Recordings by name, ready for the line, and the card."""

    recordings: tuple[tuple[str, Samples], ...]
    card: CallerCard


def load_caller(path: Path) -> CallerFolder:
    """Raises UsageError when there is nothing to play, AudioError when a recording can't be used."""
    if path.is_file():
        return CallerFolder(((path.name, read_audio(path)),), CallerCard())
    if not path.is_dir():
        raise UsageError(f"There is no caller at {path}. Give a WAV file or a folder of WAV files.")
    files = sorted(one for one in path.iterdir() if one.suffix.lower() in SOUNDS)
    if not files:
        raise UsageError(f"{path} holds no recordings ({', '.join(SOUNDS)}).")
    return CallerFolder(tuple((one.name, read_audio(one)) for one in files), load_card(path))


def load_card(folder: Path) -> CallerCard:
    """The card of a folder; an empty one where there is none. Raises UsageError."""
    path = folder / "caller.yaml"
    if not path.is_file():
        return CallerCard()
    try:
        return CallerCard.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, ValidationError) as cause:
        raise UsageError(f"{path} can't be read: {cause}") from cause
