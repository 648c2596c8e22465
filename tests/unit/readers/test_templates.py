"""Copies of training sentences: values swapped, templates filled, written plainly; spans stay right."""

from __future__ import annotations

import random

import pytest

from appliance.readers.augment import augmented, plainly, swapped, with_swapped
from appliance.readers.sentences import Fit, Marked, Sentence, Values

pytestmark = pytest.mark.unit

SAID = Sentence("Am Samstag, für Vier!", (Marked("date", 3, 10), Marked("people", 16, 20)), ("book",))
FRAME = Sentence("Tisch für {people}", (Marked("people", 10, 18),), ("book",))
VALUES = Values(
    {"date": ("morgen",), "people": ("sechs", "zwei")},
    (Fit("date", frozenset({"am"}), frozenset(), ("Montag", "Dienstag")),),
)


def said(sentence: Sentence) -> dict[str, str]:
    return {span.slot: sentence.text[span.start : span.end] for span in sentence.spans}


def test_a_swapped_value_suits_the_word_before_it() -> None:
    for seed in range(10):
        copy = swapped(SAID, VALUES, random.Random(seed))
        assert said(copy)["date"] in ("Montag", "Dienstag")
        assert said(copy)["people"] in ("sechs", "zwei")


def test_a_slot_without_values_keeps_its_own() -> None:
    assert swapped(SAID, Values({}, ()), random.Random(1)) == SAID


def test_plain_writing_drops_capitals_and_marks_and_keeps_the_spans() -> None:
    copy = plainly(SAID)
    assert copy.text == "am samstag für vier"
    assert said(copy) == {"date": "samstag", "people": "vier"}


def test_templates_are_filled_and_nothing_keeps_its_braces() -> None:
    made = augmented([SAID], (FRAME,), VALUES, 1)
    assert SAID in made
    assert not [one for one in made if "{" in one.text]
    assert all("" not in said(one).values() for one in made)


def test_the_same_seed_makes_the_same_copies() -> None:
    assert augmented([SAID], (FRAME,), VALUES, 3) == augmented([SAID], (FRAME,), VALUES, 3)
    assert augmented([SAID], (FRAME,), VALUES, 3) != augmented([SAID], (FRAME,), VALUES, 4)


def test_other_sets_exchange_values_among_themselves() -> None:
    other = Sentence("for two", (Marked("people", 4, 7),), ())
    made = with_swapped([other, Sentence("hello", (), ())], VALUES, 1)
    assert len(made) == 3
    assert said(made[2]) == {"people": "two"}
