"""A tenant's own example sentences beside its knowledge: the nearest one adds its intents, no training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from appliance.readers.embedding import Embedder, embed_all
from appliance.readers.intents import IntentLayer, IntentScore
from appliance.readers.sentences import Sentence, read_sentences

NEAR = 0.93
"""Cosine from which an example is as good as said; the embedding's sentences are all above 0.7 alike."""
AS_SURE = 0.9
"""Probability of an example's intents at cosine 1."""


@dataclass(frozen=True)
class TenantExamples:
    """Examples of one tenant: ``vectors`` (N, D)."""

    sentences: tuple[Sentence, ...]
    vectors: NDArray[np.float32]

    @classmethod
    def load(cls, file: Path, embedder: Embedder) -> TenantExamples | None:
        """``knowledge/<tenant>/sentences.yaml``, or None if there is none. Raises KnowledgeError."""
        if not file.is_file():
            return None
        sentences = tuple(read_sentences(file))
        return cls(sentences, embed_all([one.text for one in sentences], embedder))

    def intents(self, vector: NDArray[np.float32]) -> dict[str, float]:
        """Of the nearest example, if it is near, with how sure that makes them."""
        near = self.vectors @ vector
        at = int(near.argmax())
        if near[at] < NEAR:
            return {}
        return dict.fromkeys(self.sentences[at].intents, AS_SURE * float(near[at]))


class WithExamples:
    """An intent reader that also knows a tenant's examples; one embedding serves both."""

    def __init__(self, layer: IntentLayer, examples: TenantExamples) -> None:
        self._layer = layer
        self._examples = examples

    def read(self, text: str) -> Sequence[IntentScore]:
        """Every intent, the most probable first; those of a near example count as it is near."""
        vector = self._layer.vector(text)
        near = self._examples.intents(vector)
        scores = [
            IntentScore(one.intent, max(one.probability, near.get(one.intent, 0.0)))
            for one in self._layer.scores(text, vector)
        ]
        return sorted(scores, key=lambda one: -one.probability)
