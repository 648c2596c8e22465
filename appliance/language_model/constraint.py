"""What the language model may write: a small algebra of finite languages, and its JSON form.

Every language that can be built is finite: repeats are bounded and free text does not exist. The only text
that comes from a caller is :class:`Spans`, the runs of whole words of what the caller said.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from re import finditer
from typing import Any

from appliance.errors import ConstraintError

DEEPEST = 24
MOST_NODES = 4_000
MOST_BYTES = 64_000
MOST_REPEATS = 64


def encode(text: str) -> bytes:
    """UTF-8 of ``text``. Raises ConstraintError for text that has none (lone surrogates)."""
    try:
        return text.encode()
    except UnicodeEncodeError as cause:
        raise ConstraintError("A constraint's text is not valid Unicode; clean it before use.") from cause


@dataclass(frozen=True, eq=False)
class Literal:
    """Exactly this text; may be empty."""

    text: str

    @cached_property
    def data(self) -> bytes:
        return encode(self.text)


@dataclass(frozen=True, eq=False)
class Choice:
    """One of the options; an option that is impossible is passed over."""

    options: tuple[Constraint, ...]


@dataclass(frozen=True, eq=False)
class Sequence:
    """All parts, one after the other."""

    parts: tuple[Constraint, ...]


@dataclass(frozen=True, eq=False)
class Optional:
    """``of`` or nothing."""

    of: Constraint


@dataclass(frozen=True, eq=False)
class Repeat:
    """``of``, at least ``least`` and at most ``most`` times."""

    of: Constraint
    least: int
    most: int


@dataclass(frozen=True, eq=False)
class Spans:
    """Any run of 1 to ``longest`` whole words of ``text``, exactly as it stands there."""

    text: str
    longest: int

    @cached_property
    def data(self) -> bytes:
        return encode(self.text)

    @cached_property
    def words(self) -> tuple[tuple[int, int], ...]:
        """Byte offsets (start, end) of each word in :attr:`data`."""
        return tuple(
            (len(encode(self.text[:start])), len(encode(self.text[:end])))
            for start, end in word_offsets(self.text)
        )


Constraint = Literal | Choice | Sequence | Optional | Repeat | Spans


def one_of(*texts: str) -> Choice:
    """One of these texts."""
    return Choice(tuple(Literal(text) for text in texts))


def in_order(*parts: Constraint | str) -> Sequence:
    """The parts in this order; a plain string stands for its literal."""
    return Sequence(tuple(Literal(part) if isinstance(part, str) else part for part in parts))


def word_offsets(text: str) -> list[tuple[int, int]]:
    """Character offsets (start, end) of the words of ``text``.

    A word is what stands between white space, without the punctuation and symbols around it; a leading
    plus stays (phone numbers). What is only punctuation is no word.
    """
    offsets = []
    for match in finditer(r"\S+", text):
        start, end = match.span()
        while start < end and _is_mark(text[start]) and text[start] != "+":
            start += 1
        while end > start and _is_mark(text[end - 1]):
            end -= 1
        if start < end:
            offsets.append((start, end))
    return offsets


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def is_impossible(constraint: Constraint) -> bool:
    """True when no text at all satisfies ``constraint``."""
    match constraint:
        case Literal() | Optional():
            return False
        case Choice(options):
            return all(map(is_impossible, options))
        case Sequence(parts):
            return any(map(is_impossible, parts))
        case Repeat(of, least, most):
            return most < least or (least > 0 and is_impossible(of))
        case Spans(_, longest):
            return longest < 1 or not constraint.words


def to_json(constraint: Constraint) -> dict[str, Any]:
    """The form that travels to the engine."""
    match constraint:
        case Literal(text):
            return {"literal": text}
        case Choice(options):
            return {"choice": [to_json(option) for option in options]}
        case Sequence(parts):
            return {"sequence": [to_json(part) for part in parts]}
        case Optional(of):
            return {"optional": to_json(of)}
        case Repeat(of, least, most):
            return {"repeat": {"of": to_json(of), "least": least, "most": most}}
        case Spans(text, longest):
            return {"spans": {"text": text, "longest": longest}}


def from_json(data: object) -> Constraint:
    """The constraint that :func:`to_json` wrote.

    Raises ConstraintError when the form is wrong, too large, too deep, or when nothing satisfies it.
    """
    reader = _JsonReader()
    constraint = reader.read(data, 0)
    if is_impossible(constraint):
        raise ConstraintError("Nothing satisfies the constraint: a choice or a span has no option.")
    return constraint


class _JsonReader:
    """Counts while it reads, so that no request can ask for an unbounded amount of work."""

    def __init__(self) -> None:
        self._nodes = 0
        self._bytes = 0

    def read(self, data: object, depth: int) -> Constraint:
        self._nodes += 1
        if depth > DEEPEST or self._nodes > MOST_NODES:
            raise ConstraintError(f"A constraint may have {MOST_NODES} parts, {DEEPEST} deep, and no more.")
        match data:
            case {"literal": str(text), **rest} if not rest:
                return Literal(self._text(text))
            case {"choice": list(options), **rest} if not rest:
                return Choice(tuple(self.read(option, depth + 1) for option in options))
            case {"sequence": list(parts), **rest} if not rest:
                return Sequence(tuple(self.read(part, depth + 1) for part in parts))
            case {"optional": of, **rest} if not rest:
                return Optional(self.read(of, depth + 1))
            case {"repeat": {"of": of, "least": int(least), "most": int(most), **more}, **rest} if not (
                rest or more
            ):
                if not 0 <= least <= most <= MOST_REPEATS:
                    raise ConstraintError(f"A repeat needs 0 <= least <= most <= {MOST_REPEATS}.")
                return Repeat(self.read(of, depth + 1), least, most)
            case {"spans": {"text": str(text), "longest": int(longest), **more}, **rest} if not (
                rest or more
            ):
                return Spans(self._text(text), longest)
        raise ConstraintError("A constraint's JSON is wrong: see docs/reference/language_model.md.")

    def _text(self, text: str) -> str:
        self._bytes += len(encode(text))
        if self._bytes > MOST_BYTES:
            raise ConstraintError(f"A constraint may hold {MOST_BYTES} bytes of text and no more.")
        return text
