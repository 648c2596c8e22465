"""Names as heard: introductions stripped, spelled letters joined; never a word that was not said."""

from __future__ import annotations

import re
from itertools import pairwise

from appliance.readers.normalise.found import Found
from appliance.readers.normalise.words import Words
from appliance.readers.normalise.written import fold

MOST_WORDS = 4
FEWEST_LETTERS = 3
"""Fewer letters in a row than this spell nothing."""
TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*\.?|-")


def read_name(text: str, words: Words) -> Found | None:
    """The name in a span, or in an utterance that holds little else. Spelled letters win."""
    spelled = read_spelled(text, words)
    if spelled is not None:
        return spelled
    start, end = _stripped(text, words)
    core = text[start:end]
    tokens = re.findall(r"[^\s,;]+", core)
    if not 1 <= len(tokens) <= MOST_WORDS or re.search(r"\d|[?!;:]|\.\s+\w{3}", core):
        return None
    refused = {fold(word) for word in words.file.not_names}
    if any(fold(token.strip(".!?")) in refused for token in tokens):
        return None
    if not re.search(r"[^\W\d_]{2,}", core):
        return None
    return Found(cased(core, words), start, end)


def find_introduced(text: str, words: Words) -> Found | None:
    """The name that someone introduces, anywhere in an utterance: "auf den Namen Hans Müller, bitte"."""
    for match in words.introduced.finditer(text):
        given = match.group("after") or match.group("before")
        at = match.start("after") if match.group("after") else match.start("before")
        found = read_name(given, words)
        if found is not None:
            return Found(found.value, at + found.start, at + found.end)
    return None


def read_last_clause(text: str, words: Words) -> Found | None:
    """The name at the end of an answer: "Den Nachnamen auch? Demir."."""
    for clause in reversed(list(re.finditer(r"[^,.;:!?]+", text))):
        if re.search(r"\w", clause.group()):
            found = read_name(clause.group(), words)
            at = clause.start()
            return None if found is None else Found(found.value, at + found.start, at + found.end)
    return None


def cased(name: str, words: Words) -> str:
    """As heard where it has capitals inside, else each part with a capital; particles as heard."""
    parts = re.split(r"([\s\-,]+)", name.strip())
    shown: list[str] = []
    for part in parts:
        if not part or re.fullmatch(r"[\s\-,]+", part):
            shown.append("-" if "-" in part else " " if part else "")
        elif fold(part) in words.file.particles or re.search(r"[a-zß-ÿ'’][A-ZÀ-Þ]", part):
            shown.append(part)
        else:
            shown.append(part[:1].upper() + part[1:].lower())
    return "".join(shown).strip()


def _stripped(text: str, words: Words) -> tuple[int, int]:
    """The span of the text without what is said around a name."""
    notes = re.search(words.file.name_notes, text, re.IGNORECASE)
    end = notes.start() if notes and notes.start() > 0 else len(text)
    start = 0
    before = sorted(map(fold, words.file.name_before), key=len, reverse=True)
    after = sorted(map(fold, words.file.name_after), key=len, reverse=True)
    changed = True
    while changed:
        changed = False
        while start < end and not text[start].isalnum():
            start += 1
        while end > start and not text[end - 1].isalnum():
            end -= 1
        cut = _leading(text[start:end], before)
        if cut:
            start, changed = start + cut, True
        cut = _trailing(text[start:end], after)
        if cut:
            end, changed = end - cut, True
    return start, end


def _leading(text: str, phrases: list[str]) -> int:
    """Letters that the longest introduction at the start takes; it must leave something."""
    for place in (m.end() for m in reversed(list(re.finditer(r"\S+", text)))):
        said = fold(text[:place]).strip(" ,.:;")
        if place < len(text) and " ".join(re.split(r"[\s,]+", said)) in phrases:
            return place
    return 0


def _trailing(text: str, phrases: list[str]) -> int:
    for match in re.finditer(r"\S+", text):
        said = fold(text[match.start() :]).strip(" ,.:;!")
        if match.start() > 0 and " ".join(re.split(r"[\s,]+", said)) in phrases:
            return len(text) - match.start()
    return 0


def read_spelled(text: str, words: Words) -> Found | None:
    """ "M wie Martha, Ü, Doppel-L, E, R" or "em ü doppel l e er" as "Müller"; the last such run."""
    letters: list[str] = []
    runs: list[tuple[list[str], int, int]] = []
    tokens = list(TOKEN.finditer(text))
    skip = repeat = 0
    start = end = 0
    for at, token in enumerate(tokens):
        if skip:
            skip, end = skip - 1, token.end()
            continue
        said = fold(token.group()).strip(".")
        if said in words.file.repeats:
            repeat = words.file.repeats[said]
            continue
        if said == "-" and _is_hyphen(tokens, at):
            continue
        letter = _letter(token.group().strip("."), words)
        if letter is None:
            if len(letters) >= FEWEST_LETTERS:
                runs.append((letters, start, end))
            letters, repeat = [], 0
            continue
        start = token.start() if not letters else start
        letters, repeat, end = letters + [letter] * max(repeat, 1), 0, token.end()
        skip = _example(tokens, at, words)
    if len(letters) >= FEWEST_LETTERS:
        runs.append((letters, start, end))
    if not runs:
        return None
    letters, start, end = runs[-1]
    return Found(cased("".join(letters), words), start, end)


def _is_hyphen(tokens: list[re.Match[str]], at: int) -> bool:
    """A dash between single letters separates them."""
    return 0 < at < len(tokens) - 1


def _letter(said: str, words: Words) -> str | None:
    """The letter that a word stands for: itself if it is one, or its name ("jot")."""
    if len(said) == 1 and said.isalpha():
        return said.lower()
    table = {fold(name): letter for name, letter in words.file.letters.items() if len(name) > 1}
    return table.get(fold(said))


def _example(tokens: list[re.Match[str]], at: int, words: Words) -> int:
    """Tokens that "wie Martha" takes after a letter."""
    following = [fold(token.group()) for token in tokens[at + 1 : at + 4]]
    likes = sorted((fold(like).split() for like in words.file.letter_like), key=len, reverse=True)
    for like in likes:
        if following[: len(like)] == like and len(following) > len(like):
            return len(like) + 1
    return 0


def is_spelled(text: str, words: Words) -> bool:
    """True when most of an utterance is spelled letters."""
    tokens = TOKEN.findall(text)
    return (
        any(len(a) == 1 and len(b) == 1 for a, b in pairwise(tokens))
        and read_spelled(text, words) is not None
    )
