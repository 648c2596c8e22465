"""Which words of an utterance can be a value of which slot: all that the language model may choose from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from appliance.conversation.constraint import word_offsets
from appliance.conversation.models import Context
from appliance.readers.normalise.dates import find_dates
from appliance.readers.normalise.found import Hit
from appliance.readers.normalise.menu import find_allergens, find_entries
from appliance.readers.normalise.people import find_people
from appliance.readers.normalise.phones import find_phones
from appliance.readers.normalise.times import find_times
from appliance.readers.normalise.values import Normalisers
from appliance.readers.normalise.words import Words

LONGEST_NAME = 4
"""Words of a name."""
MOST_NAMES = 200

_Find = Callable[[bool], Sequence[Hit]]


@dataclass(frozen=True)
class SlotCandidates:
    """Spans that the normalisers can read; whether a bare number is a count or a time, the model says."""

    normalisers: Normalisers

    def __call__(self, text: str, context: Context) -> Mapping[str, Collection[str]]:
        """For each slot the spans of ``text``, as they stand there, that have a value for it."""
        words = self.normalisers.language(context.language)
        numeric = _numeric(text, context, words)
        full = {slot: list(find(False)) for slot, find in numeric.items()}
        taken = [hit for hits in full.values() for hit in hits]
        bare = {
            slot: [
                hit for hit in find(True) if _is_whole(text, hit) and not _overlaps(hit.start, hit.end, taken)
            ]
            for slot, find in numeric.items()
        }
        menu = {
            "dish": find_entries(text, context.vocabulary.dishes),
            "category": find_entries(text, context.vocabulary.categories),
            "allergen": find_allergens(text, words),
        }
        hits = {**{slot: [*full[slot], *bare[slot]] for slot in numeric}, **menu}
        spans = {slot: _spans(text, found) for slot, found in hits.items()}
        return {**spans, "name": self._names(text, taken, context)}

    def _names(self, text: str, taken: Sequence[Hit], context: Context) -> Collection[str]:
        """Runs of words outside dates, times and the like that can be a name."""
        offsets = word_offsets(text)
        runs = [
            (offsets[first][0], offsets[last][1])
            for first in range(len(offsets))
            for last in range(first, min(first + LONGEST_NAME, len(offsets)))
        ]
        spans = [text[start:end] for start, end in runs if not _overlaps(start, end, taken)]
        plain = [span for span in dict.fromkeys(spans) if "," not in span and ";" not in span]
        values = self.normalisers.values
        return [span for span in plain if values("name", span, context) is not None][:MOST_NAMES]


def _numeric(text: str, context: Context, words: Words) -> Mapping[str, _Find]:
    return {
        "people": lambda bare: find_people(text, words, bare=bare),
        "date": lambda bare: find_dates(text, context.now, words, bare=bare),
        "time": lambda bare: find_times(text, context.now, words, serving=context.serving, bare=bare),
        "phone": lambda bare: [] if bare else find_phones(text, words),
    }


def _spans(text: str, hits: Sequence[Hit]) -> list[str]:
    return [span for span in dict.fromkeys(text[hit.start : hit.end].strip() for hit in hits) if span]


def _is_whole(text: str, hit: Hit) -> bool:
    """False for a part of a word: the "15" of "8:15"."""
    offsets = word_offsets(text)
    return hit.start in {start for start, _ in offsets} and hit.end in {end for _, end in offsets}


def _overlaps(start: int, end: int, hits: Sequence[Hit]) -> bool:
    return any(start < hit.end and hit.start < end for hit in hits)
