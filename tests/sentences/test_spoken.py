"""What is written is said as people say it: tables for German and English, and other people's German."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.errors import ConfigError
from appliance.speech.spoken import NO_BREAK, ClockStyle, load_spoken_words, spoken

pytestmark = pytest.mark.sentences

FOLDER = Path(__file__).parent


def cases(language: str) -> list[tuple[str, str, str, str]]:
    topics = yaml.safe_load((FOLDER / f"spoken_{language}.yaml").read_text(encoding="utf-8"))
    return [(language, topic, *pair) for topic, pairs in topics.items() for pair in pairs.items()]


@pytest.mark.parametrize(("language", "topic", "written", "said"), [*cases("de"), *cases("en")])
def test_what_is_written_is_said_as_people_say_it(language: str, topic: str, written: str, said: str) -> None:
    style = ClockStyle.EVERYDAY if topic == "everyday_times" else ClockStyle.EXACT
    assert spoken(written, language, style).replace(NO_BREAK, " ") == said


@pytest.mark.parametrize(("language", "fewest"), [("de", 120), ("en", 100)])
def test_there_are_enough_cases(language: str, fewest: int) -> None:
    assert len(cases(language)) >= fewest


@pytest.mark.parametrize(("language", "topic", "written", "said"), [*cases("de"), *cases("en")])
def test_saying_what_is_already_spoken_changes_nothing(
    language: str, topic: str, written: str, said: str
) -> None:
    once = spoken(written, language)
    assert spoken(once, language) == once


@given(st.text(max_size=80))
@settings(max_examples=150, deadline=None)
def test_any_text_can_be_said_in_any_language(text: str) -> None:
    for language in ("de", "en", "tr"):
        assert spoken(text, language) is not None


@given(st.text(alphabet="0123456789.,:/-–+() €%UhrMo", max_size=24))
@settings(max_examples=300, deadline=None)
def test_no_digit_is_left_for_the_voice_to_guess(text: str) -> None:
    assert not re.search(r"[0-9]", spoken(text, "de"))


def test_a_language_without_words_keeps_its_digits_and_loses_its_markup() -> None:
    assert spoken("**Saat** 19:30", "tr") == "Saat 19:30"


def test_a_phone_number_is_never_cut_between_its_pairs() -> None:
    assert spoken("0151 2345", "de") == ",\u00a0".join(
        ["null\u00a0eins", "fünf\u00a0eins", "zwei\u00a0drei", "vier\u00a0fünf"]
    )


def test_a_broken_file_of_words_is_named(tmp_path: Path) -> None:
    (tmp_path / "de.yaml").write_text("number_language: de\nmoths: []\n")
    with pytest.raises(ConfigError, match=r"de\.yaml"):
        load_spoken_words("de", tmp_path)


def test_other_peoples_german_is_said_as_they_say_it_where_we_mean_to(shared: Path) -> None:
    """NeMo's table without spaces and case; docs/reference/tts.md tells what differs on purpose."""
    lines = (shared / "data" / "text" / "nemo_de_tn.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["inp"]]
    least = {"cardinal": 1.0, "time": 0.96, "whitelist": 1.0, "word": 1.0, "date": 0.8, "fraction": 0.9}
    for kind, share in least.items():
        pairs = [
            (_folded(spoken(row["out"][0], "de")), _folded(row["inp"])) for row in rows if row["cls"] == kind
        ]
        assert sum(ours == theirs for ours, theirs in pairs) / len(pairs) >= share, kind


def _folded(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())
