"""``tresen train``: which data it uses, what it refuses to overwrite, thresholds from held-out sentences."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from appliance.config import Paths
from appliance.errors import ConfigError, KnowledgeError
from appliance.readers.build import load_thresholds
from appliance.readers.calibration import intent_limits, surer_than, tagger_limits
from appliance.readers.embedding import Vector
from appliance.readers.other_sets import DRAWN, RESTAURANT8K, restaurant8k
from appliance.readers.scoring import Tally, bare, tally_spans
from appliance.readers.sentences import Marked, Sentence
from appliance.readers.tagger import TaggedSpan
from appliance.readers.training import CARD, THRESHOLDS, train

pytestmark = pytest.mark.unit

SAID = (
    '{say: "Tisch für [vier](people) um [sieben](time)", is: [book]}',
    '{say: "[acht](time) bitte", is: [inform], asked: [time]}',
    '{say: "Vielen Dank", is: [thank]}',
)


class Scripted:
    def query(self, text: str) -> Vector:
        vector = np.array([len(text) + 1, text.count("e") + 1, text.count("i") + 1], dtype=np.float32)
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    folder = tmp_path / "knowledge" / "sentences" / "en"
    folder.mkdir(parents=True)
    rows = "".join(f"  - {row}\n" for row in SAID * 4)
    (folder / "all.yaml").write_text(f"language: en\nsentences:\n{rows}", encoding="utf-8")
    return Paths(checkout=tmp_path, data=tmp_path / "data", cache=tmp_path / "cache")


def run(paths: Paths, shared: Path, force: bool = False) -> list[str]:
    told: list[str] = []
    train(paths, ("en",), shared, 1, force, Scripted(), told.append)
    return told


def test_it_writes_weights_thresholds_and_a_card_twice_the_same(paths: Paths, tmp_path: Path) -> None:
    run(paths, tmp_path)
    card = json.loads((paths.readers / CARD).read_text(encoding="utf-8"))
    assert card["en"]["tagger"]["sentences"] == len(SAID) * 4
    assert set(load_thresholds(paths.readers / THRESHOLDS)) == {"en"}
    first = shutil.copytree(paths.readers, tmp_path / "first")
    run(paths, tmp_path)
    for file in [*sorted(first.glob("*.crfsuite")), first / CARD, first / THRESHOLDS]:
        assert file.read_bytes() == (paths.readers / file.name).read_bytes()


def test_weights_that_learned_from_a_set_that_is_gone_are_kept(paths: Paths, tmp_path: Path) -> None:
    run(paths, tmp_path)
    card = {"en": {"tagger": {"other_sets": {RESTAURANT8K: "CC-BY-4.0"}}}}
    (paths.readers / CARD).write_text(json.dumps(card), encoding="utf-8")
    before = (paths.readers / "en_1.crfsuite").stat().st_mtime_ns
    with pytest.raises(ConfigError, match=f"{RESTAURANT8K}.*--force"):
        run(paths, tmp_path)
    assert (paths.readers / "en_1.crfsuite").stat().st_mtime_ns == before
    run(paths, tmp_path, force=True)
    assert json.loads((paths.readers / CARD).read_text(encoding="utf-8"))["en"]["tagger"]["other_sets"] == {}


def test_a_broken_card_is_named_with_the_way_out(paths: Paths, tmp_path: Path) -> None:
    paths.readers.mkdir(parents=True)
    (paths.readers / CARD).write_text("{", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"card\.json is broken.*Restore"):
        run(paths, tmp_path)


def test_the_drawn_thousand_are_never_trained_on(shared: Path) -> None:
    split = restaurant8k(shared)
    assert split is not None
    assert (len(split.test), len(split.train)) == (DRAWN, 7198)


def test_a_set_that_is_not_there_is_none_and_a_broken_one_is_named(tmp_path: Path) -> None:
    assert restaurant8k(tmp_path) is None
    file = tmp_path / "data" / "text" / "restaurant8k_train_en.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("{", encoding="utf-8")
    with pytest.raises(KnowledgeError, match="can't be read"):
        restaurant8k(tmp_path)


def test_exact_wrong_missing_and_false_fill_are_counted_apart() -> None:
    tally = Tally().with_slot("a", "a").with_slot("a", "b").with_slot("a", None)
    tally = tally.with_slot(None, "a").with_slot(None, None)
    assert tally == Tally(1, 1, 1, 1, 1)
    assert tally.shares()["wrong"] == pytest.approx(1 / 3)
    assert tally.shares()["false_fill"] == pytest.approx(1 / 2)


def test_spans_are_compared_without_preposition_marks_and_capitals() -> None:
    assert bare("At 7:30 PM.") == bare("7:30 pm")
    sentence = Sentence("um acht", (Marked("time", 3, 7),), ())
    found = [TaggedSpan("time", 0, 7, "um acht", 0.9), TaggedSpan("people", 3, 7, "acht", 0.2)]
    assert tally_spans([sentence], [found], 0.5) == Tally(exact=1, empty=5)
    assert tally_spans([sentence], [found], 0.1).false == 1


def test_the_threshold_lies_where_asking_again_costs_less_than_being_wrong() -> None:
    said = Sentence("acht", (Marked("time", 0, 4),), ())
    nothing = Sentence("egal", (), ())
    right = [TaggedSpan("time", 0, 4, "acht", 0.8)]
    wrong = [TaggedSpan("time", 0, 4, "egal", 0.6)]
    _, limits = tagger_limits([said, nothing], [right, wrong])
    assert 0.6 < limits["slot_keep"] <= 0.8


def test_intent_thresholds_come_from_held_out_probabilities() -> None:
    sure = np.array([[0.95, 0.1], [0.7, 0.6], [0.2, 0.9]])
    wanted = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    figures, limits = intent_limits(sure, wanted)
    assert figures["f1"] == 1.0
    assert 0.6 < limits["intent"] <= 0.7
    assert surer_than(sure.ravel(), wanted.ravel() > 0.5, 1.0) > 0.6
