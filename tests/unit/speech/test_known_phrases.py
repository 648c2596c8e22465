"""The lists of sentences that the recogniser invents."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.config import CHECKOUT
from appliance.errors import KnowledgeError
from appliance.speech.known_phrases import load_known_phrases

pytestmark = pytest.mark.unit


def write(folder: Path, text: str) -> Path:
    (folder / "recognition").mkdir()
    (folder / "recognition" / "de.yaml").write_text(text, encoding="utf-8")
    return folder


def test_our_own_lists_are_readable_and_equal_in_languages() -> None:
    phrases = load_known_phrases(CHECKOUT / "knowledge")
    assert {"de", "en"} <= phrases.keys()
    assert "vielen dank" in phrases["de"]


def test_a_tenant_without_lists_has_none(tmp_path: Path) -> None:
    assert load_known_phrases(tmp_path) == {}


@pytest.mark.parametrize(
    "text",
    [
        "language: en\ninvented_on_noise: []",
        "language: de\nphrases: []",
        "language: [",
        "- a",
        "language: de",
    ],
)
def test_a_broken_list_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(KnowledgeError, match=r"de\.yaml"):
        load_known_phrases(write(tmp_path, text))
