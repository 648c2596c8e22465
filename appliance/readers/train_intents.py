"""Trains the intent layer: L2 logistic regression of all intents at once, calibrated on held-out folds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from appliance.readers.intents import Floats, Layer, gram_values, logistic, ngrams
from appliance.readers.sentences import INTENTS

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class IntentSettings:
    """Chosen by cross-validation over training sentences; figures in docs/adr/0019."""

    decay: float = 0.1
    """L2 on all weights."""
    meaning: float = 2.0
    """Length of the standardised embedding beside that of the n-grams, 1."""
    seldom: int = 2
    """N-grams in fewer sentences are left out."""
    iterations: int = 120
    folds: int = 5


@dataclass(frozen=True)
class Examples:
    """Sentences with what they are for: ``vectors`` (N, D), ``wanted`` (N, K) of 0 and 1, ``weight`` (N,)."""

    texts: tuple[str, ...]
    vectors: Floats
    wanted: Doubles
    weight: Doubles

    def part(self, chosen: NDArray[np.bool_]) -> Examples:
        """The chosen ones."""
        texts = tuple(text for text, take in zip(self.texts, chosen, strict=True) if take)
        return Examples(texts, self.vectors[chosen], self.wanted[chosen], self.weight[chosen])

    def weighted(self, weight: float) -> Examples:
        """The same, each counting ``weight``."""
        return replace(self, weight=np.full(len(self.texts), weight))

    def with_all(self, others: Sequence[Examples]) -> Examples:
        """These and the others as one."""
        parts = [self, *others]
        return Examples(
            tuple(text for part in parts for text in part.texts),
            np.concatenate([part.vectors for part in parts]),
            np.concatenate([part.wanted for part in parts]),
            np.concatenate([part.weight for part in parts]),
        )


def examples(texts: Sequence[str], intents: Sequence[Sequence[str]], vectors: Floats) -> Examples:
    """Sentences as arrays, each counting once."""
    wanted = np.array([[one in these for one in INTENTS] for these in intents], dtype=np.float64)
    return Examples(tuple(texts), vectors, wanted.reshape(-1, len(INTENTS)), np.ones(len(texts)))


def train_layer(
    own: Examples, others: Sequence[Examples], settings: IntentSettings, seed: int
) -> tuple[Layer, Doubles]:
    """Learn from all, calibrate on folds of ``own``; also the calibrated probabilities of those folds."""
    held = held_out_logits(own, others, settings, seed)
    slope, shift = platt(held.ravel(), own.wanted.ravel())
    layer = replace(fit_layer(own.with_all(others), settings), slope=slope, shift=shift)
    return layer, logistic(slope * held + shift)


def held_out_logits(
    own: Examples, others: Sequence[Examples], settings: IntentSettings, seed: int
) -> Doubles:
    """(N, K): logits of each sentence by a layer that has not seen its fold."""
    fold = np.random.default_rng(seed).permutation(len(own.texts)) % settings.folds
    logits = np.zeros_like(own.wanted)
    for one in range(settings.folds):
        layer = fit_layer(own.part(fold != one).with_all(others), settings)
        for at in np.flatnonzero(fold == one):
            logits[at] = layer.logits(own.texts[at], own.vectors[at])
    return logits


def fit_layer(seen: Examples, settings: IntentSettings) -> Layer:
    """One layer, not yet calibrated (slope 1, shift 0)."""
    found = [ngrams(text) for text in seen.texts]
    often = Counter(gram for one in found for gram in one)
    names = sorted(gram for gram, times in often.items() if times >= settings.seldom)
    grams = {gram: row for row, gram in enumerate(names)}
    rarity = np.log(len(found) / np.array([often[gram] for gram in names], dtype=np.float64))
    rarity = np.maximum(rarity, 1e-3).astype(np.float32)
    centre = seen.vectors.mean(axis=0)
    scale = settings.meaning / (seen.vectors.std(axis=0) * np.sqrt(seen.vectors.shape[1]))
    inputs = _inputs(found, grams, rarity, (seen.vectors - centre) * scale)
    weights = _logistic(inputs, seen.wanted, seen.weight, settings)
    count = len(names)
    return Layer(
        INTENTS,
        grams,
        rarity,
        weights[:count].astype(np.float32),
        centre.astype(np.float32),
        (scale[:, None] * weights[count:-1]).astype(np.float32),
        weights[-1].astype(np.float32),
        1.0,
        0.0,
    )


def _inputs(found: Sequence[Counter[str]], grams: dict[str, int], rarity: Floats, vectors: Floats) -> Any:
    """Sparse (N, G + D + 1): n-grams, embedding, one."""
    from scipy.sparse import csr_matrix, hstack

    parts = [gram_values(one, grams, rarity) for one in found]
    rows = np.concatenate([np.full(len(columns), at) for at, (columns, _) in enumerate(parts)])
    columns = np.concatenate([columns for columns, _ in parts])
    values = np.concatenate([values for _, values in parts]).astype(np.float64)
    words = csr_matrix((values, (rows, columns)), shape=(len(found), len(grams)))
    dense = np.hstack([vectors, np.ones((len(found), 1), dtype=vectors.dtype)]).astype(np.float64)
    return hstack([words, csr_matrix(dense)]).tocsr()


def _logistic(inputs: Any, wanted: Doubles, weight: Doubles, settings: IntentSettings) -> Doubles:
    """(G + D + 1, K) weights of all intents; the last row is the bias, which has no decay."""
    from scipy.optimize import minimize

    size, count = inputs.shape[1], wanted.shape[1]
    turned = inputs.T.tocsr()

    def loss(flat: Doubles) -> tuple[float, Doubles]:
        weights = flat.reshape(size, count)
        logits = inputs @ weights
        error = weight[:, None] * (logistic(logits) - wanted)
        slope = turned @ error
        slope[:-1] += settings.decay * weights[:-1]
        cost = (weight[:, None] * (np.logaddexp(0, logits) - wanted * logits)).sum()
        return float(cost + settings.decay / 2 * (weights[:-1] ** 2).sum()), slope.ravel()

    start = np.zeros((size, count))
    share = np.clip(wanted.mean(axis=0), 1e-3, 1 - 1e-3)
    start[-1] = np.log(share / (1 - share))
    found = minimize(
        loss, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": settings.iterations}
    )
    return np.asarray(found.x, dtype=np.float64).reshape(size, count)


def platt(logits: Doubles, wanted: Doubles) -> tuple[float, float]:
    """Slope and shift that make held-out logits into probabilities."""
    from scipy.optimize import minimize

    def loss(pair: Doubles) -> float:
        line = pair[0] * logits + pair[1]
        return float((np.logaddexp(0, line) - wanted * line).mean())

    slope, shift = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    return float(slope), float(shift)
