"""Closed sets of short answers per language: ``knowledge/answers/<language>.yaml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml
from pydantic import Field, ValidationError

from appliance.config import Strict
from appliance.errors import KnowledgeError

Candidates = Mapping[str, Sequence[str]]
"""Answer -> what callers say for it."""


class Answers(Strict):
    """One language's sets, and words that its callers are likely to say."""

    yes_no: dict[str, tuple[str, ...]] = Field(min_length=2)
    words: tuple[str, ...] = Field(default=(), max_length=8)
    names: tuple[str, ...] = Field(default=(), max_length=8)


def load_answers(folder: Path, language: str) -> Answers:
    """Raises KnowledgeError naming the file."""
    path = folder / f"{language}.yaml"
    try:
        return Answers.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as cause:
        raise KnowledgeError(f"The short answers {path} can't be used: {cause}") from cause
