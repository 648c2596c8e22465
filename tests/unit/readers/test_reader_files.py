"""The readers' data files: what is refused, and what they must hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.config import CHECKOUT
from appliance.errors import KnowledgeError
from appliance.readers.lexicon import Lexicons, load_lexicon
from appliance.readers.normalise.values import Normalisers
from appliance.readers.normalise.words import load_words
from appliance.storage.knowledge.allergens import load_allergens

pytestmark = pytest.mark.unit

KNOWLEDGE = CHECKOUT / "knowledge"


def changed(tmp_path: Path, source: Path, old: str, new: str) -> Path:
    text = source.read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / source.name
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("hesitation: [", "hesitation: [nein, ", "'nein' is both no and hesitation"),
        ("language: de", "language: xx", "named de.yaml"),
        ("misheard: [", "unheard: [", "misheard"),
        ("yes: [", "yes: [einz zwei drei vier fünf sechs sieben acht neun, ", "1 to 8 words"),
        ("yes: [", "yes: ]", "not valid YAML"),
    ],
)
def test_a_wrong_lexicon_is_refused_with_file_and_cause(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    file = changed(tmp_path, KNOWLEDGE / "lexicon" / "de.yaml", old, new)
    with pytest.raises(KnowledgeError) as caught:
        load_lexicon(file)
    assert str(file) in caught.value.message
    assert told in caught.value.message


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("'halb(e|er|i)? {h}'", "'halb({h}'", "no pattern"),
        ("'halb(e|er|i)? {h}'", "'halb {hour}'", "no pattern"),
        ("means: weekday_next", "means: someday", "means"),
        ("either:", "neither:", "either"),
    ],
)
def test_a_wrong_word_file_is_refused_with_file_and_cause(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    file = changed(tmp_path, KNOWLEDGE / "normalise" / "de.yaml", old, new)
    with pytest.raises(KnowledgeError) as caught:
        load_words(file)
    assert str(file) in caught.value.message
    assert told in caught.value.message


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match="at least"):
        Lexicons.load(tmp_path)
    with pytest.raises(KnowledgeError, match="at least"):
        Normalisers.load(tmp_path)


def test_a_language_without_word_file_is_named_with_the_way_out() -> None:
    with pytest.raises(KnowledgeError, match=r"Add knowledge/normalise/xx\.yaml"):
        Normalisers.load(KNOWLEDGE / "normalise").language("xx")


def test_every_allergen_that_is_heard_is_one_that_the_menu_knows() -> None:
    table = load_allergens(KNOWLEDGE / "allergens.yaml")
    for words in Normalisers.load(KNOWLEDGE / "normalise").words.values():
        codes = [table.code_of(name) for name in words.file.allergens]
        assert sorted(filter(None, codes)) == list("ABCDEFGHIJKLMN")


def test_german_and_english_know_the_same_slots_and_parts_of_the_day() -> None:
    words = Normalisers.load(KNOWLEDGE / "normalise").words
    assert set(words["de"].file.slot_words) == set(words["en"].file.slot_words)
    assert set(words["de"].file.parts_of_day) == set(words["en"].file.parts_of_day)
