"""Slot values of an utterance: the tagger's spans and the normalisers' evidence, weighed together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from appliance.conversation.commands import SlotValue
from appliance.conversation.models import Context
from appliance.readers.normalise.found import Found, Hit, values_of
from appliance.readers.normalise.names import find_introduced, read_last_clause, read_name, read_spelled
from appliance.readers.normalise.values import Evidence, Normalisers
from appliance.readers.normalise.words import Words
from appliance.readers.normalise.written import fold
from appliance.readers.signals import Span, Thresholds

NAMES = ("first_name", "last_name", "name")
SAYS_MORE = 0.8
"""How sure a value is that a normaliser read from more words than the tagger marked."""
LONGER = 3
"""Letters by which a rule's words must be longer to outweigh the tagger's slot."""
LONGEST_NAME = 3
CERTAIN = 0.9
"""A tagger that is this sure is believed against what was asked for."""
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
    *,
    wanted: bool = False,
) -> SlotReadings:
    """Values in reading order, one per slot: the last one meant. ``spans`` is None without a tagger.

    ``wanted``: the caller wants something that needs values, so that evidence alone weighs more.
    """
    words = normalisers.language(context.language)
    evidence = normalisers.evidence(text, context)
    tagged: list[SlotReading] = []
    unread: list[Span] = []
    for span in spans or ():
        if span.slot in NAMES or span.slot in CATALOGUE or is_negated(text, span.start, words):
            continue
        if _asked_otherwise(span, evidence, context):
            continue
        reading = _weigh(span, text, context, evidence, normalisers)
        if reading is None:
            unread.append(span)
        else:
            tagged.append(reading)
    name = _name(text, context, [s for s in spans or () if s.slot in NAMES], bool(tagged or evidence), words)
    if name is not None:
        tagged = [r for r in tagged if r.end <= name.start or name.end <= r.start] + [name]
    trust = 0.8 if spans is None else limits.evidence if wanted else 0.5
    alone = _alone(text, context, evidence, tagged, normalisers, trust)
    supported = [r for r in alone if r.confidence >= limits.slot_keep]
    rest = tuple(r for r in alone if r.confidence < limits.slot_keep)
    return SlotReadings(_last_of_each([*tagged, *supported]), tuple(unread), rest)


def _asked_otherwise(span: Span, evidence: Sequence[Evidence], context: Context) -> bool:
    """The words are what was asked for, or part of more words that mean something else ("nine-thirty").

    A tagger that is very sure is believed all the same.
    """
    if span.slot in context.asked or span.confidence >= CERTAIN:
        return False
    others = [
        e for e in evidence if e.slot != span.slot and e.hit.start < span.end and span.start < e.hit.end
    ]
    return any(
        e.slot in context.asked or e.hit.end - e.hit.start > (span.end - span.start) + LONGER for e in others
    )


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
        if values_of(same) == values:
            sure = 1 - (1 - span.confidence) * 0.2
            note = f"{span.slot}: tagger and normaliser agree"
            return SlotReading(span.slot, values, span.start, span.end, sure, note)
        if len(same_text := text[same.start : same.end]) >= len(span.text) or not values:
            sure = SAYS_MORE
            note = f"{span.slot}: '{same_text}' says more than '{span.text}'"
            start = min(span.start, narrowest(span.slot, same, text, context, normalisers))
            return SlotReading(span.slot, values_of(same), start, max(span.end, same.end), sure, note)
    if not values:
        return None
    if touching and span.slot not in context.asked:
        other = touching[0].slot
        sure = min(span.confidence, 0.7)
        return SlotReading(
            span.slot, values, span.start, span.end, sure, f"'{span.text}' could also be {other}"
        )
    return SlotReading(span.slot, values, span.start, span.end, span.confidence, f"{span.slot}: tagger")


def narrowest(slot: str, hit: Hit, text: str, context: Context, normalisers: Normalisers) -> int:
    """Where the value itself starts: "Tisch für vier" means what "vier" means."""
    for word in reversed(list(re.finditer(r"\S+", text[hit.start : hit.end]))):
        start = hit.start + word.start()
        same = normalisers.hit(slot, text[start : hit.end], context)
        if same is not None and values_of(same) == values_of(hit):
            return start
    return hit.start


def _alone(
    text: str,
    context: Context,
    evidence: Sequence[Evidence],
    tagged: Sequence[SlotReading],
    normalisers: Normalisers,
    trust: float,
) -> list[SlotReading]:
    """Evidence where nothing was tagged: believed when it was asked for, or can hardly be anything else."""
    readings: list[SlotReading] = []
    for one in evidence:
        hit = one.hit
        if hit.negated or any(hit.start < r.end and r.start < hit.end for r in tagged):
            continue
        if any(r.slot == one.slot for r in tagged):
            continue
        sure = _sureness(one, text, context, trust)
        start = narrowest(one.slot, hit, text, context, normalisers)
        note = f"{one.slot}: normaliser alone"
        readings.append(SlotReading(one.slot, values_of(hit), start, hit.end, sure, note, tagged=False))
    return readings


def _sureness(one: Evidence, text: str, context: Context, trust: float) -> float:
    if one.slot == "phone":
        return 0.97
    if one.slot in context.asked:
        letters = sum(c.isalnum() for c in text)
        share = sum(c.isalnum() for c in text[one.hit.start : one.hit.end]) / max(letters, 1)
        return 0.95 if share >= 0.5 else 0.82
    return trust


def _name(
    text: str, context: Context, spans: Sequence[Span], others: bool, words: Words
) -> SlotReading | None:
    """First and last name as one value; letters that were spelled win over how they were heard."""
    tagged = _tagged_name(text, spans, words)
    introduced = find_introduced(text, words)
    answered = _answered_name(text, words) if "name" in context.asked and not others else None
    second = introduced or answered
    if tagged is None:
        if second is None or is_negated(text, second.start, words):
            return None
        sure, note = (0.82, "introduced") if introduced else (_answer_sureness(text, second, words), "answer")
        return SlotReading(
            "name", (second.value,), second.start, second.end, sure, f"name: {note}", tagged=False
        )
    if second is None:
        return tagged
    if second.value in tagged.values:
        sure = 1 - (1 - tagged.confidence) * 0.3
        return replace(tagged, confidence=sure, note="name: tagger and normaliser agree")
    said, more = str(tagged.values[0]).split(), str(second.value).split()
    if set(said) < set(more) and len(more) <= LONGEST_NAME:
        note = f"name: '{second.value}' says more than '{tagged.values[0]}'"
        return SlotReading("name", (second.value,), second.start, second.end, SAYS_MORE, note)
    return tagged


def _tagged_name(text: str, spans: Sequence[Span], words: Words) -> SlotReading | None:
    meant = [s for s in spans if not is_negated(text, s.start, words)]
    parts = sorted({s.slot: s for s in meant}.values(), key=lambda s: s.start)
    found = [(s, read_name(s.text, words)) for s in parts]
    known = [(s, name) for s, name in found if name is not None]
    if not known:
        return None
    start, end = known[0][0].start, known[-1][0].end
    whole = read_name(text[start:end], words) if len(text[start:end].split()) == len(known) else None
    said = [str(whole.value)] if whole is not None else [str(name.value) for _, name in known]
    spelled = read_spelled(text, words)
    if spelled is not None:
        said = _with_spelled(said, str(spelled.value))
        start, end = min(start, spelled.start), max(end, spelled.end)
    sure = min(s.confidence for s, _ in known)
    return SlotReading("name", (" ".join(said),), start, end, sure, "name: tagger")


def _answered_name(text: str, words: Words) -> Found | None:
    """The name in an answer; letters spelled after it correct it: "Jasmin Khoury, K H O U R Y".

    An utterance that has capitals, but none near its end, ends in no name: "It's crazy".
    """
    if re.search(r"[A-ZÀ-Þ]", text) and not re.search(r"[A-ZÀ-Þ]\w*\W*(?:\w+\W*)?$", text):
        return None
    spelled = read_spelled(text, words)
    heard = read_name(text[: spelled.start], words) if spelled is not None else None
    if spelled is None or heard is None:
        return read_name(text, words) or read_last_clause(text, words)
    parts = _with_spelled(str(heard.value).split(), str(spelled.value))
    return Found(" ".join(parts), heard.start, spelled.end)


def _answer_sureness(text: str, found: Found, words: Words) -> float:
    """A short answer to "what is your name" is a name; a longer one may be anything."""
    if read_spelled(text, words) is not None:
        return 0.9
    rest = len(re.findall(r"\w+", text)) - len(re.findall(r"\w+", text[found.start : found.end]))
    size = len(re.findall(r"\w+", text[found.start : found.end]))
    return 0.9 if size <= 2 and rest <= 4 else 0.65


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
