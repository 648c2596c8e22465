"""Loads the readers of a box from its files; wiring and the command line share it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from appliance.config import Paths
from appliance.conversation.ports import Reader
from appliance.readers.cascade import Cascade
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
    limits: Thresholds = field(default_factory=Thresholds)

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


def load_readers(paths: Paths, languages: Sequence[str]) -> Readers:
    """All readers of these languages. Raises ModelMissing if one was never trained, KnowledgeError."""
    from appliance.readers.tagger import Tagger

    readers = load_untrained(paths)
    taggers: dict[str, SlotTagger] = {one: Tagger.load(paths.readers, one) for one in languages}
    return replace(readers, taggers=taggers)
