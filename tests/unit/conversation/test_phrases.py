"""Phrases are data: every mistake in them is found before a caller hears it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time
from pathlib import Path
from typing import Any

import pytest
import yaml

from appliance.config import CHECKOUT
from appliance.conversation.models import Say
from appliance.conversation.phrases import PhraseBook, PhraseFile, load_phrases, problems
from appliance.conversation.written import phone_in_groups, writers
from appliance.errors import KnowledgeError
from tests.fakes.restaurant_call import PHRASES

pytestmark = pytest.mark.unit

FOLDER = CHECKOUT / "knowledge" / "phrases"


def changed(language: str, key: str, wordings: object) -> Mapping[str, PhraseFile]:
    """The real files with one phrase replaced (None: left out)."""
    files = dict(PHRASES.files)
    data = yaml.safe_load((FOLDER / f"{language}.yaml").read_text("utf-8"))
    if wordings is None:
        del data["phrases"][key]
    else:
        data["phrases"][key] = wordings
    files[language] = PhraseFile.model_validate(data)
    return files


def test_the_phrases_of_the_product_are_right() -> None:
    assert problems(PHRASES.files) == []


@pytest.mark.parametrize(
    ("language", "key", "wordings", "what"),
    [
        ("en", "wait", None, "en: 'wait' is missing"),
        ("de", "wait", ["Bitte warten."], "at least 2 different wordings"),
        ("de", "wait", ["Moment.", "Moment."], "at least 2 different wordings"),
        ("en", "menu.price", ["{item} costs {price:money}.", "{item} is cheap."], "same placeholders"),
        ("en", "menu.price", ["It is {price:money}.", "Just {price:money}."], "other placeholders"),
        (
            "en",
            "menu.price",
            ["{item}, {price:coins}.", "{item}: {price:coins}."],
            "kind that does not exist",
        ),
        ("de", "welcome", ["Kein Problem!", "Gern."], "banned phrase"),
        ("de", "welcome", ["Gern, Ihr Gasthof.", "Gern."], "addresses the caller as 'Ihr'"),
        ("de", "welcome", {"sie": ["Gern.", "Sehr gern."]}, "both 'du' and 'sie'"),
        ("de", "welcome", [" ", "Gern."], "empty wording"),
    ],
)
def test_a_mistake_is_named(language: str, key: str, wordings: object, what: str) -> None:
    found = problems(changed(language, key, wordings), banned=["kein problem"])
    assert any(what in one for one in found), found


def test_a_folder_without_english_is_refused(tmp_path: Path) -> None:
    (tmp_path / "de.yaml").write_text((FOLDER / "de.yaml").read_text("utf-8"), "utf-8")
    (tmp_path / "elsewhere.yaml").write_text("{}", "utf-8")
    with pytest.raises(KnowledgeError, match=r"English \(en.yaml\) must be there"):
        load_phrases(tmp_path)


def test_broken_yaml_is_named(tmp_path: Path) -> None:
    (tmp_path / "de.yaml").write_text("phrases: [", "utf-8")
    with pytest.raises(KnowledgeError, match=r"de\.yaml"):
        load_phrases(tmp_path)


@pytest.mark.parametrize(
    ("kind", "value", "german", "english"),
    [
        ("date", date(2026, 12, 5), "Samstag, 5. Dezember", "Saturday, 5 December"),
        ("date", "2026-12-05", "Samstag, 5. Dezember", "Saturday, 5 December"),
        ("time", time(19, 30), "19:30 Uhr", "7:30 pm"),
        ("time", "00:15", "00:15 Uhr", "12:15 am"),
        ("money", 1250, "12,50 €", "€12.50"),
        ("people", 1, "eine Person", "one person"),
        ("people", 4, "4 Personen", "4 people"),
        ("list", ["a"], "a", "a"),
        ("list", ["a", "b", "c"], "a, b und c", "a, b and c"),
        ("choice", [4, 5], "4 oder 5", "4 or 5"),
        ("ranges", [["11:00", "14:00"]], "11:00 bis 14:00 Uhr", "11:00 am to 2:00 pm"),
        ("priced", [{"name": "Tee", "price_cents": 200}, {"name": "Kuchen", "price_cents": None}],
         "Tee für 2,00 € und Kuchen", "Tee for €2.00 and Kuchen"),
    ],
)  # fmt: skip
def test_values_are_written_as_the_language_does(kind: str, value: Any, german: str, english: str) -> None:
    assert writers(PHRASES.files["de"].formats)[kind](value) == german
    assert writers(PHRASES.files["en"].formats)[kind](value) == english


@pytest.mark.parametrize(
    ("number", "written"),
    [
        ("+4915112345678", "0151 1234 5678"),
        ("+492214710412", "0221 4710 412"),
        ("+436641234567", "+43 6641 2345 67"),
        ("Auskunft", "Auskunft"),
    ],
)
def test_phone_numbers_are_written_in_groups(number: str, written: str) -> None:
    assert phone_in_groups(number) == written


def test_the_wording_follows_the_variant_and_comes_round() -> None:
    said = [PHRASES.render([Say("alright", {}, number)], "de", 0) for number in range(3)]
    assert said == ["In Ordnung.", "Alles klar.", "In Ordnung."]


def test_the_form_of_address_is_the_business_s() -> None:
    friendly = PhraseBook(PHRASES.files, PHRASES.sentences_elsewhere, "du")
    assert "dir" in friendly.render([Say("what_can_i_do")], "de", 1)
    assert "Ihnen" in PHRASES.render([Say("what_can_i_do")], "de", 1)
    assert friendly.render([Say("what_can_i_do")], "en", 1) == PHRASES.render([Say("what_can_i_do")], "en", 1)
