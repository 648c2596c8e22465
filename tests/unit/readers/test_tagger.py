"""The slot tagger, trained on a handful of sentences: spans, confidence, the question, members that vote."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.errors import ModelMissing
from appliance.readers.augment import augmented
from appliance.readers.sentences import Corpus, Marked, Sentence, Values
from appliance.readers.tagger import Tagger, runs
from appliance.readers.train_tagger import TaggerSettings, gazetteer, labels, train_members, write_lists

pytestmark = pytest.mark.unit

VALUES = Values(
    {"people": ("zwei", "drei", "vier", "acht"), "time": ("sechs", "sieben", "acht")},
    (),
)


def frame(text: str, *asked: str) -> Sentence:
    spans = [
        Marked(slot, text.index(f"{{{slot}}}"), text.index(f"{{{slot}}}") + len(slot) + 2)
        for slot in ("people", "time")
        if f"{{{slot}}}" in text
    ]
    return Sentence(text, tuple(spans), ("book",), asked)


FRAMES = (
    frame("Tisch für {people} Personen um {time} Uhr"),
    frame("Wir sind {people}"),
    frame("um {time} bitte"),
    frame("{people}", "people"),
    frame("{time}", "time"),
)
NOTHING = (Sentence("Haben Sie Parkplätze?", (), ("ask_knowledge",)),)
CORPUS = Corpus("xx", NOTHING, FRAMES, VALUES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("readers")
    lists = gazetteer(VALUES)
    train_members(CORPUS, {}, lists, made, TaggerSettings(iterations=60, members=2))
    write_lists(lists, made / "xx.lists.json")
    return made


def test_values_come_in_reading_order_with_their_place(folder: Path) -> None:
    text = "Tisch für vier Personen um sieben Uhr"
    found = Tagger.load(folder, "xx").tag(text, ())
    assert [(span.slot, span.text) for span in found] == [("people", "vier"), ("time", "sieben")]
    assert all(text[span.start : span.end] == span.text for span in found)
    assert all(0 < span.confidence <= 1 for span in found)


def test_the_question_says_which_slot_a_bare_number_is(folder: Path) -> None:
    tagger = Tagger.load(folder, "xx")
    assert [span.slot for span in tagger.tag("acht", ("people",))] == ["people"]
    assert [span.slot for span in tagger.tag("acht", ("time",))] == ["time"]


@pytest.mark.parametrize("text", ["", "  ", "?!", "🙂", "x" * 3000])
def test_odd_words_are_read_without_an_error(folder: Path, text: str) -> None:
    Tagger.load(folder, "xx").tag(text, ("people", "no such slot"))


def test_the_same_seed_gives_the_same_weights(folder: Path, tmp_path: Path) -> None:
    again = train_members(CORPUS, {}, gazetteer(VALUES), tmp_path, TaggerSettings(iterations=60, members=2))
    assert [one.read_bytes() for one in again] == [(folder / one.name).read_bytes() for one in again]
    assert again[0].read_bytes() != again[1].read_bytes()


def test_a_language_without_weights_says_how_to_train_them(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="tresen train"):
        Tagger.load(tmp_path, "xx")


def test_a_value_that_is_not_meant_is_learned_and_not_given_out() -> None:
    text = "nicht vier"
    said = Sentence(text, (Marked("people", 6, 10, meant=False),), ("deny",))
    assert labels(said, [("nicht", 0, 5), ("vier", 6, 10)]) == ["O", "B-not_meant"]


def test_labels_become_runs_and_a_stray_inside_label_is_ignored() -> None:
    given = ["B-date", "I-date", "O", "I-time", "B-time", "B-time"]
    assert runs(given) == [("date", 0, 2), ("time", 4, 5), ("time", 5, 6)]


def test_names_of_other_languages_stand_in_the_lists() -> None:
    other = Values({"first_name": ("Olena",), "date": ("tomorrow",)}, ())
    lists = gazetteer(VALUES, [other])
    assert lists["olena"] == {"first_name"}
    assert "tomorrow" not in lists


def test_copies_hold_more_than_the_sentences_themselves() -> None:
    assert len(augmented(NOTHING, FRAMES, VALUES, 1)) > len(NOTHING) + len(FRAMES)
