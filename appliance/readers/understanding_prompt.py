"""The second opinion's prompt: examples from ``knowledge/prompts``, then what belongs to one turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from appliance.conversation.models import Context, Question
from appliance.errors import KnowledgeError

NOTHING = "-"
"""Written for a slot that has no value, and for no wish at all."""
WISH = "wish"
YES_OR_NO = "yes or no"


class _Example(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    asked: tuple[str, ...] = ()
    say: str = Field(min_length=1)
    wish: tuple[str, ...] = ()
    slots: dict[str, str] = Field(default_factory=dict)
    """Slot -> words of ``say``."""


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    language: str
    instruction: str = Field(min_length=1)
    always: tuple[str, ...]
    """Slots that have a line in every answer; the others have one where they can have a value."""
    examples: tuple[_Example, ...] = Field(min_length=1)


@dataclass(frozen=True)
class UnderstandingPrompt:
    """What stays the same for all turns of a language, so that it is evaluated once."""

    language: str
    prefix: str
    always: tuple[str, ...]

    def turn(self, words: str, context: Context) -> str:
        """The part that belongs to one turn; ``words`` is what the caller said, on one line."""
        asked = (YES_OR_NO,) if context.question is Question.YES_NO else context.asked
        return _question(asked, words)

    def lines(self, slots: Sequence[str]) -> list[str]:
        """Slots that have a line when ``slots`` can have a value, in the order of the examples."""
        return [*self.always, *(slot for slot in slots if slot not in self.always)]


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
        for value in example.slots.values():
            if value not in example.say:
                raise KnowledgeError(f"{file}: example {number}: '{value}' is not in what the caller says.")
    prompt = UnderstandingPrompt(language, "", read.always)
    shown = []
    for example in read.examples:
        values = {slot: example.slots.get(slot, NOTHING) for slot in prompt.lines([*example.slots])}
        shown.append(_question(example.asked, example.say) + answer(example.wish, values))
    return UnderstandingPrompt(language, f"{read.instruction.strip()}\n\n{''.join(shown)}", read.always)


def answer(wishes: Sequence[str], values: Mapping[str, str]) -> str:
    """What the model is to write: a line of wishes, a line per slot, an empty line."""
    lines = [
        f"{WISH}: {', '.join(wishes) or NOTHING}",
        *(f"{slot}: {words}" for slot, words in values.items()),
    ]
    return "\n".join(lines) + "\n\n"


def _question(asked: tuple[str, ...], words: str) -> str:
    return f"asked: {', '.join(asked) or NOTHING}\ncaller: {words}\n"
