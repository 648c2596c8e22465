"""No number, time, price, day, name, dish or allergen is spoken that stands nowhere (R-21)."""

from __future__ import annotations

from datetime import date, time
from typing import Any

import pytest

from appliance.brain.output_check import unfounded
from appliance.conversation.models import ToolResult
from appliance.conversation.steps import Evidence
from tests.fakes.restaurant_call import PHRASES

pytestmark = pytest.mark.unit

MENU = {
    "category": "Hauptgerichte",
    "items": [
        {"name": "Schnitzel", "price_cents": 1490, "options": [{"name": "groß", "price_cents": 300}]},
        {"name": "Käsespätzle", "price_cents": 1150, "options": []},
    ],
}
HOURS = {"days": [{"date": "2026-12-05", "closed": False, "ranges": [["11:00", "22:00"]]}]}


def evidence(language: str = "de", **more: Any) -> Evidence:
    weekdays, months = PHRASES.calendar(language)
    return Evidence(
        results=(ToolResult("get_menu", True, MENU), ToolResult("get_hours", True, HOURS)),
        values=(4, date(2026, 12, 5), time(19, 30), "Anna Müller", "+4915112345678"),
        dishes=("Schnitzel", "Käsespätzle", "Apfelkuchen"),
        allergens=("Gluten", "Milch", "Sellerie"),
        weekdays=weekdays,
        months=months,
        **more,
    )


@pytest.mark.parametrize(
    "text",
    [
        "Schnitzel für 14,90 € und Käsespätzle für 11,50 €.",
        "Das große Schnitzel kostet 17,90 €.",
        "Am Samstag, 5. Dezember um 19:30 Uhr für 4 Personen, auf den Namen Anna Müller.",
        "Ihre Nummer ist 0151 1234 5678.",
        "Wir haben von 11:00 bis 22:00 Uhr geöffnet.",
        "Gern geschehen.",
        "Für vier Personen.",
    ],
)
def test_what_is_known_may_be_said(text: str) -> None:
    assert unfounded(text, "de", evidence()) == ()


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Schnitzel für 13,90 €.", "13,90 €"),
        ("Schnitzel für 11,50 €.", "schnitzel: 11,50 €"),
        ("Das kostet 12 Euro.", "12 Euro"),
        ("Um 20:30 Uhr ist frei.", "20:30"),
        ("Am Freitag geht es.", "Freitag"),
        ("Am 5. Januar.", "Januar"),
        ("Für 6 Personen.", "6"),
        ("Für sechs Personen.", "sechs"),
        ("Für zwölf Personen.", "zwölf"),
        ("Wir haben noch Apfelkuchen.", "apfelkuchen"),
        ("Das ist ohne Sellerie.", "sellerie"),
        ("Auf den Namen Meier.", "Meier"),
        ("Reserviert für Frau Schmidt.", "Schmidt"),
        ("Rufen Sie 0221 9876543 an.", "0221 9876543"),
        ("Ihre Nummer ist 0151 1234 5679.", "0151 1234 5679"),
        ("Es sind 3,5 Stunden.", "3,5"),
        ("Es sind 40 Prozent.", "40"),
    ],
)
def test_what_nobody_said_is_found(text: str, claim: str) -> None:
    assert claim in unfounded(text, "de", evidence())


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("On Saturday, 5 December at 7:30 pm.", ()),
        ("At 7:30 am.", ("7:30 am.",)),
        ("On Sunday at 7:30 pm.", ("Sunday",)),
        ("The Schnitzel is €14.90.", ()),
        ("The Schnitzel is €15.", ("schnitzel: €15", "€15")),
        ("Name Anna Müller, for four people.", ()),
        ("For twelve people.", ("twelve",)),
    ],
)
def test_english_is_checked_alike(text: str, claims: tuple[str, ...]) -> None:
    assert unfounded(text, "en", evidence("en")) == claims


def test_a_number_of_the_phrase_itself_may_be_said() -> None:
    assert unfounded("Bitte wählen Sie die 112.", "de", evidence(fixed=("Bitte wählen Sie die 112.",))) == ()
    assert unfounded("Bitte wählen Sie die 113.", "de", evidence(fixed=("Bitte wählen Sie die 112.",)))


def test_a_number_inside_a_longer_one_is_not_known() -> None:
    assert unfounded("Es sind 15 Plätze.", "de", evidence(fixed=("150 Plätze",))) == ("15",)
