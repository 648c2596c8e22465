"""Slot tagger: linear-chain conditional random fields (CRFsuite) that vote, with confidences."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from appliance.errors import ModelMissing
from appliance.readers.features import Gazetteer, features
from appliance.readers.sentences import NOT_MEANT, tokens

NEVER = -1e6
"""Log probability of a label that can't stand there."""


@dataclass(frozen=True)
class TaggedSpan:
    """Words that are a value: ``text == utterance[start:end]``; confidence 0 to 1."""

    slot: str
    start: int
    end: int
    text: str
    confidence: float


class Tagger:
    """Shared by all calls; reads an ordinary sentence in about a millisecond."""

    def __init__(self, weights: Sequence[Path], lists: Gazetteer) -> None:
        """``weights``: one file per member; what they think probable is averaged."""
        import pycrfsuite

        self._lists = lists
        self._members: list[Any] = []
        for file in weights:
            member = pycrfsuite.Tagger()
            member.open(str(file))
            self._members.append(member)
        known = [set(member.labels()) for member in self._members]
        self._labels = sorted(set().union(*known))
        self._known = [[label in names for label in self._labels] for names in known]
        self._follows = _follows(self._labels)
        self._begins = np.array([NEVER if label.startswith("I-") else 0.0 for label in self._labels])

    @classmethod
    def load(cls, folder: Path, language: str) -> Tagger:
        """``<language>_<number>.crfsuite``, ``<language>.lists.json`` of ``folder``. Raises ModelMissing."""
        weights, lists = sorted(folder.glob(f"{language}_*.crfsuite")), folder / f"{language}.lists.json"
        if not (weights and lists.is_file()):
            raise ModelMissing(f"No trained tagger for '{language}' in {folder}. Run: ./tresen train")
        table = json.loads(lists.read_text(encoding="utf-8"))
        return cls(weights, {word: frozenset(names) for word, names in table.items()})

    def tag(self, text: str, asked: Sequence[str]) -> list[TaggedSpan]:
        """Values in reading order; ``asked``: the slots that were just asked for."""
        words = tokens(text)
        if not words:
            return []
        sure = self._probabilities([word for word, _, _ in words], asked)
        path = _best_path(sure, self._follows, self._begins)
        found = []
        for slot, first, last in runs([self._labels[label] for label in path]):
            if slot != NOT_MEANT:
                start, end = words[first][1], words[last - 1][2]
                least = min(float(sure[at, path[at]]) for at in range(first, last))
                found.append(TaggedSpan(slot, start, end, text[start:end], least))
        return found

    def _probabilities(self, words: Sequence[str], asked: Sequence[str]) -> NDArray[np.float64]:
        """(words, labels): the mean of the members' marginals."""
        import pycrfsuite

        seen = pycrfsuite.ItemSequence(features(words, asked, self._lists))
        total = np.zeros((len(words), len(self._labels)))
        for member, known in zip(self._members, self._known, strict=True):
            member.set(seen)
            total += [
                [
                    member.marginal(label, at) if has else 0.0
                    for label, has in zip(self._labels, known, strict=True)
                ]
                for at in range(len(words))
            ]
        return total / len(self._members)


def _follows(labels: Sequence[str]) -> NDArray[np.float64]:
    """(from, to): 0 where ``to`` may follow; ``I-x`` only follows ``B-x`` or ``I-x``."""
    return np.array(
        [[0.0 if b[:2] != "I-" or a[2:] == b[2:] else NEVER for b in labels] for a in labels],
    )


def _best_path(
    sure: NDArray[np.float64], follows: NDArray[np.float64], begins: NDArray[np.float64]
) -> list[int]:
    """Viterbi over the averaged marginals: the most probable labels that can follow each other."""
    logs = np.log(sure + 1e-12)
    score = logs[0] + begins
    back: list[NDArray[np.int64]] = []
    for row in logs[1:]:
        steps = score[:, None] + follows
        back.append(steps.argmax(axis=0))
        score = steps.max(axis=0) + row
    path = [int(score.argmax())]
    for before in reversed(back):
        path.append(int(before[path[-1]]))
    return path[::-1]


def runs(labels: Sequence[str]) -> list[tuple[str, int, int]]:
    """``B-``/``I-`` labels as (slot, first word, word after the last)."""
    found: list[tuple[str, int, int]] = []
    for at, label in enumerate(labels):
        if label.startswith("B-"):
            found.append((label[2:], at, at + 1))
        elif label.startswith("I-") and found and found[-1][0] == label[2:] and found[-1][2] == at:
            found[-1] = (found[-1][0], found[-1][1], at + 1)
    return found
