"""The second opinion's prompt: examples from ``knowledge/prompts``, then what belongs to one turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from appliance.conversation.models import Context, Question
from appliance.errors import KnowledgeError

NOTHING = "none"
YES_OR_NO = "yes or no"


class _Example(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    asked: tuple[str, ...] = ()
    say: str = Field(min_length=1)
    read: tuple[str | dict[str, str], ...]
    """Wishes by name, and values as ``{slot: words}``; empty when nothing fits."""


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    language: str
    instruction: str = Field(min_length=1)
    examples: tuple[_Example, ...] = Field(min_length=1)


@dataclass(frozen=True)
class UnderstandingPrompt:
    """What stays the same for all turns of a language, so that it is evaluated once."""

    language: str
    prefix: str

    def turn(self, words: str, context: Context) -> str:
        """The part that belongs to one turn; ``words`` is what the caller said, on one line."""
        asked = (YES_OR_NO,) if context.question is Question.YES_NO else context.asked
        return _lines(asked, words)


def load_prompt(folder: Path, language: str) -> UnderstandingPrompt:
    """The prompt for ``language`` from ``folder`` (``knowledge/prompts``).

    Raises KnowledgeError when the file is missing or wrong, or an example has a value that is not said.
    """
    file = folder / language / "understand.yaml"
    try:
        read = _File.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as cause:
        raise KnowledgeError(f"{file}: the language model's examples can't be read: {cause}") from cause
    for number, example in enumerate(read.examples, start=1):
        for value in (value for item in example.read if isinstance(item, dict) for value in item.values()):
            if value not in example.say:
                raise KnowledgeError(f"{file}: example {number}: '{value}' is not in what the caller says.")
    shown = [f"{_lines(example.asked, example.say)}{written(example.read)}" for example in read.examples]
    return UnderstandingPrompt(language, f"{read.instruction.strip()}\n\n{''.join(shown)}")


def written(items: Iterable[str | Mapping[str, str]]) -> str:
    """What the model is to write for ``items``: one a line, a blank line at the end."""
    lines = [
        item if isinstance(item, str) else "\n".join(f"{slot}: {words}" for slot, words in item.items())
        for item in items
    ]
    return "".join(f"\n{line}" for line in lines or [NOTHING]) + "\n\n"


def _lines(asked: tuple[str, ...], words: str) -> str:
    return f"asked: {', '.join(asked) or '-'}\ncaller: {words}\nread:"
