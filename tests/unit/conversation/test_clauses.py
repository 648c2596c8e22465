"""A reply is cut where speech may pause, never inside a value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.conversation.clauses import clauses

pytestmark = pytest.mark.unit


def test_sentences_are_clauses() -> None:
    assert clauses("Das ist eingetragen. Kann ich noch helfen?") == (
        "Das ist eingetragen. ",
        "Kann ich noch helfen?",
    )


@pytest.mark.parametrize("whole", ["Samstag, 5. Dezember", "Das sind 12,50 €", "Um 7:30 pm", "Gern."])
def test_a_value_stays_in_one_piece(whole: str) -> None:
    assert clauses(whole) == (whole,)


@given(st.text(alphabet="ab. ,?!5:;€\n", max_size=120))
def test_joined_they_are_the_text(text: str) -> None:
    assert "".join(clauses(text)) == text
