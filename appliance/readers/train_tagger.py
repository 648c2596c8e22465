"""Trains the slot tagger: sentences to labelled words to CRF weights. Seeded, minutes at most."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from appliance.readers.features import Gazetteer, features
from appliance.readers.sentences import NOT_MEANT, Sentence, Values, tokens


@dataclass(frozen=True)
class TaggerSettings:
    """Chosen by cross-validation over training sentences; figures in docs/adr/0018."""

    c1: float = 0.05
    c2: float = 0.01
    iterations: int = 150


def labels(sentence: Sentence, words: Sequence[tuple[str, int, int]]) -> list[str]:
    """``B-slot``, ``I-slot`` or ``O`` for each word."""
    found = ["O"] * len(words)
    for span in sentence.spans:
        slot = span.slot if span.meant else NOT_MEANT
        inside = [at for at, (_, a, b) in enumerate(words) if a >= span.start and b <= span.end]
        for order, at in enumerate(inside):
            found[at] = f"{'I' if order else 'B'}-{slot}"
    return found


def gazetteer(values: Values, shortest: int = 2) -> dict[str, frozenset[str]]:
    """Lower-case words of the value lists with the lists they stand in; phone digits are left out."""
    table: dict[str, set[str]] = defaultdict(set)
    for slot, entries in values.by_slot.items():
        if slot == "phone":
            continue
        for entry in entries:
            for word, _, _ in tokens(entry):
                if len(word) >= shortest and not word.isdigit():
                    table[word.lower()].add(slot)
    return {word: frozenset(names) for word, names in sorted(table.items())}


def train_tagger(
    sentences: Sequence[Sentence], lists: Gazetteer, weights: Path, settings: TaggerSettings
) -> None:
    """Write CRF weights for these sentences."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    for sentence in sentences:
        words = tokens(sentence.text)
        if words:
            seen = features([word for word, _, _ in words], sentence.asked, lists)
            trainer.append(seen, labels(sentence, words))
    trainer.set_params(
        {
            "c1": settings.c1,
            "c2": settings.c2,
            "max_iterations": settings.iterations,
            "feature.possible_transitions": True,
        }
    )
    trainer.train(str(weights))


def write_lists(lists: Mapping[str, frozenset[str]], path: Path) -> None:
    """The gazetteer beside the weights, sorted, so that the same data give the same file."""
    table = {word: sorted(names) for word, names in sorted(lists.items())}
    path.write_text(json.dumps(table, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
