"""Intent layer: a linear layer over the embedding, words and letters of a sentence; calibrated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from appliance.errors import ModelMissing
from appliance.readers.embedding import Embedder, Vector
from appliance.readers.sentences import tokens

Floats = NDArray[np.float32]

LETTERS = (3, 4, 5)
"""Lengths of the runs of letters that are features."""
SHORT = 4
"""An utterance of at most so many words is also a feature as a whole."""
LONG = 8
STEEP = 60.0
"""Log odds beyond this are certain."""


@dataclass(frozen=True)
class IntentScore:
    """An intent and how probable it is, 0 to 1."""

    intent: str
    probability: float


@dataclass(frozen=True)
class Layer:
    """The trained numbers of one language: K intents, G n-grams, D numbers of the embedding."""

    intents: tuple[str, ...]
    grams: Mapping[str, int]
    """N-gram -> its row in ``gram_weights``."""
    rarity: Floats
    """(G,) inverse document frequency."""
    gram_weights: Floats
    """(G, K)"""
    centre: Floats
    """(D,) mean of the training embeddings."""
    meaning_weights: Floats
    """(D, K) on the centred embedding."""
    bias: Floats
    """(K,)"""
    slope: float
    """Platt scaling, from held-out folds: probability = 1 / (1 + exp(-(slope * logit + shift)))."""
    shift: float

    def logits(self, text: str, vector: Vector) -> Floats:
        """(K,) not calibrated."""
        logits = self.bias + (vector - self.centre) @ self.meaning_weights
        rows, values = gram_values(ngrams(text), self.grams, self.rarity)
        if len(rows):
            logits = logits + values @ self.gram_weights[rows]
        return np.asarray(logits, dtype=np.float32)

    def probabilities(self, text: str, vector: Vector) -> NDArray[np.float64]:
        """(K,) calibrated."""
        return logistic(self.slope * self.logits(text, vector) + self.shift)


class IntentLayer:
    """What an utterance is for; several intents may be probable, or none. Shared by all calls."""

    def __init__(self, layer: Layer, embedder: Embedder) -> None:
        self._layer = layer
        self._embedder = embedder

    @classmethod
    def load(cls, folder: Path, language: str, embedder: Embedder) -> IntentLayer:
        """``intents_<language>.npz`` of ``folder``. Raises ModelMissing."""
        file = folder / f"intents_{language}.npz"
        if not file.is_file():
            raise ModelMissing(f"No trained intent layer for '{language}' in {folder}. Run: ./tresen train")
        return cls(load_layer(file), embedder)

    def read(self, text: str) -> list[IntentScore]:
        """Every intent, the most probable first."""
        return self.scores(text, self.vector(text))

    def vector(self, text: str) -> Vector:
        """The embedding of the words."""
        return self._embedder.query(text)

    def scores(self, text: str, vector: Vector) -> list[IntentScore]:
        """As :meth:`read`, for words whose embedding is known."""
        sure = self._layer.probabilities(text, vector)
        order = np.argsort(-sure, kind="stable")
        return [IntentScore(self._layer.intents[at], float(sure[at])) for at in order]


def logistic(logits: NDArray[Any]) -> NDArray[np.float64]:
    """Log odds as probabilities."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -STEEP, STEEP))), dtype=np.float64)


def ngrams(text: str) -> Counter[str]:
    """Words, pairs of words, runs of letters, length; digits are all alike. Each counts once."""
    words = [("0" if word[0].isdigit() else word.lower()) for word, _, _ in tokens(text)]
    framed = ["<s>", *words, "</s>"]
    found = {f"w {word}" for word in words}
    found |= {f"w {first} {second}" for first, second in pairwise(framed)}
    found.add(f"n {min(len(words), LONG)}")
    if len(words) <= SHORT:
        found.add(f"all {' '.join(words)}")
    line = f" {' '.join(words)} "
    found |= {f"l {line[at : at + size]}" for size in LETTERS for at in range(len(line) - size + 1)}
    return Counter(found)


def gram_values(
    found: Iterable[str], grams: Mapping[str, int], rarity: Floats
) -> tuple[NDArray[np.int64], Floats]:
    """Rows of the known n-grams and their values; words and letters each have length 1."""
    rows = np.array(sorted(grams[gram] for gram in found if gram in grams), dtype=np.int64)
    if not len(rows):
        return rows, np.zeros(0, dtype=np.float32)
    values = rarity[rows]
    return rows, np.asarray(values / np.linalg.norm(values), dtype=np.float32)


def save_layer(layer: Layer, file: Path) -> None:
    """Write the numbers; half precision is enough for weights."""
    names: Sequence[str] = sorted(layer.grams, key=lambda gram: layer.grams[gram])
    np.savez_compressed(
        file,
        intents=np.array(layer.intents),
        grams=np.array("\n".join(names)),
        rarity=layer.rarity.astype(np.float16),
        gram_weights=layer.gram_weights.astype(np.float16),
        centre=layer.centre,
        meaning_weights=layer.meaning_weights.astype(np.float16),
        bias=layer.bias,
        calibration=np.array([layer.slope, layer.shift]),
    )


def load_layer(file: Path) -> Layer:
    """What :func:`save_layer` wrote."""
    with np.load(file, allow_pickle=False) as data:
        names = str(data["grams"]).split("\n")
        slope, shift = map(float, data["calibration"])
        single = {
            key: data[key].astype(np.float32)
            for key in ("rarity", "gram_weights", "centre", "meaning_weights", "bias")
        }
        return Layer(
            tuple(map(str, data["intents"])),
            {gram: row for row, gram in enumerate(names)},
            slope=slope,
            shift=shift,
            **single,
        )
