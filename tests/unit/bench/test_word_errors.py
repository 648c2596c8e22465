"""Word error rate: what counts as wrong."""

from __future__ import annotations

import pytest

from appliance.bench.word_errors import word_error_rate

pytestmark = pytest.mark.unit


def test_case_punctuation_and_sharp_s_do_not_count() -> None:
    assert word_error_rate([("Die Straße, bitte!", "die strasse bitte")]) == 0.0


def test_wrong_missing_and_additional_words_count_over_all_sentences_together() -> None:
    assert word_error_rate([("a b c d", "a x c"), ("e f", "e f g")]) == pytest.approx(3 / 6)


def test_nothing_said_is_no_error() -> None:
    assert word_error_rate([]) == 0.0
