"""A tiny vocabulary like a byte-level BPE, and models that score at random or as they are told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from appliance.language_model.vocabulary import Vocabulary

_WORDS = " people| date| time| name| four| half| seven| Anna|people|date|time|name|:| -|, | f|fo|ur|se|ven|al"
MERGES = [
    *_WORDS.split("|"),
    "wish",
    "book",
    "fix",
    "Ã¼",
    "ü",
    "ß",
    "日本",
    "🍕",
    "half s",
    "\n\n",
    "\n",
    "ven\n",
]
END = 0
PIECES = [b"", *(bytes((byte,)) for byte in range(256)), *(merge.encode() for merge in MERGES)]


def small_vocabulary() -> Vocabulary:
    """Every single byte, some longer pieces that straddle words and lines, and one end token."""
    return Vocabulary(PIECES, frozenset({END}))


class ScriptedModel:
    """Scores by a function of the evaluated tokens; remembers every evaluation."""

    def __init__(self, score: Callable[[list[int]], NDArray[np.float32]]) -> None:
        self._score = score
        self.tokens: list[int] = []
        self.evaluations: list[list[int]] = []

    def evaluate(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        assert tokens, "an evaluation needs a token"
        self.evaluations.append(list(tokens))
        self.tokens += tokens
        return self._score(self.tokens)

    def tokenize(self, text: bytes) -> list[int]:
        """Longest match first."""
        found, at = [], 0
        while at < len(text):
            token = max(
                (token for token, piece in enumerate(PIECES) if piece and text.startswith(piece, at)),
                key=lambda token: len(PIECES[token]),
            )
            found.append(token)
            at += len(PIECES[token])
        return found


def random_model(seed: int) -> ScriptedModel:
    """Prefers anything, reproducibly."""
    generator = np.random.default_rng(seed)
    return ScriptedModel(lambda _: generator.normal(0, 5, len(PIECES)).astype(np.float32))


def model_that_wants(text: str) -> ScriptedModel:
    """Likes every piece that could come from ``text``, longer ones more; ends of text most."""
    data = text.encode()
    scores = np.array([len(piece) if piece and piece in data else -1.0 for piece in PIECES], np.float32)
    return ScriptedModel(lambda _: scores)
