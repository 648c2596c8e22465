"""What the language model may write: a small algebra of finite languages.

Every language that can be built is finite: repeats are bounded and free text does not exist. The only text
that comes from a caller is :class:`Spans`, the runs of whole words of what the caller said.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from re import finditer

from appliance.errors import ConstraintError


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
class AnyOrder:
    """Any of the parts, each at most once, in any order; may be none of them."""

    parts: tuple[Constraint, ...]


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


Constraint = Literal | Choice | Sequence | Optional | Repeat | AnyOrder | Spans


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
        case Literal() | Optional() | AnyOrder():
            return False
        case Choice(options):
            return all(map(is_impossible, options))
        case Sequence(parts):
            return any(map(is_impossible, parts))
        case Repeat(of, least, most):
            return most < least or (least > 0 and is_impossible(of))
        case Spans(_, longest):
            return longest < 1 or not constraint.words
