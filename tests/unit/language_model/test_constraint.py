"""What a constraint allows, and what is no constraint."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.conversation.constraint import (
    AnyOrder,
    Choice,
    Constraint,
    Literal,
    Optional,
    Repeat,
    Sequence,
    Spans,
    in_order,
    one_of,
    word_offsets,
)
from appliance.errors import ConstraintError
from appliance.language_model.matcher import Matcher
from appliance.language_model.wire import from_json, to_json

pytestmark = pytest.mark.unit

CASES: list[tuple[Constraint, list[str], list[str]]] = [
    (Literal("ja"), ["ja"], ["", "j", "jaa"]),
    (one_of("a", "ab", "b"), ["a", "ab", "b"], ["", "abb", "ba"]),
    (in_order("a", Optional(Literal("b")), "c"), ["ac", "abc"], ["ab", "abbc"]),
    (Repeat(one_of("x", "y"), 1, 3), ["x", "xy", "yyx"], ["", "xxxx", "z"]),
    (Repeat(Optional(Literal("x")), 2, 2), ["", "x", "xx"], ["xxx"]),
    (AnyOrder((Literal("a"), Literal("b"))), ["", "a", "ba", "ab"], ["aa", "aba"]),
    (
        Spans("um halb acht, bitte", 2),
        ["um", "halb acht", "acht, bitte"],
        ["um halb acht", "halb  acht", "hal"],
    ),
    (Spans("größer ist größer", 3), ["größer", "größer ist größer", "ist"], ["gr", "grö"]),
    (Choice((one_of(), Literal("left"))), ["left"], [""]),
]


@pytest.mark.parametrize(("constraint", "right", "wrong"), CASES)
def test_a_constraint_accepts_its_texts_and_no_others(
    constraint: Constraint, right: list[str], wrong: list[str]
) -> None:
    matcher = Matcher(constraint)

    assert all(matcher.matches(text.encode()) for text in right)
    assert not any(matcher.matches(text.encode()) for text in wrong)


@pytest.mark.parametrize("constraint", [case[0] for case in CASES])
def test_the_json_form_says_the_same(constraint: Constraint) -> None:
    if not isinstance(constraint, Choice) or constraint.options[0] is not None:
        assert to_json(from_json(to_json(constraint))) == to_json(constraint)


@pytest.mark.parametrize(
    "impossible",
    [
        Choice(()),
        Spans("", 3),
        Spans("?! …", 3),
        Spans("acht", 0),
        in_order("a", one_of()),
        Repeat(one_of(), 1, 2),
    ],
)
def test_what_nothing_satisfies_is_an_error(impossible: Constraint) -> None:
    with pytest.raises(ConstraintError):
        Matcher(impossible)
    with pytest.raises(ConstraintError):
        from_json(to_json(impossible))


DEEP: Any = {"literal": "x"}
for _ in range(30):
    DEEP = {"optional": DEEP}


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        "root ::= [a-z]*",
        {},
        {"literal": 3},
        {"literal": "a", "choice": []},
        {"regex": ".*"},
        {"repeat": {"of": {"literal": "a"}, "least": 0, "most": 10**6}},
        {"repeat": {"of": {"literal": "a"}, "least": 2, "most": 1}},
        {"choice": [{"literal": "a"}] * 5_000},
        {"literal": "a" * 100_000},
        DEEP,
    ],
)
def test_a_wrong_or_boundless_form_is_refused(wrong: object) -> None:
    with pytest.raises(ConstraintError):
        from_json(wrong)


def test_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(ConstraintError):
        Matcher(Literal("\ud800"))


def test_words_keep_inner_marks_and_lose_outer_ones() -> None:
    text = "„Anna-Lena“, +49 151/23 - bitte!"

    assert [text[start:end] for start, end in word_offsets(text)] == ["Anna-Lena", "+49", "151/23", "bitte"]


def test_forced_text_ends_where_a_choice_or_the_end_is() -> None:
    matcher = Matcher(in_order("time: ", one_of("ten", "two"), "\n"))

    forced, state = matcher.forced(matcher.start)

    assert forced == b"time: t"
    assert sorted(matcher.steps(state)) == [ord("e"), ord("w")]
    assert matcher.forced(matcher.run(state, b"e") or frozenset())[0] == b"n\n"


def test_a_long_repetitive_sentence_stays_cheap() -> None:
    spans = Spans("na " * 80, 8)
    matcher = Matcher(AnyOrder(tuple(in_order(f"{slot}: ", spans, "\n") for slot in "abcdefg")))

    assert matcher.matches(b"c: na na na\na: na\n")
    assert len(Sequence((spans,)).parts[0].words) == 80  # type: ignore[union-attr]
