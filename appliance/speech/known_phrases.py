"""Sentences that Whisper invents on noise: knowledge/recognition/<lang>.yaml, the gate's last resort."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import ValidationError

from appliance.config import Strict
from appliance.errors import KnowledgeError
from appliance.speech.hallucination import plain


class PhraseFile(Strict):
    """One file: its language and the phrases."""

    language: str
    invented_on_noise: tuple[str, ...]


def load_known_phrases(knowledge: Path) -> dict[str, frozenset[str]]:
    """Plain phrases by language. A language without a file has none. Raises KnowledgeError."""
    return {path.stem: _load(path) for path in sorted((knowledge / "recognition").glob("*.yaml"))}


def _load(path: Path) -> frozenset[str]:
    try:
        content = PhraseFile.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, ValidationError, UnicodeDecodeError) as cause:
        raise KnowledgeError(f"{path}: {cause}") from cause
    if content.language != path.stem:
        raise KnowledgeError(f"{path}: says language '{content.language}', its name says '{path.stem}'.")
    return frozenset(plain(phrase) for phrase in content.invented_on_noise)
