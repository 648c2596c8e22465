"""More various training sentences: values swapped, templates filled, written as a recogniser may. Pure."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from appliance.readers.sentences import Marked, Sentence, Values, tokens

Edit = Callable[[str], str]


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
        return chance.choice(suiting) if suiting else sentence.text[span.start : span.end]

    return rewrite(sentence, pick)


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
    sentences: Sequence[Sentence], templates: Sequence[Sentence], values: Values, seed: int, copies: int = 4
) -> list[Sentence]:
    """The sentences, each also with swapped values and plainly, and the templates filled. Seeded."""
    chance = random.Random(seed)
    made = list(sentences)
    made += [plainly(sentence) for sentence in sentences]
    for sentence in sentences:
        for _ in range(copies if sentence.spans else 0):
            copy = swapped(sentence, values, chance)
            made.append(plainly(copy) if chance.random() < 0.4 else copy)
    for template in templates:
        for _ in range(copies * 2):
            copy = swapped(template, values, chance)
            made.append(plainly(copy) if chance.random() < 0.4 else copy)
    chance.shuffle(made)
    return made
