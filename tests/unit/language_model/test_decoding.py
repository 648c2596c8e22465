"""Decoding: whatever the model prefers, only what the constraint allows is written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.conversation.constraint import (
    Choice,
    Literal,
    Optional,
    Repeat,
    Spans,
    in_order,
    one_of,
    word_offsets,
)
from appliance.errors import ConstraintError, EngineTimeout
from appliance.language_model.decoding import decode
from appliance.language_model.matcher import Matcher
from appliance.language_model.vocabulary import Vocabulary
from tests.fakes.vocabulary import (
    END,
    PIECES,
    ScriptedModel,
    model_that_wants,
    random_model,
    small_vocabulary,
)

pytestmark = pytest.mark.unit

VOCABULARY = small_vocabulary()
PROMPT = [1]
words = st.text(st.characters(exclude_categories=("Cs",)), max_size=60).map(
    lambda text: " ".join(text.split())
)


@given(utterance=words, seed=st.integers(0, 2**32), longest=st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_a_written_value_is_always_words_of_the_utterance(utterance: str, seed: int, longest: int) -> None:
    value = Spans(utterance, longest)
    if not word_offsets(utterance):
        with pytest.raises(ConstraintError):
            decode(value, VOCABULARY, random_model(seed), PROMPT)
        return
    constraint = in_order(
        "time: ", Choice((Literal("-"), value)), Repeat(in_order("\nname: ", value), 0, 2), "\n\n"
    )

    text = decode(constraint, VOCABULARY, random_model(seed), PROMPT).text

    assert Matcher(constraint).matches(text.encode())
    spans = {
        utterance[start:end] for start, _ in word_offsets(utterance) for _, end in word_offsets(utterance)
    }
    for line in text.rstrip("\n").split("\n"):
        assert line.partition(": ")[2] in spans | {"-"}


def test_the_model_s_wish_is_followed_where_it_is_allowed() -> None:
    constraint = in_order("time: ", one_of("half seven", "four", "-"), "\n")

    assert (
        decode(constraint, VOCABULARY, model_that_wants(" half seven"), PROMPT).text == "time: half seven\n"
    )


def test_what_is_forced_is_not_asked_for() -> None:
    model = random_model(1)

    assert decode(Literal("people: four\n"), VOCABULARY, model, PROMPT).text == "people: four\n"
    assert model.evaluations == []


def test_forced_text_goes_to_the_model_together_with_the_choice_before_it() -> None:
    model = model_that_wants("name: Anna")
    constraint = in_order(one_of("name", "date"), ": ", one_of("Anna", "four"), "\n")

    decode(constraint, VOCABULARY, model, PROMPT)

    assert len(model.evaluations) == 2
    assert b"".join(PIECES[token] for token in model.evaluations[1]) == b"name:"


def test_a_token_over_the_seam_of_two_parts_can_be_chosen() -> None:
    constraint = in_order("time:", one_of(" half", " four"), " s", one_of("even", "ix"), "\n")

    text = decode(constraint, VOCABULARY, model_that_wants("half s"), PROMPT).text

    assert text.startswith("time: half s")


def test_the_end_token_ends_the_text_where_it_may_end_and_only_there() -> None:
    scores = np.zeros(len(PIECES), np.float32)
    scores[END] = 100
    model = ScriptedModel(lambda _: scores)
    constraint = in_order(one_of("a", "b"), Optional(Literal("c")))

    assert decode(constraint, VOCABULARY, model, PROMPT).text in {"a", "b"}


def test_a_choice_tells_the_probability_of_each_option() -> None:
    decoded = decode(one_of("a", "b", "c"), VOCABULARY, random_model(5), PROMPT)

    assert {text for text, _ in decoded.options} == {"a", "b", "c"}
    assert sum(probability for _, probability in decoded.options) == pytest.approx(1)
    assert decoded.options[0] == (decoded.text, pytest.approx(decoded.confidence))


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf])
def test_scores_that_are_no_numbers_break_no_constraint(score: float) -> None:
    model = ScriptedModel(lambda _: np.full(len(PIECES), score, np.float32))

    assert decode(one_of("four", "seven"), VOCABULARY, model, PROMPT).text in {"four", "seven"}


def test_a_vocabulary_that_cannot_spell_the_constraint_is_an_error_not_free_text() -> None:
    poor = Vocabulary([b"", b"a"], frozenset({0}))
    model = ScriptedModel(lambda _: np.zeros(2, np.float32))

    with pytest.raises(ConstraintError):
        decode(one_of("b", "c"), poor, model, PROMPT)


def test_decoding_stops_when_it_is_told_to() -> None:
    def check() -> None:
        raise EngineTimeout("over")

    model = random_model(1)
    with pytest.raises(EngineTimeout):
        decode(one_of("a", "b"), VOCABULARY, model, PROMPT, check)
    assert model.evaluations == []


@given(seed=st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_allowed_tokens_are_exactly_those_that_fit(seed: int) -> None:
    constraint = in_order(one_of("people: four", "people: seven", "time: half seven", "日本 🍕"), "\n")
    matcher = Matcher(constraint)
    text = decode(constraint, VOCABULARY, random_model(seed), PROMPT).text.encode()
    state = matcher.run(matcher.start, text[: seed % len(text)])
    assert state is not None

    fitting = {token for token, piece in enumerate(PIECES) if piece and matcher.run(state, piece) is not None}

    assert set(VOCABULARY.allowed(matcher, state)) == fitting
