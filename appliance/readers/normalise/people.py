"""How many people: counts, sums of adults and children, couples, "zu viert"."""

from __future__ import annotations

import re

from appliance.readers.normalise.found import Ambiguous, Found, Hit, longest_first, meant, settle
from appliance.readers.normalise.words import Words
from appliance.readers.normalise.written import fold

MOST = 500
"""A larger number is no count of guests."""


def find_people(text: str, words: Words, *, bare: bool = False) -> list[Hit]:
    """All counts in reading order. ``bare``: a count was asked for, so "vier" is one."""
    written = words.written(text)
    strong = settle(_matches(written.text, words, bare=False), written, words)
    strong = longest_first(strong + _couples(text, words))
    if not bare or meant(strong) is not None:
        return strong
    return settle(_matches(written.text, words, bare=True), written, words)


def _matches(text: str, words: Words, *, bare: bool) -> list[Hit]:
    hits: list[Hit] = []
    for pattern, rule in words.count_rules:
        if rule.bare and not bare:
            continue
        for match in pattern.finditer(text):
            if (rule.weak or rule.bare) and _is_other(text[match.end() :], text[: match.start()], words):
                continue
            if rule.either:
                options = tuple(_number(match.group(group), words) for group in rule.either)
                hits.append(Ambiguous(options, *match.span()))
                continue
            named = _named(match.group(), words) if rule.members else 0
            count = (
                named
                + rule.constant
                + sum(_number(match.group(g), words) for g in rule.plus if match.group(g))
            )
            if 1 <= count <= MOST:
                hits.append(Found(count, *match.span()))
    return hits + _collective(text, words)


def read_people(text: str, words: Words, *, bare: bool = True) -> Hit | None:
    """The count that the caller means, or nothing. A span of nothing but "eine" is one."""
    alone = text.strip(" .,!?")
    if fold(alone) in {fold(word) for word in words.file.one}:
        return Found(1, text.index(alone), text.index(alone) + len(alone))
    return meant(find_people(text, words, bare=bare))


def _named(text: str, words: Words) -> int:
    """How many people are named one by one; "my parents" are two."""
    members = re.findall(rf"(?<!\w){words.member}", text)
    return len(members) + len(re.findall(fold(words.file.pair_words), text))


def _number(said: str, words: Words) -> int:
    return int(said) if said.isdigit() else words.numbers.get(said, 1)


def _is_other(follows: str, before: str, words: Words) -> bool:
    """A clock, an ordinal, a price, a duration or a part of a number follows or leads."""
    return words.not_count.match(follows) is not None or words.not_after.search(before) is not None


def _collective(text: str, words: Words) -> list[Hit]:
    """ "Zu viert"; digits because the number words were replaced ("zu acht" is "zu 8")."""
    table = {fold(word): count for word, count in words.file.collective.items()}
    hits: list[Hit] = []
    for match in re.finditer(r"(?<!\w)zu (\w+)", text):
        said = match.group(1)
        if said in table or said.isdigit():
            hits.append(Found(table.get(said) or int(said), *match.span()))
    return hits


def _couples(text: str, words: Words) -> list[Hit]:
    if not words.file.couple:
        return []
    return [Found(2, *match.span()) for match in re.finditer(words.file.couple, text)]
