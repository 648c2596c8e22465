"""What is a clear yes or no to an open question, in ten languages, and what is not (R-23)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from appliance.config import CHECKOUT
from appliance.readers.lexicon import Answer, Lexicons

pytestmark = pytest.mark.sentences

FILE = Path(__file__).parent / "lexicon" / "answers.yaml"
TEN = {"de", "en", "tr", "ar", "ku", "ru", "pl", "it", "fr", "bg"}


def answers() -> list[Any]:
    data = yaml.load(FILE.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    return [
        pytest.param(language, kind, said, id=f"{language}: {said}")
        for language, kinds in data.items()
        for kind, sayings in kinds.items()
        for said in sayings
    ]


@pytest.fixture(scope="module")
def lexicons() -> Lexicons:
    return Lexicons.load(CHECKOUT / "knowledge" / "lexicon")


def test_ten_languages_are_known(lexicons: Lexicons) -> None:
    assert set(lexicons.by_language) == TEN


@pytest.mark.parametrize(("language", "kind", "said"), answers())
def test_an_answer_is_what_it_is(lexicons: Lexicons, language: str, kind: str, said: str) -> None:
    expected = None if kind == "none" else Answer(kind)
    assert lexicons.by_language[language].answer(said) is expected


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("evet", Answer.YES),
        ("oui c'est ça", Answer.YES),
        ("tak", Answer.YES),
        ("нет", Answer.NO),
        ("hayır", Answer.NO),
        ("نعم", Answer.YES),
        ("erê", Answer.YES),
    ],
)
def test_a_yes_in_another_language_is_known_in_a_german_call(
    lexicons: Lexicons, said: str, answer: Answer
) -> None:
    found = lexicons.answer(said, "de")
    assert found is not None
    assert found[0] is answer


@pytest.mark.parametrize("said", ["da", "Na.", "nie", "je", "ne"])
def test_an_ordinary_german_word_is_no_yes_of_another_language(lexicons: Lexicons, said: str) -> None:
    found = lexicons.answer(said, "de")
    assert found is None or found[0] is not Answer.YES


@pytest.mark.parametrize("language", sorted(TEN))
def test_no_phrase_of_doubt_or_refusal_is_a_yes_in_any_language(lexicons: Lexicons, language: str) -> None:
    lexicon = lexicons.by_language[language]
    for kind in set(Answer) - {Answer.YES}:
        for phrase in lexicon.file.phrases(kind):
            assert lexicon.answer(phrase) is not Answer.YES, phrase
