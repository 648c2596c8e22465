"""Search over what a business wrote: words with synonyms, and meaning through an embedding (R-06)."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from appliance.conversation.business import Section
from appliance.errors import KnowledgeError
from appliance.storage.knowledge.folding import fold, words

LONGEST_QUERY = 200
SHORTEST_STEM = 4
ENDINGS = ("ungen", "ern", "en", "er", "es", "em", "ing", "e", "n", "s")
TITLE_WEIGHT = 1.0
BODY_WEIGHT = 0.7
WORD_FLOOR = 0.5
"""Share of the query's weight that a section's words must cover where its meaning is not known."""
MEANING_WEIGHT = 10.0
"""Weight of a cosine above the mean of all sections; this model's absolute cosines lie too close together."""
FLOOR = 0.95
"""Coverage and weighted meaning that are enough together; docs/adr/0022 has the figures."""
UNSEEN = 0.7
"""Share of the greatest weight that a word has which matches nothing in any section."""


Vector = tuple[float, ...]
Content = tuple[frozenset[str], frozenset[str]]
"""Stems of a section's title and of its text."""


class Embedder(Protocol):
    """The local embedding: unit vectors, so that a product is a cosine."""

    def query(self, text: str) -> Iterable[float]: ...

    def passage(self, text: str) -> Iterable[float]: ...


class Shelf(Protocol):
    """Where vectors outlive the process, see :class:`appliance.storage.vectors.VectorStore`."""

    def get(self, texts: Sequence[str]) -> Mapping[str, Vector]: ...

    def put(self, new: Mapping[str, Vector]) -> None: ...


class SearchWords(BaseModel):
    """knowledge/search/<language>.yaml: words without content, and groups that mean the same."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    stopwords: str
    synonyms: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Hit:
    """A section that clears the floor."""

    section: Section
    coverage: float
    """Share of the query's weight that its words cover, 0 to 1."""
    nearness: float | None
    """Cosine to the query less the mean cosine of all sections; None while its vector is not there."""

    @property
    def score(self) -> float:
        return self.coverage + MEANING_WEIGHT * (self.nearness or 0.0)

    @property
    def clears_the_floor(self) -> bool:
        if self.nearness is None:
            return self.coverage >= WORD_FLOOR
        return self.score >= FLOOR


