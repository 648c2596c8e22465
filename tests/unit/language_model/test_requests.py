"""Requests that the engine refuses before any work."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.conversation.constraint import AnyOrder, Literal, Optional, Repeat, Spans, in_order, one_of
from appliance.errors import ConstraintError, EngineError
from appliance.language_model.engine import LONGEST_TEXT, Request
from appliance.language_model.gbnf import to_gbnf

pytestmark = pytest.mark.unit

GOOD: dict[str, Any] = {"prefix": "p", "text": "t", "constraint": {}, "sequence": "s", "seconds": 1}


def test_a_whole_request_is_read() -> None:
    assert Request.read(GOOD) == Request("p", "t", {}, "s", 1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"prefix": None},
        {"sequence": 3},
        {"seconds": "2"},
        {"seconds": 0},
        {"seconds": -1},
        {"text": 5},
        {"text": "x" * (LONGEST_TEXT + 1)},
    ],
)
def test_a_request_with_a_wrong_field_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(EngineError, match="A request needs"):
        Request.read({**GOOD, **wrong})


@pytest.mark.parametrize("field", ["prefix", "sequence", "seconds"])
def test_a_request_without_a_field_is_refused(field: str) -> None:
    with pytest.raises(EngineError, match="A request needs"):
        Request.read({key: value for key, value in GOOD.items() if key != field})


def test_a_constraint_becomes_a_grammar() -> None:
    constraint = in_order("a", Optional(one_of("b", '"')), Repeat(Literal("c"), 0, 2), Spans("x y", 2))

    assert to_gbnf(constraint) == ('root ::= ("a" (("b" | "\\U00000022"))? ("c"){0,2} ("x" (" y")? | "y"))\n')


@pytest.mark.parametrize("impossible", [one_of(), AnyOrder((Literal("a"),))])
def test_what_a_grammar_cannot_say_is_an_error(impossible: Any) -> None:
    with pytest.raises(ConstraintError):
        to_gbnf(impossible)
