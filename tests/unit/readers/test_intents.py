"""The intent layer over scripted embeddings: what it learns, how sure it says it is, what it stores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from appliance.errors import KnowledgeError, ModelMissing
from appliance.readers.embedding import Vector
from appliance.readers.examples import AS_SURE, NEAR, TenantExamples, WithExamples
from appliance.readers.intents import IntentLayer, Layer, load_layer, ngrams, save_layer
from appliance.readers.train_intents import IntentSettings, examples, fit_layer, platt, train_layer

pytestmark = pytest.mark.unit

SIZE = 16
BOOKS = [f"einen Tisch für {n} bitte" for n in ("zwei", "drei", "vier", "fünf", "sechs", "sieben")]
THANKS = [f"vielen Dank {n}" for n in ("Ihnen", "euch", "dafür", "noch mal", "auch", "sehr")]
SETTINGS = IntentSettings(folds=3)


class Scripted:
    """Embeds by the letters of a text: alike texts are near each other."""

    def query(self, text: str) -> Vector:
        vector = np.full(SIZE, 0.01, dtype=np.float32)
        for letter in text.lower():
            vector[ord(letter) % SIZE] += 1
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def layer() -> Layer:
    texts = BOOKS + THANKS
    vectors = np.stack([Scripted().query(text) for text in texts])
    seen = examples(texts, [("book",)] * len(BOOKS) + [("thank",)] * len(THANKS), vectors)
    return fit_layer(seen, SETTINGS)


def best(reader: IntentLayer, text: str) -> str:
    return reader.read(text)[0].intent


def test_it_says_what_an_unseen_sentence_is_for() -> None:
    reader = IntentLayer(layer(), Scripted())
    assert best(reader, "einen Tisch für acht bitte") == "book"
    assert best(reader, "vielen Dank dir") == "thank"


def test_every_intent_has_a_probability_and_the_most_probable_comes_first() -> None:
    scores = IntentLayer(layer(), Scripted()).read("einen Tisch bitte")
    sure = [one.probability for one in scores]
    assert sure == sorted(sure, reverse=True)
    assert all(0 <= one <= 1 for one in sure)


@pytest.mark.parametrize("text", ["", "?!", "🙂", "x" * 2000])
def test_odd_words_are_read_without_an_error(text: str) -> None:
    assert IntentLayer(layer(), Scripted()).read(text)


def test_what_is_stored_is_what_was_learned(tmp_path: Path) -> None:
    learned = layer()
    save_layer(learned, tmp_path / "intents_de.npz")
    text = "einen Tisch für zwei"
    vector = Scripted().query(text)
    again = load_layer(tmp_path / "intents_de.npz")
    assert np.allclose(again.probabilities(text, vector), learned.probabilities(text, vector), atol=0.01)


def test_a_language_without_weights_says_how_to_train_them(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="tresen train"):
        IntentLayer.load(tmp_path, "xx", Scripted())


def test_digits_are_all_alike_and_short_utterances_are_known_as_a_whole() -> None:
    assert ngrams("um 8") == ngrams("um 9")
    assert "all ja genau" in ngrams("Ja, genau.") or "all ja , genau ." in ngrams("Ja, genau.")


def test_calibration_makes_overconfident_logits_into_shares() -> None:
    chance = np.random.default_rng(1)
    truth = chance.normal(size=4000)
    wanted = (chance.random(4000) < 1 / (1 + np.exp(-truth))).astype(float)
    slope, shift = platt(3 * truth + 1, wanted)
    assert slope == pytest.approx(1 / 3, abs=0.05)
    assert shift == pytest.approx(-1 / 3, abs=0.15)


def test_held_out_probabilities_come_from_layers_that_did_not_see_the_sentence() -> None:
    texts = BOOKS + THANKS
    vectors = np.stack([Scripted().query(text) for text in texts])
    own = examples(texts, [("book",)] * len(BOOKS) + [("thank",)] * len(THANKS), vectors)
    learned, held = train_layer(own, [], SETTINGS, seed=1)
    again, _ = train_layer(own, [], SETTINGS, seed=1)
    assert held.shape == own.wanted.shape
    assert np.array_equal(learned.meaning_weights, again.meaning_weights)


def test_a_tenants_near_example_adds_its_intent_without_training(tmp_path: Path) -> None:
    file = tmp_path / "sentences.yaml"
    file.write_text('sentences:\n  - {say: "Bringt ihr Fässer?", is: [order]}\n', encoding="utf-8")
    known = TenantExamples.load(file, Scripted())
    assert known is not None
    reader = WithExamples(IntentLayer(layer(), Scripted()), known)
    sure = {one.intent: one.probability for one in reader.read("Bringt ihr Fässer")}
    assert sure["order"] >= NEAR * AS_SURE
    assert reader.read("vielen Dank dir")[0].intent == "thank"


def test_a_tenant_without_examples_has_none_and_a_wrong_file_is_refused(tmp_path: Path) -> None:
    assert TenantExamples.load(tmp_path / "sentences.yaml", Scripted()) is None
    (tmp_path / "sentences.yaml").write_text("examples: []", encoding="utf-8")
    with pytest.raises(KnowledgeError, match="sentences"):
        TenantExamples.load(tmp_path / "sentences.yaml", Scripted())
