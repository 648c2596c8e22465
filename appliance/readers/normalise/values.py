"""All normalisers behind one door: a slot's value from a span, and every value in an utterance."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from appliance.conversation.commands import AmbiguousSlot, SlotValue
from appliance.conversation.models import Context
from appliance.errors import KnowledgeError
from appliance.readers.normalise.dates import find_dates, read_date
from appliance.readers.normalise.found import Ambiguous, Found, Hit, meant
from appliance.readers.normalise.menu import find_allergens, find_entries
from appliance.readers.normalise.names import cased, read_name
from appliance.readers.normalise.people import find_people, read_people
from appliance.readers.normalise.phones import find_phones, read_phone
from appliance.readers.normalise.times import find_times, read_time
from appliance.readers.normalise.words import Words, load_words

NUMERIC = ("phone", "date", "time", "people")
"""Slots whose values are read without a tagger, in the order in which they claim the same words."""


@dataclass(frozen=True)
class Evidence:
    """A value found in the utterance without knowing what was tagged."""

    slot: str
    hit: Hit


@dataclass(frozen=True)
class Normalisers:
    """Words -> values in the languages that have a word file."""

    words: Mapping[str, Words]

    @classmethod
    def load(cls, folder: Path) -> Normalisers:
        """Every ``<language>.yaml`` of ``knowledge/normalise``. Raises KnowledgeError."""
        files = sorted(folder.glob("*.yaml"))
        if not files:
            raise KnowledgeError(f"{folder} holds no word file; it needs one <language>.yaml at least.")
        return cls({path.stem: load_words(path) for path in files})

    def language(self, code: str) -> Words:
        """The words of a language; KnowledgeError if it has none."""
        if code not in self.words:
            raise KnowledgeError(
                f"There is no word file for '{code}'. Add knowledge/normalise/{code}.yaml or use one of "
                f"{', '.join(sorted(self.words))}."
            )
        return self.words[code]

    def values(self, slot: str, text: str, context: Context) -> SlotValue | AmbiguousSlot | None:
        """The canonical value of a span that is known to be of this slot; nothing if it holds none.

        Slots: people, date, time, name, first_name, last_name, phone, dish, category, allergen.
        """
        hit = self.hit(slot, text, context)
        if isinstance(hit, Ambiguous):
            return AmbiguousSlot(slot, hit.candidates, text)
        return hit.value if hit is not None else None

    def hit(self, slot: str, text: str, context: Context) -> Hit | None:
        """As :meth:`values`, with the place inside the span."""
        words = self.language(context.language)
        if slot in ("first_name", "last_name", "name"):
            return read_name(text, words) or _given(text, words)
        if slot == "date":
            return read_date(text, context.now, words)
        if slot == "time":
            return read_time(text, context.now, words, serving=context.serving)
        if slot == "people":
            return read_people(text, words)
        if slot == "phone":
            return read_phone(text, words)
        if slot == "allergen":
            return meant(find_allergens(text, words))
        if slot in ("dish", "category"):
            entries = context.vocabulary.dishes if slot == "dish" else context.vocabulary.categories
            return meant(find_entries(text, entries))
        return None

    def evidence(self, text: str, context: Context) -> list[Evidence]:
        """Every date, time, count and phone in the utterance; no words count twice.

        A slot that was asked for also takes a bare number, after all that is said in full.
        """
        words = self.language(context.language)
        found = [e for bare in (False, True) for e in self._found(text, context, words, bare)]
        kept: list[Evidence] = []
        for one in found:
            if not any(_overlap(one.hit, other.hit) for other in kept):
                kept.append(one)
        return sorted(kept, key=lambda e: e.hit.start)

    def _found(self, text: str, context: Context, words: Words, bare: bool) -> Iterator[Evidence]:
        """Hits, longest first; with ``bare`` only those of slots that were asked for."""
        slots = [slot for slot in NUMERIC if not bare or slot in context.asked]
        hits = [(slot, hit) for slot in slots for hit in self._find(slot, text, context, words, bare)]
        for slot, hit in sorted(hits, key=lambda pair: (pair[1].start - pair[1].end, NUMERIC.index(pair[0]))):
            yield Evidence(slot, hit)

    def _find(self, slot: str, text: str, context: Context, words: Words, bare: bool) -> list[Hit]:
        if slot == "phone":
            return list(find_phones(text, words))
        if slot == "date":
            return find_dates(text, context.now, words, bare=bare)
        if slot == "time":
            return find_times(text, context.now, words, serving=context.serving, bare=bare)
        return find_people(text, words, bare=bare)


def _overlap(one: Hit, other: Hit) -> bool:
    return one.start < other.end and other.start < one.end


def _given(text: str, words: Words) -> Found | None:
    """A span that was tagged as a name is one, even if its words can mean something else ("Will")."""
    core = text.strip(" \t.,;:!?")
    if not re.fullmatch(r"[^\W\d_]+(?:[\s'’\-][^\W\d_]+){0,3}", core):
        return None
    start = text.index(core)
    return Found(cased(core, words), start, start + len(core))
