"""Choosing a short answer from a closed set."""

from __future__ import annotations

import pytest

from appliance.speech.closed_set import choose

pytestmark = pytest.mark.unit


def test_a_clear_best_answer_is_chosen_with_its_margin() -> None:
    choice = choose([("no", -4.0), ("yes", -1.0)], free_score=-0.9)
    assert choice is not None
    assert choice.answer == "yes"
    assert choice.margin == pytest.approx(3.0)


def test_two_close_answers_are_no_choice() -> None:
    assert choose([("yes", -1.0), ("no", -1.1)], free_score=-1.0) is None


def test_a_free_text_that_fits_far_better_means_none_of_these() -> None:
    assert choose([("yes", -4.0), ("no", -6.0)], free_score=-0.3) is None


def test_an_answer_that_does_not_fit_the_sound_is_no_choice() -> None:
    assert choose([("yes", -8.0), ("no", -11.0)], free_score=-7.9) is None


def test_an_empty_set_has_no_choice() -> None:
    assert choose([], free_score=0.0) is None


def test_a_set_of_one_is_chosen_when_it_fits() -> None:
    choice = choose([("stop", -1.0)], free_score=-1.0)
    assert choice is not None
    assert choice.answer == "stop"
