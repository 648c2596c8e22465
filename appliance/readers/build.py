"""Loads the readers of a box from its files; wiring and the command line share it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from appliance.config import Paths
from appliance.conversation.ports import Reader
from appliance.errors import ModelCorrupt
from appliance.readers.cascade import Cascade
from appliance.readers.embedding import Embedder
from appliance.readers.lexicon import Lexicons
from appliance.readers.normalise.values import Normalisers
from appliance.readers.signals import IntentReader, SlotTagger, Thresholds


@dataclass(frozen=True)
class Readers:
    """All readers but the language model, shared by all calls."""

    lexicons: Lexicons
    normalisers: Normalisers
    taggers: Mapping[str, SlotTagger] = field(default_factory=dict)
    intents: Mapping[str, IntentReader] = field(default_factory=dict)
    limits: Mapping[str, Thresholds] = field(default_factory=dict)

    def cascade(self, second: Reader | None = None) -> Cascade:
        """The cascade for one call; ``second`` is that call's language model reader."""
        return Cascade(
            self.lexicons,
            self.normalisers,
            taggers=self.taggers,
            intents=self.intents,
            second=second,
            limits=self.limits,
        )


def load_untrained(paths: Paths) -> Readers:
    """Lexicon and normalisers: all that works without trained weights. Raises KnowledgeError."""
    knowledge = paths.knowledge
    return Readers(Lexicons.load(knowledge / "lexicon"), Normalisers.load(knowledge / "normalise"))


def load_readers(
    paths: Paths, languages: Sequence[str], *, intents: bool = True, embedder: Embedder | None = None
) -> Readers:
    """All readers of these languages. Raises ModelMissing if one was never trained, KnowledgeError.

    ``intents`` False leaves them out, for a look at the tagger alone; ``embedder`` is shared with the search.
    """
    from appliance.readers.tagger import Tagger

    return replace(
        load_untrained(paths),
        taggers={one: Tagger.load(paths.readers, one) for one in languages},
        intents=_intents(paths, languages, embedder) if intents else {},
        limits=load_thresholds(paths.readers / "thresholds.json"),
    )


def _intents(paths: Paths, languages: Sequence[str], embedder: Embedder | None) -> dict[str, IntentReader]:
    from appliance.readers.embedding import SentenceEmbedder
    from appliance.readers.intents import IntentLayer

    shared = embedder or SentenceEmbedder()
    return {one: IntentLayer.load(paths.readers, one, shared) for one in languages}


def load_thresholds(path: Path) -> dict[str, Thresholds]:
    """By language, as calibrated: ``{"en": {"evidence": 0.5}}``; what is not in it keeps its default."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {language: Thresholds(**limits) for language, limits in found.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise ModelCorrupt(f"{path} can't be read: {error}. Run: ./tresen train") from error
