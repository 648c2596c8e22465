"""The JSON form in which a constraint travels to the engine; what is wrong or too large is refused."""

from __future__ import annotations

from typing import Any

from appliance.conversation.constraint import (
    AnyOrder,
    Choice,
    Constraint,
    Literal,
    Optional,
    Repeat,
    Sequence,
    Spans,
    encode,
    is_impossible,
)
from appliance.errors import ConstraintError

DEEPEST = 24
MOST_NODES = 4_000
MOST_BYTES = 64_000
MOST_REPEATS = 64


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
        case AnyOrder(parts):
            return {"any_order": [to_json(part) for part in parts]}
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
            case {"any_order": list(parts), **rest} if not rest:
                return AnyOrder(tuple(self.read(part, depth + 1) for part in parts))
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
