"""Thresholds from held-out sentences: where asking again costs less than what would be wrong."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from appliance.readers.features import Gazetteer
from appliance.readers.other_sets import Split
from appliance.readers.scoring import Tally, tally_spans
from appliance.readers.sentences import SLOTS, Corpus, Sentence
from appliance.readers.tagger import TaggedSpan, Tagger
from appliance.readers.train_tagger import TaggerSettings, train_members

FOLDS = 4
ENOUGH = 1000
"""Folds are held out one after another until so many sentences were."""
GRID = tuple(round(0.4 + 0.02 * step, 2) for step in range(26))
COST = 3.0
"""A wrong value costs as much as asking for so many that were said."""
SURE = 0.97
"""Share of right ones among the values or intents that are believed without a second opinion."""


def held_out(
    corpus: Corpus, sets: Mapping[str, Split], lists: Gazetteer, settings: TaggerSettings
) -> tuple[list[Sentence], list[list[TaggedSpan]]]:
    """Sentences with what a tagger finds in them that has learned neither them nor a copy of them."""
    sentences: list[Sentence] = []
    spans: list[list[TaggedSpan]] = []
    for fold in range(FOLDS):
        if len(sentences) >= ENOUGH:
            break
        rest = replace(corpus, sentences=_rest(corpus.sentences, fold))
        others = {name: replace(split, train=_rest(split.train, fold)) for name, split in sets.items()}
        with tempfile.TemporaryDirectory(prefix="tresen-fold-") as folder:
            tagger = Tagger(train_members(rest, others, lists, Path(folder), settings), lists)
        pools = [corpus.sentences, *(split.train for split in sets.values())]
        chosen = [one for pool in pools for one in pool[fold::FOLDS]]
        sentences += chosen
        spans += [tagger.tag(one.text, one.asked) for one in chosen]
    return sentences, spans


def tagger_limits(
    sentences: Sequence[Sentence], spans: Sequence[Sequence[TaggedSpan]]
) -> tuple[dict[str, float], dict[str, float]]:
    """Figures at the threshold that was chosen, and ``slot_keep`` and ``slot_sure``."""
    keep = min(GRID, key=lambda least: _cost(tally_spans(sentences, spans, least, SLOTS)))
    marked = [{(one.slot, one.start, one.end) for one in s.spans} for s in sentences]
    right = [
        (span.confidence, (span.slot, span.start, span.end) in marks)
        for marks, found in zip(marked, spans, strict=True)
        for span in found
    ]
    sure = surer_than(np.array([c for c, _ in right]), np.array([r for _, r in right]), SURE)
    figures = {
        "sentences": len(sentences),
        **{
            f"{key}_unthresholded": v for key, v in tally_spans(sentences, spans, 0.0, SLOTS).shares().items()
        },
        **tally_spans(sentences, spans, keep, SLOTS).shares(),
    }
    return figures, {"slot_keep": keep, "slot_sure": max(keep, sure)}


def intent_limits(
    probabilities: NDArray[np.float64], wanted: NDArray[np.float64]
) -> tuple[dict[str, float], dict[str, float]]:
    """Held-out figures at ``intent``, the threshold with the best F1, and ``intent`` and ``intent_sure``.

    Both arguments: (sentences, intents).
    """
    there = wanted > 0.5
    best = max(GRID[:16], key=lambda least: _f1(probabilities >= least, there)[0])
    f1, precision, recall = _f1(probabilities >= best, there)
    sure = surer_than(probabilities.ravel(), there.ravel(), 0.9)
    top = there[np.arange(len(there)), probabilities.argmax(axis=1)].mean()
    figures = {"f1": f1, "precision": precision, "recall": recall, "top_right": float(top)}
    return figures, {"intent": best, "intent_sure": max(best, sure)}


def surer_than(sure: NDArray[np.float64], right: NDArray[np.bool_], share: float) -> float:
    """The lowest of the grid above which at least this share is right; its end if there is none."""
    for least in GRID:
        believed = right[sure >= least]
        if len(believed) and believed.mean() >= share:
            return least
    return GRID[-1]


def _rest(sentences: tuple[Sentence, ...], fold: int) -> tuple[Sentence, ...]:
    return tuple(one for at, one in enumerate(sentences) if at % FOLDS != fold)


def _cost(tally: Tally) -> float:
    return tally.missing + COST * (tally.wrong + tally.false)


def _f1(said: NDArray[np.bool_], there: NDArray[np.bool_]) -> tuple[float, float, float]:
    both = float((said & there).sum())
    precision, recall = both / max(float(said.sum()), 1.0), both / max(float(there.sum()), 1.0)
    return 2 * precision * recall / max(precision + recall, 1e-9), precision, recall
