"""Annotated training sentences: ``knowledge/sentences/<language>/*.yaml`` read, checked, tokenised."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from appliance.errors import KnowledgeError

SLOTS = ("people", "date", "time", "first_name", "last_name", "phone")
NAMES = ("first_name", "last_name")
ASKABLE = ("people", "date", "time", "name", "phone")
INTENTS = (
    *("book", "ask_hours", "ask_menu", "ask_allergens", "ask_price", "ask_knowledge", "order"),
    *(
        "change_booking",
        "cancel_booking",
        "person",
        "complaint",
        "special_wish",
        "emergency",
        "greet",
        "thank",
    ),
    *("goodbye", "affirm", "deny", "correct", "cancel", "repeat", "wait", "inform", "other"),
)
NOT_MEANT = "not_meant"
"""Label of a value that was said but is not meant ("nicht [vier](people!)")."""

TOKEN = re.compile(r"\w+(?:['’]\w+)?|[^\w\s]")
_SPAN = re.compile(r"\[([^\[\]]+)\]\(([a-z_]+)(!?)\)")
_PLACE = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True)
class Marked:
    """A span of a sentence: ``text[start:end]`` is a value of ``slot``, meant or only mentioned."""

    slot: str
    start: int
    end: int
    meant: bool = True


@dataclass(frozen=True)
class Sentence:
    """One training sentence."""

    text: str
    spans: tuple[Marked, ...]
    intents: tuple[str, ...]
    asked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fit:
    """Values of a slot that suit a place: after one of these words, or before one."""

    slot: str
    after: frozenset[str]
    before: frozenset[str]
    values: tuple[str, ...]


@dataclass(frozen=True)
class Values:
    """Values to put in place of others."""

    by_slot: Mapping[str, tuple[str, ...]]
    fits: tuple[Fit, ...]

    def for_place(self, slot: str, before: str, behind: str) -> tuple[str, ...]:
        """Values that suit between the words ``before`` and ``behind``."""
        for fit in self.fits:
            if fit.slot == slot and (before.lower() in fit.after or behind.lower() in fit.before):
                return fit.values
        return self.by_slot.get(slot, ())


@dataclass(frozen=True)
class Corpus:
    """All of one language."""

    language: str
    sentences: tuple[Sentence, ...]
    templates: tuple[Sentence, ...]
    """Spans of templates hold ``{slot}``."""
    values: Values


def tokens(text: str) -> list[tuple[str, int, int]]:
    """Words and marks with start and end."""
    return [(hit.group(), hit.start(), hit.end()) for hit in TOKEN.finditer(text)]


def load_corpus(folder: Path) -> Corpus:
    """Read one language's folder. Raises KnowledgeError naming file and sentence."""
    files = sorted(path for path in folder.glob("*.yaml"))
    topics = [path for path in files if path.stem not in ("values", "templates")]
    sentences = [one for path in topics for one in _sentences(path, "sentences")]
    if not sentences:
        raise KnowledgeError(f"{folder} holds no sentences.")
    templates = folder / "templates.yaml"
    return Corpus(
        folder.name,
        tuple(sentences),
        tuple(_sentences(templates, "templates")) if templates.is_file() else (),
        _values(folder / "values.yaml"),
    )


def read_sentences(path: Path) -> list[Sentence]:
    """One file's sentences. Raises KnowledgeError."""
    return _sentences(path, "sentences")


def _read(path: Path) -> dict[str, Any]:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as cause:
        raise KnowledgeError(f"{path} can't be read: {cause}") from cause
    if not isinstance(data, dict):
        raise KnowledgeError(f"{path} must hold keys such as 'language' and 'sentences'.")
    return data


def _sentences(path: Path, key: str) -> list[Sentence]:
    rows = _read(path).get(key)
    if not isinstance(rows, list):
        raise KnowledgeError(f"{path} has no list '{key}'.")
    return [_sentence(path, number, row) for number, row in enumerate(rows, start=1)]


def _sentence(path: Path, number: int, row: Any) -> Sentence:
    """One row. Raises KnowledgeError for unknown keys, labels, slots or broken brackets."""
    place = f"{path}, sentence {number}"
    if not isinstance(row, dict) or not isinstance(row.get("say"), str) or set(row) - {"say", "is", "asked"}:
        raise KnowledgeError(f"{place}: wants say, is and perhaps asked, and nothing else.")
    intents = tuple(row.get("is") or ())
    asked = tuple(row.get("asked") or ())
    if unknown := [one for one in intents if one not in INTENTS]:
        raise KnowledgeError(f"{place}: unknown intents {unknown}.")
    if unknown := [one for one in asked if one not in ASKABLE]:
        raise KnowledgeError(f"{place}: can't be asked: {unknown}.")
    text, spans = _unmark(place, row["say"])
    return Sentence(text, spans, intents, asked)


def _unmark(place: str, say: str) -> tuple[str, tuple[Marked, ...]]:
    """The plain text and its spans; ``{slot}`` of a template is a span that holds itself."""
    text, spans, done = "", [], 0
    marks = re.compile(f"{_SPAN.pattern}|{_PLACE.pattern}")
    for hit in marks.finditer(say):
        text += say[done : hit.start()]
        slot = hit[2] or hit[4]
        if slot not in SLOTS:
            raise KnowledgeError(f"{place}: unknown slot '{slot}'. Known are {', '.join(SLOTS)}.")
        value = hit[1] or hit[0]
        spans.append(Marked(slot, len(text), len(text) + len(value), not hit[3]))
        text += value
        done = hit.end()
    text += say[done:]
    if re.search(r"[\[\]]|\)\(", text):
        raise KnowledgeError(f"{place}: a bracket is left over in '{text}'.")
    return text, tuple(spans)


def _values(path: Path) -> Values:
    if not path.is_file():
        return Values({}, ())
    data = _read(path)
    by_slot = {str(slot): tuple(map(str, values)) for slot, values in (data.get("values") or {}).items()}
    if unknown := set(by_slot) - set(SLOTS):
        raise KnowledgeError(f"{path}: unknown slots {sorted(unknown)}.")
    fits = [
        Fit(
            row["slot"],
            frozenset(str(word).lower() for word in row.get("after") or ()),
            frozenset(str(word).lower() for word in row.get("before") or ()),
            tuple(map(str, row["values"])),
        )
        for row in data.get("fits") or ()
    ]
    return Values(by_slot, tuple(fits))
