"""The search: words, synonyms and spelling, then meaning; a floor below which nothing is found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from appliance.conversation.business import Section
from appliance.storage.database import Database
from appliance.storage.knowledge.folding import fold
from appliance.storage.vectors import VECTORS, VectorStore
from appliance.tools.front_desk import shortened
from appliance.tools.search import Search, SearchWords, stem

pytestmark = pytest.mark.unit

WORDS = {"de": SearchWords(stopwords="gibt es kann ich", synonyms=(("Parkplatz", "Auto"),))}
PARKING = Section("faq", "Fragen", "Gibt es Parkplätze?", "Hinter dem Haus.", "de")
DOGS = Section("faq", "Fragen", "Hunde", "Sind willkommen.", "de")
SECTIONS = [PARKING, DOGS]


@dataclass
class Meaning:
    """Knows two meanings: what speaks of animals lies close to the dogs, the rest far from everything."""

    passages: list[str] = field(default_factory=list)

    def query(self, text: str) -> Iterable[float]:
        return (1.0, 0.0) if "Dackel" in text else (0.0, 0.5)

    def passage(self, text: str) -> Iterable[float]:
        self.passages.append(text)
        return (0.9, 0.1) if "Hunde" in text else (0.1, 0.2)


def titles(search: Search, query: str, *synonyms: tuple[str, ...]) -> list[str]:
    return [hit.section.title for hit in search.find(SECTIONS, query, synonyms)]


@pytest.mark.parametrize(
    "query", ["Parkplätze", "PARKPLAETZE", "parkplatze", "Parkplatz?", "Auto", "Kann ich parken"]
)
def test_words_are_found_however_they_are_written(query: str) -> None:
    assert titles(Search(WORDS, None), query) == ["Gibt es Parkplätze?"]


def test_a_tenant_adds_words_that_mean_the_same() -> None:
    assert titles(Search(WORDS, None), "Fellnasen") == []
    assert titles(Search(WORDS, None), "Fellnasen", ("Fellnase", "Hund")) == ["Hunde"]


def test_words_without_content_find_nothing() -> None:
    assert titles(Search(WORDS, None), "Gibt es?") == []
    assert titles(Search(WORDS, None), "") == []


def test_nothing_is_found_in_nothing() -> None:
    assert Search(WORDS, Meaning()).find([], "Hunde") == []


def test_meaning_finds_what_words_do_not() -> None:
    search = Search(WORDS, Meaning())
    search.warm(SECTIONS)
    assert titles(search, "Dackel") == ["Hunde"]
    assert titles(search, "Bundeskanzler") == []


def test_a_section_is_embedded_once_in_the_background_or_ahead() -> None:
    embedder = Meaning()
    search = Search(WORDS, embedder)
    assert titles(search, "Hunde") == ["Hunde"], "words work at once"
    search.warm(SECTIONS)
    search.warm(SECTIONS)
    assert sorted(embedder.passages) == sorted(f"{one.title}. {one.text}" for one in SECTIONS)
    assert titles(search, "Dackel") == ["Hunde"]


def test_vectors_outlive_the_process(tmp_path: Path) -> None:
    first, second = Meaning(), Meaning()
    for embedder in (first, second):
        shelf = VectorStore(Database(tmp_path / "vectors.db", [VECTORS]), "two-meanings")
        search = Search(WORDS, embedder, shelf)
        search.warm(SECTIONS)
        assert titles(search, "Dackel") == ["Hunde"]
    assert (len(first.passages), len(second.passages)) == (2, 0)


def test_vectors_of_another_model_are_not_used(tmp_path: Path) -> None:
    database = Database(tmp_path / "vectors.db", [VECTORS])
    VectorStore(database, "one").put({"text": (1.0, 0.0)})
    assert VectorStore(database, "one").get(["text", "other"]) == {"text": (1.0, 0.0)}
    assert VectorStore(database, "two").get(["text"]) == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Döner", "doener"),
        ("İskender", "iskender"),
        ("Çay", "cay"),
        ("Straße", "STRASSE"),
        ("Crème brûlée", "creme brulee"),
    ],
)
def test_spellings_fold_into_one(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_a_stem_keeps_at_least_four_letters() -> None:
    assert stem("hunde") == stem("hund") == "hund"
    assert stem("essen") == stem("esse") == "esse"
    assert stem("reis") == "reis"


def test_answers_are_cut_at_sentences_and_lose_their_markup() -> None:
    assert shortened("Eins. Zwei ist *lang*. Drei.", 20) == "Eins. Zwei ist lang."
    assert shortened("Mit Gluten (A) und Milch (G), auch (A, G).", 60) == "Mit Gluten und Milch, auch."
    assert shortened("- Punkt eins\n- Punkt zwei", 100) == "Punkt eins Punkt zwei"
    assert shortened("Wort " * 100, 30).endswith(" …")
