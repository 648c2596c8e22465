"""Trains the slot tagger: sentences to labelled words to CRF weights. Seeded, minutes at most."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from appliance.readers.augment import augmented, with_swapped
from appliance.readers.features import Gazetteer, features
from appliance.readers.other_sets import Split
from appliance.readers.sentences import NAMES, NOT_MEANT, Corpus, Sentence, Values, tokens

SHORTEST = 2
"""Words of the lists with fewer letters are left out."""


@dataclass(frozen=True)
class TaggerSettings:
    """Chosen by cross-validation over training sentences; figures in docs/adr/0018."""

    c1: float = 0.05
    c2: float = 0.01
    iterations: int = 150
    members: int = 3
    seed: int = 1


def labels(sentence: Sentence, words: Sequence[tuple[str, int, int]]) -> list[str]:
    """``B-slot``, ``I-slot`` or ``O`` for each word."""
    found = ["O"] * len(words)
    for span in sentence.spans:
        slot = span.slot if span.meant else NOT_MEANT
        inside = [at for at, (_, a, b) in enumerate(words) if a >= span.start and b <= span.end]
        for order, at in enumerate(inside):
            found[at] = f"{'I' if order else 'B'}-{slot}"
    return found


def gazetteer(values: Values, elsewhere: Iterable[Values] = ()) -> dict[str, frozenset[str]]:
    """Lower-case words of the value lists with the lists they stand in; phone digits are left out.

    ``elsewhere``: other languages, whose names are taken too; callers have names from everywhere.
    """
    table: dict[str, set[str]] = defaultdict(set)
    named = [(slot, entry) for slot, entries in values.by_slot.items() for entry in entries]
    named += [(slot, entry) for other in elsewhere for slot in NAMES for entry in other.by_slot.get(slot, ())]
    for slot, entry in named:
        for word, _, _ in tokens(entry) if slot != "phone" else ():
            if len(word) >= SHORTEST and not word.isdigit():
                table[word.lower()].add(slot)
    return {word: frozenset(names) for word, names in sorted(table.items())}


def learned(corpus: Corpus, sets: Mapping[str, Split], seed: int) -> list[Sentence]:
    """What one member of a language's tagger learns from; each seed gives other values."""
    own = augmented(corpus.sentences, corpus.templates, corpus.values, seed)
    others = [with_swapped(split.train, corpus.values, seed) for split in sets.values()]
    return [*own, *(sentence for sentences in others for sentence in sentences)]


def train_members(
    corpus: Corpus, sets: Mapping[str, Split], lists: Gazetteer, folder: Path, settings: TaggerSettings
) -> list[Path]:
    """Weights of all members, in ``folder``."""
    files = []
    for number in range(1, settings.members + 1):
        file = folder / f"{corpus.language}_{number}.crfsuite"
        train_tagger(learned(corpus, sets, settings.seed + number), lists, file, settings)
        files.append(file)
    return files


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
