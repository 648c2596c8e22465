"""More various training sentences: values swapped, templates filled, written as a recogniser may. Pure."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from appliance.readers.sentences import NAMES, Marked, Sentence, Values, tokens

PLAINLY = 0.4
"""Share of the copies that are written in lower case and without marks."""
BLENDED = 0.5
"""Share of the names in copies that nobody has: what stands in no list is a name too."""
OWN_COPIES = 3
TEMPLATE_COPIES = 6


def rewrite(sentence: Sentence, pick: Callable[[Marked, str, str], str]) -> Sentence:
    """The sentence with each span's text chosen by ``pick`` (span, word before, word behind)."""
    text, spans, done = "", [], 0
    for span in sorted(sentence.spans, key=lambda one: one.start):
        text += sentence.text[done : span.start]
        before = re.findall(r"\w+", sentence.text[: span.start])
        behind = re.findall(r"\w+", sentence.text[span.end :])
        value = pick(span, before[-1] if before else "", behind[0] if behind else "")
        spans.append(replace(span, start=len(text), end=len(text) + len(value)))
        text += value
        done = span.end
    return replace(sentence, text=text + sentence.text[done:], spans=tuple(spans))


def swapped(sentence: Sentence, values: Values, chance: random.Random) -> Sentence:
    """Every value replaced by another that suits its place."""

    def pick(span: Marked, before: str, behind: str) -> str:
        suiting = values.for_place(span.slot, before, behind)
        if not suiting:
            return sentence.text[span.start : span.end]
        if span.slot in NAMES and chance.random() < BLENDED:
            return blended(chance.choice(suiting), chance.choice(suiting))
        return chance.choice(suiting)

    return rewrite(sentence, pick)


def blended(first: str, second: str) -> str:
    """The beginning of one name and the end of another: ``Sabine``, ``Marlies`` -> ``Sablies``."""
    return first[: (len(first) + 1) // 2] + second[len(second) // 2 :].lstrip(" '-").lower()


def plainly(sentence: Sentence) -> Sentence:
    """Lower case and without marks between words, as some recognisers write."""
    kept = [(word, a, b) for word, a, b in tokens(sentence.text) if word[0].isalnum()]
    text, spans = "", []
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    for word, start, end in kept:
        text += " " if text else ""
        starts[start] = len(text)
        text += word.lower()
        ends[end] = len(text)
    for span in sentence.spans:
        inside = [(a, b) for _, a, b in kept if a >= span.start and b <= span.end]
        if inside:
            spans.append(replace(span, start=starts[inside[0][0]], end=ends[inside[-1][1]]))
    return replace(sentence, text=text, spans=tuple(spans))


def augmented(
    sentences: Sequence[Sentence], templates: tuple[Sentence, ...], values: Values, seed: int
) -> list[Sentence]:
    """Our sentences, each also with swapped values and plainly, and the templates filled. Seeded."""
    chance = random.Random(seed)
    made = [*sentences, *(plainly(sentence) for sentence in sentences)]
    with_values = [sentence for sentence in sentences if sentence.spans]
    frames = [*with_values * OWN_COPIES, *templates * TEMPLATE_COPIES]
    made += [_perhaps_plainly(swapped(frame, values, chance), chance) for frame in frames]
    chance.shuffle(made)
    return made


def with_swapped(sentences: Sequence[Sentence], names: Values, seed: int) -> list[Sentence]:
    """Other people's sentences, each also once with values of the others in their place. Seeded.

    Names come from ``names`` too, so that the tagger learns places and not the names of one set.
    """
    chance = random.Random(seed)
    found: dict[str, list[str]] = {slot: list(names.by_slot.get(slot, ())) for slot in NAMES}
    for sentence in sentences:
        for span in sentence.spans:
            found.setdefault(span.slot, []).append(sentence.text[span.start : span.end])
    pool: Mapping[str, tuple[str, ...]] = {slot: tuple(texts) for slot, texts in found.items()}
    values = Values(pool, ())
    return [*sentences, *(swapped(one, values, chance) for one in sentences if one.spans)]


def _perhaps_plainly(sentence: Sentence, chance: random.Random) -> Sentence:
    return plainly(sentence) if chance.random() < PLAINLY else sentence
