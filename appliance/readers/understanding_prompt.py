"""The second opinion's prompt: examples from ``knowledge/prompts``, then what belongs to one turn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from appliance.conversation.models import Context, Question
from appliance.errors import KnowledgeError

WISH = "wish"
NOTHING = "null"
"""Written for a slot that has no value."""
NO_QUESTION = "-"
YES_OR_NO = "yes or no"
EXAMPLES_NOW = datetime(2026, 1, 1, tzinfo=UTC)
"""When the examples are said; which spans are readable does not depend on it."""

Candidates = Callable[[str, Context], Mapping[str, Collection[str]]]
"""(utterance, context) -> for each slot the spans of the utterance that can be a value of it."""


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
    examples: tuple[_Example, ...] = Field(min_length=1)


@dataclass(frozen=True)
class UnderstandingPrompt:
    """What stays the same for all turns of a language, so that it is evaluated once."""

    language: str
    prefix: str

    def turn(self, words: str, context: Context) -> str:
        """The part that belongs to one turn; ``words`` is what the caller said, on one line."""
        asked = (YES_OR_NO,) if context.question is Question.YES_NO else context.asked
        return _question(asked, words)


def load_prompt(folder: Path, language: str, candidates: Candidates) -> UnderstandingPrompt:
    """The prompt for ``language`` from ``folder`` (``knowledge/prompts``).

    The examples have a key for every slot that ``candidates`` finds words for, as a turn has. Raises
    KnowledgeError when the file is missing or wrong, or an example has a value that is not said.
    """
    file = folder / language / "understand.yaml"
    try:
        read = _File.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as cause:
        raise KnowledgeError(f"{file}: the language model's examples can't be read: {cause}") from cause
    shown = []
    for number, example in enumerate(read.examples, start=1):
        for value in example.slots.values():
            if value not in example.say:
                raise KnowledgeError(f"{file}: example {number}: '{value}' is not in what the caller says.")
        found = candidates(example.say, Context(language, EXAMPLES_NOW, asked=example.asked))
        slots = [*(slot for slot, spans in found.items() if spans), *example.slots]
        values = {slot: example.slots.get(slot) for slot in dict.fromkeys(slots)}
        shown.append(_question(example.asked, example.say) + answer(example.wish, values) + "\n")
    return UnderstandingPrompt(language, f"{read.instruction.strip()}\n\n{''.join(shown)}")


def answer(wishes: Sequence[str], values: Mapping[str, str | None]) -> str:
    """What the model is to write, one line of JSON: wishes, then the words of each slot or null."""
    listed = ", ".join(f'"{wish}"' for wish in wishes)
    slots = (f', "{slot}": ' + (NOTHING if words is None else f'"{words}"') for slot, words in values.items())
    return f'{{"{WISH}": [{listed}]{"".join(slots)}}}\n'


def _question(asked: tuple[str, ...], words: str) -> str:
    return f"asked: {', '.join(asked) or NO_QUESTION}\ncaller: {words}\n"
