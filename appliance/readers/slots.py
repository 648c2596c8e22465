"""Slot values of an utterance: the tagger's spans and the normalisers' evidence, weighed together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from appliance.conversation.commands import SlotValue
from appliance.conversation.models import Context
from appliance.readers.normalise.found import Hit, values_of
from appliance.readers.normalise.names import read_name, read_spelled
from appliance.readers.normalise.values import Evidence, Normalisers
from appliance.readers.normalise.words import Words
from appliance.readers.normalise.written import fold
from appliance.readers.signals import Span, Thresholds

NAMES = ("first_name", "last_name", "name")
CATALOGUE = ("dish", "category", "allergen")
"""Slots that only questions have; they are looked up in the tenant's lists."""


@dataclass(frozen=True)
class SlotReading:
    """A slot's value or, if there are several, what it could be; read from ``text[start:end]``."""

    slot: str
    values: tuple[SlotValue, ...]
    start: int
    end: int
    confidence: float
    note: str = ""
    tagged: bool = True
    """The tagger saw it; otherwise only a normaliser did."""


@dataclass(frozen=True)
class SlotReadings:
    """What was read, one per slot, and the tagged words that no normaliser could read."""

    readings: tuple[SlotReading, ...]
    unread: tuple[Span, ...]
    unsupported: tuple[SlotReading, ...]
    """Evidence that the tagger did not see and that was not asked for."""


def read_slots(
    text: str,
    context: Context,
    spans: Sequence[Span] | None,
    normalisers: Normalisers,
    limits: Thresholds,
) -> SlotReadings:
    """Values in reading order, one per slot: the last one meant. ``spans`` is None without a tagger."""
    words = normalisers.language(context.language)
    evidence = normalisers.evidence(text, context)
    tagged: list[SlotReading] = []
    unread: list[Span] = []
    for span in spans or ():
        if span.slot in NAMES or span.slot in CATALOGUE or is_negated(text, span.start, words):
            continue
        reading = _weigh(span, text, context, evidence, normalisers)
        if reading is None:
            unread.append(span)
        else:
            tagged.append(reading)
    name = _name(text, context, [s for s in spans or () if s.slot in NAMES], bool(tagged or evidence), words)
    if name is not None:
        tagged.append(name)
    alone = _alone(text, context, evidence, tagged, spans is not None)
    supported = [r for r in alone if r.confidence >= limits.slot_keep]
    rest = tuple(r for r in alone if r.confidence < limits.slot_keep)
    return SlotReadings(_last_of_each([*tagged, *supported]), tuple(unread), rest)


def is_negated(text: str, start: int, words: Words) -> bool:
    """True for a value that was said but not meant: "nicht vier"."""
    return words.negates(fold(text[:start]))


def _weigh(
    span: Span, text: str, context: Context, evidence: Sequence[Evidence], normalisers: Normalisers
) -> SlotReading | None:
    """A tagged span's value, more or less sure by what the normalisers find in the whole utterance."""
    hit = normalisers.hit(span.slot, span.text, context)
    values = () if hit is None else values_of(hit)
    touching = [e for e in evidence if e.hit.start < span.end and span.start < e.hit.end]
    same = next((e.hit for e in touching if e.slot == span.slot), None)
    if same is not None:
        if same.negated:
            return None
        start, end = min(span.start, same.start), max(span.end, same.end)
        if values_of(same) == values:
            sure = 1 - (1 - span.confidence) * 0.2
            return SlotReading(
                span.slot, values, start, end, sure, f"{span.slot}: tagger and normaliser agree"
            )
        if len(same_text := text[same.start : same.end]) >= len(span.text) or not values:
            sure = max(0.75, min(span.confidence, 0.85))
            note = f"{span.slot}: '{same_text}' says more than '{span.text}'"
            return SlotReading(span.slot, values_of(same), start, end, sure, note)
    if not values:
        return None
    if touching and span.slot not in context.asked:
        other = touching[0].slot
        sure = min(span.confidence, 0.7)
        return SlotReading(
            span.slot, values, span.start, span.end, sure, f"'{span.text}' could also be {other}"
        )
    return SlotReading(span.slot, values, span.start, span.end, span.confidence, f"{span.slot}: tagger")