@dataclass
class Search:
    """Finds sections by words at once, and by meaning as soon as their vectors are there.

    Embedding a section takes longer than a caller waits: ``warm`` does it ahead, and a question that meets
    sections without vectors (an edit) has it done in the background.
    """

    languages: Mapping[str, SearchWords]
    embedder: Embedder | None
    """None: words only, for a box without the embedding."""
    shelf: Shelf | None = None
    _vectors: dict[str, Vector] = field(default_factory=dict)
    _warming: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._silent = {word for one in self.languages.values() for word in words(one.stopwords)}

    def find(
        self,
        sections: Sequence[Section],
        query: str,
        synonyms: Sequence[Sequence[str]] = (),
        most: int = 3,
    ) -> list[Hit]:
        """The best sections for a query of at most 200 characters; none when nothing clears the floor."""
        wanted = self._terms(query[:LONGEST_QUERY], synonyms)
        if not sections or not (wanted or self.embedder):
            return []
        contents = [(_stems(" ".join((one.title, *one.also))), _stems(one.text)) for one in sections]
        coverages = _coverages(wanted, contents)
        nearnesses = self._nearnesses(sections, query[:LONGEST_QUERY])
        hits = [
            Hit(section, coverage, nearness)
            for section, coverage, nearness in zip(sections, coverages, nearnesses, strict=True)
        ]
        good = sorted((hit for hit in hits if hit.clears_the_floor), key=lambda hit: -hit.score)
        return good[:most]

    def warm(self, sections: Sequence[Section]) -> None:
        """Have the vectors of sections ready; returns when they are."""
        with self._warming:
            wanted = [text for one in sections if (text := _embedded(one)) not in self._vectors]
            if self.embedder is None or not wanted:
                return
            if self.shelf:
                self._vectors.update(self.shelf.get(wanted))
            new = [text for text in wanted if text not in self._vectors]
            for text in new:
                self._vectors[text] = tuple(float(number) for number in self.embedder.passage(text))
            if self.shelf and new:
                self.shelf.put({text: self._vectors[text] for text in new})

    def _terms(self, query: str, synonyms: Sequence[Sequence[str]]) -> list[frozenset[str]]:
        """One set of equal stems for each word with content."""
        groups = [group for one in self.languages.values() for group in one.synonyms] + list(synonyms)
        equal: dict[str, set[str]] = {}
        for group in groups:
            stems = {stem(fold(word)) for word in group}
            for one in stems:
                equal.setdefault(one, set()).update(stems)
        content = dict.fromkeys(stem(word) for word in words(query) if word not in self._silent)
        return [frozenset({word} | equal.get(word, set())) for word in content]

    def _nearnesses(self, sections: Sequence[Section], query: str) -> list[float | None]:
        if self.embedder is None:
            return [None] * len(sections)
        vectors = [self._vectors.get(_embedded(one)) for one in sections]
        if None in vectors and not self._warming.locked():
            threading.Thread(target=self.warm, args=[list(sections)], daemon=True).start()
        wanted = tuple(float(number) for number in self.embedder.query(query))
        cosines = [
            None if one is None else sum(a * b for a, b in zip(wanted, one, strict=True)) for one in vectors
        ]
        known = [one for one in cosines if one is not None]
        mean = sum(known) / len(known) if known else 0.0
        return [None if one is None else one - mean for one in cosines]


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its ending, so that ``Hunde`` and ``Hund`` are the same."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def load_search_words(folder: Path) -> dict[str, SearchWords]:
    """All languages of the folder. Raises KnowledgeError naming the file that is wrong."""
    found = {}
    for path in sorted(folder.glob("*.yaml")):
        try:
            found[path.stem] = SearchWords.model_validate(yaml.safe_load(path.read_text("utf-8")))
        except (OSError, yaml.YAMLError, ValidationError) as cause:
            raise KnowledgeError(f"The search words {path} are wrong: {cause}") from cause
    return found


@lru_cache(maxsize=8192)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text))


def _embedded(section: Section) -> str:
    """What of a section is embedded."""
    return f"{section.title}. {section.text}"


def _rarity(contents: Sequence[frozenset[str]]) -> dict[str, float]:
    counts = Counter(word for content in contents for word in content)
    return {word: math.log(1 + len(contents) / count) for word, count in counts.items()}


def _coverages(wanted: Sequence[frozenset[str]], contents: Sequence[Content]) -> list[float]:
    """For each section, the weighted share of the wanted words that stand in its title or text."""
    rarity = _rarity([title | body for title, body in contents])
    greatest = max(rarity.values(), default=1.0)
    total, covered = 0.0, [0.0] * len(contents)
    for term in wanted:
        matches = [
            max(_match(term, title) * TITLE_WEIGHT, _match(term, body) * BODY_WEIGHT)
            for title, body in contents
        ]
        unknown = greatest if any(matches) else UNSEEN * greatest
        weight = max((rarity[word] for word in term if word in rarity), default=unknown)
        total += weight
        covered = [done + weight * match for done, match in zip(covered, matches, strict=True)]
    return [done / total if total else 0.0 for done in covered]


def _match(term: frozenset[str], content: frozenset[str]) -> float:
    """1 for a word itself, less for a compound that begins or ends with it."""
    if term & content:
        return 1.0
    if any(_is_compound(word, other) for word in term for other in content):
        return 0.7
    return 0.0


def _is_compound(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    if len(short) < SHORTEST_STEM:
        return False
    return long.startswith(short) or (len(short) > SHORTEST_STEM and long.endswith(short))
