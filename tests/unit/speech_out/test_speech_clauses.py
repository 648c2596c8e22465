"""Where speech may be cut: after sentences and long clauses, never inside values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.speech.clauses import LONGEST, clauses
from appliance.speech.spoken import NO_BREAK

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Ja, gern. Für wie viele Personen?", ("Ja, gern.", "Für wie viele Personen?")),
        ("Yes, of course. On Sunday at seven?", ("Yes, of course.", "On Sunday at seven?")),
        ("Ja. Um acht.", ("Ja. Um acht.",)),
        (
            "Am Samstag, dem fünften Dezember um acht, haben wir noch einen Tisch.",
            ("Am Samstag, dem fünften Dezember um acht,", "haben wir noch einen Tisch."),
        ),
        ("Pide, Lahmacun, Döner.", ("Pide, Lahmacun, Döner.",)),
        ("Wir sehen uns am 5. Dezember im 2. Stock.", ("Wir sehen uns am 5. Dezember im 2. Stock.",)),
        ("Es gibt z. B. Pide und Tee.", ("Es gibt z. B. Pide und Tee.",)),
        (
            "Diese Woche sind es wohl sieben oder auch acht, 8, 9.",
            ("Diese Woche sind es wohl sieben oder auch acht, 8, 9.",),
        ),
        ("Merhaba! Size nasıl yardımcı olabilirim?", ("Merhaba!", "Size nasıl yardımcı olabilirim?")),
        ("Добро пожаловать! Чем могу помочь?", ("Добро пожаловать!", "Чем могу помочь?")),
        ("", ()),
        ("  \n ", ()),
    ],
)
def test_a_text_is_cut_where_a_speaker_breathes(text: str, cut: tuple[str, ...]) -> None:
    assert clauses(text) == cut


def test_a_phone_number_stays_in_one_piece() -> None:
    number = f",{NO_BREAK}".join(["null eins"] * 8)
    assert clauses(f"Ihre Nummer ist also {number}. Stimmt das so?") == (
        f"Ihre Nummer ist also {number}.",
        "Stimmt das so?",
    )


def test_a_text_without_any_pause_is_cut_between_words() -> None:
    assert all(len(part) <= LONGEST for part in clauses("Wort " * 200))


@given(st.text(alphabet="ab ,.!?:;–1\n", max_size=300))
def test_nothing_is_lost_and_nothing_changes_place(text: str) -> None:
    assert " ".join(clauses(text)).split() == text.split()


@given(st.text(alphabet="abcdefgh ,.!?", max_size=300))
def test_what_follows_a_clause_is_cut_the_same_alone(text: str) -> None:
    """The engine cuts the rest as the client cut the whole, so that both name cached clauses alike."""
    parts = clauses(text)
    assert clauses(" ".join(parts[1:])) == parts[1:]