def _alone(
    text: str,
    context: Context,
    evidence: Sequence[Evidence],
    tagged: Sequence[SlotReading],
    has_tagger: bool,
) -> list[SlotReading]:
    """Evidence where nothing was tagged: believed when it was asked for, or can hardly be anything else."""
    readings: list[SlotReading] = []
    for one in evidence:
        hit = one.hit
        if hit.negated or any(hit.start < r.end and r.start < hit.end for r in tagged):
            continue
        if any(r.slot == one.slot for r in tagged):
            continue
        sure = _sureness(one, hit, text, context, has_tagger)
        note = f"{one.slot}: normaliser alone"
        readings.append(SlotReading(one.slot, values_of(hit), hit.start, hit.end, sure, note, tagged=False))
    return readings


def _sureness(one: Evidence, hit: Hit, text: str, context: Context, has_tagger: bool) -> float:
    if one.slot == "phone":
        return 0.97
    if one.slot in context.asked:
        letters = sum(c.isalnum() for c in text)
        share = sum(c.isalnum() for c in text[hit.start : hit.end]) / max(letters, 1)
        return 0.95 if share >= 0.5 else 0.82
    return 0.5 if has_tagger else 0.8


def _name(
    text: str, context: Context, spans: Sequence[Span], others: bool, words: Words
) -> SlotReading | None:
    """First and last name as one value; letters that were spelled win over how they were heard."""
    spans = [s for s in spans if not is_negated(text, s.start, words)]
    latest = {s.slot: s for s in spans}
    parts = sorted(latest.values(), key=lambda s: s.start)
    names = [(s, read_name(s.text, words)) for s in parts]
    known = [(s, found) for s, found in names if found is not None]
    if known:
        start, end = known[0][0].start, known[-1][0].end
        said = [str(found.value) for _, found in known]
        sure = min(s.confidence for s, _ in known)
        spelled = read_spelled(text, words)
        if spelled is not None:
            said = _with_spelled(said, str(spelled.value))
            start, end = min(start, spelled.start), max(end, spelled.end)
        return SlotReading("name", (" ".join(said),), start, end, sure, "name: tagger")
    if "name" not in context.asked or others:
        return None
    found = read_name(text, words)
    if found is None:
        return None
    size = len(re.findall(r"\w+", text[found.start : found.end]))
    sure = 0.9 if size <= 2 or found == read_spelled(text, words) else 0.65
    return SlotReading("name", (found.value,), found.start, found.end, sure, "name: the whole answer", False)


def _with_spelled(said: list[str], spelled: str) -> list[str]:
    """The part that was spelled replaced by its letters; a new part if none is like it."""
    alike = [fuzz.ratio(fold(part), fold(spelled)) for part in said]
    best = max(range(len(said)), key=lambda i: alike[i])
    if alike[best] >= 50:
        return [*said[:best], spelled, *said[best + 1 :]]
    return [spelled] if len(said) == 1 else [*said[:-1], spelled]


def _last_of_each(readings: Sequence[SlotReading]) -> tuple[SlotReading, ...]:
    """One reading per slot: the last said; a longer one that holds others stays."""
    latest: dict[str, SlotReading] = {}
    for reading in sorted(readings, key=lambda r: (r.start, r.end)):
        before = latest.get(reading.slot)
        if before is not None and before.end >= reading.end:
            continue
        if before is not None and before.values == reading.values:
            reading = replace(reading, confidence=max(before.confidence, reading.confidence))
        latest[reading.slot] = reading
    return tuple(sorted(latest.values(), key=lambda r: r.start))
