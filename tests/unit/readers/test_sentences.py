"""Annotated sentences: what the files may hold, and what is refused with file and sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.config import CHECKOUT
from appliance.errors import KnowledgeError
from appliance.readers.sentences import Marked, load_corpus, read_sentences

pytestmark = pytest.mark.unit

WANTED = 400
"""Sentences of our own that each language must have at least."""


def written(folder: Path, row: str) -> Path:
    file = folder / "topic.yaml"
    file.write_text(f"language: de\nsentences:\n  - {row}\n", encoding="utf-8")
    return file


def test_brackets_become_spans_of_the_plain_text(tmp_path: Path) -> None:
    (one,) = read_sentences(written(tmp_path, '{say: "Für [vier](people) am [Samstag](date)", is: [book]}'))
    assert one.text == "Für vier am Samstag"
    assert one.spans == (Marked("people", 4, 8), Marked("date", 12, 19))
    assert one.intents == ("book",)


def test_an_exclamation_mark_says_that_a_value_is_not_meant(tmp_path: Path) -> None:
    (one,) = read_sentences(written(tmp_path, '{say: "nicht [vier](people!)", is: [deny], asked: [people]}'))
    assert [span.meant for span in one.spans] == [False]
    assert one.asked == ("people",)


@pytest.mark.parametrize(
    ("row", "cause"),
    [
        ('{say: "[vier](poeple)", is: [book]}', "unknown slot 'poeple'"),
        ('{say: "vier", is: [bok]}', "unknown intents"),
        ('{say: "vier", is: [book], asked: [guests]}', "can't be asked"),
        ('{say: "[vier (people)", is: [book]}', "bracket is left over"),
        ('{say: "vier", intents: [book]}', "nothing else"),
    ],
)
def test_a_wrong_row_is_refused_with_its_place_and_cause(tmp_path: Path, row: str, cause: str) -> None:
    with pytest.raises(KnowledgeError, match=r"topic\.yaml, sentence 1") as refused:
        read_sentences(written(tmp_path, row))
    assert cause in refused.value.message


def test_a_file_that_is_no_yaml_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "topic.yaml"
    file.write_text("sentences: [", encoding="utf-8")
    with pytest.raises(KnowledgeError, match=r"topic\.yaml can't be read"):
        read_sentences(file)


def test_a_folder_without_sentences_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match="no sentences"):
        load_corpus(tmp_path)


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_shipped_sentence_is_right_and_there_are_enough(language: str) -> None:
    corpus = load_corpus(CHECKOUT / "knowledge" / "sentences" / language)
    assert len({one.text for one in corpus.sentences}) >= WANTED
    assert corpus.templates
    assert {span.slot for one in corpus.sentences for span in one.spans} == set(corpus.values.by_slot)
    assert all(one.intents for one in corpus.sentences)
