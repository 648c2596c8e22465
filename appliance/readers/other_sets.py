"""Other people's annotated sentences, read from ``../shared`` for training and testing; never shipped."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from appliance.errors import KnowledgeError
from appliance.readers.sentences import Marked, Sentence

RESTAURANT8K = "restaurant8k"
TRAINABLE: Mapping[str, tuple[str, ...]] = {"en": (RESTAURANT8K,)}
"""Sets whose licence lets weights that learned from them be shipped, by language."""
LICENCES: Mapping[str, str] = {
    RESTAURANT8K: "restaurant8k by PolyAI (Coope et al. 2020, Span-ConveRT), CC-BY-4.0",
}
DRAW_SEED = 7
DRAWN = 1000
"""The first so many after shuffling with DRAW_SEED are the test: never trained or tuned on."""


@dataclass(frozen=True)
class Split:
    """A set, cut into what may be trained on and what only tests."""

    train: tuple[Sentence, ...]
    test: tuple[Sentence, ...]


def other_sets(language: str, shared: Path) -> dict[str, Split]:
    """The trainable sets of a language that are there, by name."""
    return {name: split for name in trainable(language) if (split := restaurant8k(shared)) is not None}


def trainable(language: str) -> tuple[str, ...]:
    """Names of the sets that a language's tagger may learn from."""
    return TRAINABLE.get(language, ())


def restaurant8k(shared: Path) -> Split | None:
    """PolyAI's restaurant8k (CC-BY-4.0), or None when it is not there. Raises KnowledgeError."""
    path = shared / "data" / "text" / "restaurant8k_train_en.jsonl"
    if not path.is_file():
        return None
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except ValueError as cause:
        raise KnowledgeError(f"{path} can't be read: {cause}") from cause
    random.Random(DRAW_SEED).shuffle(rows)
    sentences = [_sentence(row) for row in rows]
    return Split(tuple(sentences[DRAWN:]), tuple(sentences[:DRAWN]))


def _sentence(row: dict[str, Any]) -> Sentence:
    text = str(row["text"])
    spans = []
    for slot, value in row["slots"].items():
        start = text.find(value)
        if start >= 0:
            spans.append(Marked(slot, start, start + len(value)))
    return Sentence(text, tuple(spans), (), tuple(row["asked"]))
