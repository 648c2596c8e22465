"""Follows a constraint byte by byte: which bytes may come next, what is forced, whether it may end here.

A state is the set of all ways in which the bytes so far fit the constraint; each way is a stack of what is
still to come. Tokens of a vocabulary never coincide with the constraint's parts, so bytes are the only unit
in which both can be compared without mistakes at the seams.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from appliance.conversation.constraint import (
    AnyOrder,
    Choice,
    Constraint,
    Literal,
    Optional,
    Repeat,
    Sequence,
    Spans,
    is_impossible,
)
from appliance.errors import ConstraintError


class _Cursor(NamedTuple):
    """A place in some text; the text may be left at any of ``ends``."""

    data: bytes
    at: int
    ends: frozenset[int]
    last: int


class _Times(NamedTuple):
    """What is left of a repeat."""

    of: Constraint
    least: int
    most: int


class _Left(NamedTuple):
    """The parts of an any-order that have not come yet."""

    parts: frozenset[Constraint]


_Stack = tuple["_Cursor | _Times | _Left | Constraint", "_Stack"] | None
"""What is still to come, next first; None: nothing, the text may end."""

State = frozenset[_Stack]


class Matcher:
    """One constraint, ready to be followed. States are remembered, so asking again is cheap."""

    def __init__(self, constraint: Constraint) -> None:
        """Raises ConstraintError when nothing satisfies ``constraint``."""
        if is_impossible(constraint):
            raise ConstraintError("Nothing satisfies the constraint: a choice or a span has no option.")
        self.start: State = _expand([(constraint, None)])
        self._steps: dict[State, dict[int, State]] = {}

    def steps(self, state: State) -> dict[int, State]:
        """The bytes that may follow, each with the state that it leads to."""
        known = self._steps.get(state)
        if known is None:
            known = self._steps[state] = _advance(state)
        return known

    def accepts(self, state: State) -> bool:
        """True when the text may end here."""
        return None in state

    def run(self, state: State, data: bytes) -> State | None:
        """The state after ``data``, or None when ``data`` does not fit."""
        for byte in data:
            following = self.steps(state).get(byte)
            if following is None:
                return None
            state = following
        return state

    def forced(self, state: State) -> tuple[bytes, State]:
        """The bytes that must follow, up to the next place where there is a choice or the text may end."""
        data = bytearray()
        while not self.accepts(state) and len(steps := self.steps(state)) == 1:
            ((byte, state),) = steps.items()
            data.append(byte)
        return bytes(data), state

    def matches(self, data: bytes) -> bool:
        """True when ``data`` as a whole satisfies the constraint."""
        state = self.run(self.start, data)
        return state is not None and self.accepts(state)


def _advance(state: State) -> dict[int, State]:
    following: dict[int, list[_Stack]] = defaultdict(list)
    for stack in state:
        if stack is None:
            continue
        cursor, rest = stack
        assert isinstance(cursor, _Cursor)
        byte = cursor.data[cursor.at]
        at = cursor.at + 1
        if at in cursor.ends:
            following[byte].append(rest)
        if at < cursor.last:
            following[byte].append((cursor._replace(at=at), rest))
    return {byte: _expand(stacks) for byte, stacks in following.items()}


def _expand(stacks: list[_Stack]) -> State:
    """Replace every part at the top of a stack until only places in text, and the end, are on top."""
    found: set[_Stack] = set()
    seen: set[_Stack] = set(stacks)
    while stacks:
        stack = stacks.pop()
        if stack is None or isinstance(stack[0], _Cursor):
            found.add(stack)
            continue
        for follower in _unfold(*stack):
            if follower not in seen:
                seen.add(follower)
                stacks.append(follower)
    return frozenset(found)


def _unfold(part: _Cursor | _Times | _Left | Constraint, rest: _Stack) -> list[_Stack]:
    match part:
        case Literal():
            end = len(part.data)
            return [(_Cursor(part.data, 0, frozenset((end,)), end), rest)] if end else [rest]
        case Choice(options):
            return [(option, rest) for option in options if not is_impossible(option)]
        case Sequence(parts):
            for item in reversed(parts):
                rest = (item, rest)
            return [rest]
        case Optional(of):
            return [rest] if is_impossible(of) else [(of, rest), rest]
        case Repeat(of, least, most):
            return [(_Times(of, least, 0 if is_impossible(of) else most), rest)]
        case _Times(of, least, most):
            leave = [rest] if least == 0 else []
            again: list[_Stack] = [(of, (_Times(of, max(least - 1, 0), most - 1), rest))] if most else []
            return leave + again
        case AnyOrder(parts):
            return [(_Left(frozenset(one for one in parts if not is_impossible(one))), rest)]
        case _Left(left):
            return [rest, *((one, (_Left(left - {one}), rest)) for one in left)]
        case Spans():
            return _span_starts(part, rest)
        case _Cursor():
            return [(part, rest)]


def _span_starts(spans: Spans, rest: _Stack) -> list[_Stack]:
    ends = [end for _, end in spans.words]
    starts: list[_Stack] = []
    for index, (start, _) in enumerate(spans.words):
        reachable = ends[index : index + spans.longest]
        starts.append((_Cursor(spans.data, start, frozenset(reachable), reachable[-1]), rest))
    return starts
