"""The gate: what is a caller's speech, what does the recogniser make up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from appliance.speech.hallucination import Evidence, judge, plain, repetition
from appliance.speech.transcript import Verdict, Voice

pytestmark = pytest.mark.unit

GOOD = Evidence(
    text="Einen Tisch für vier am Freitag um acht.",
    mean_log_probability=-0.35,
    no_speech=0.05,
    voice=Voice(2.4, 2.0),
    language="de",
    spoken=("de", 0.99),
)


def verdict(**changes: object) -> Verdict:
    return judge(replace(GOOD, **changes), {"vielen dank"}).verdict  # type: ignore[arg-type]


def test_an_ordinary_sentence_is_speech() -> None:
    assert judge(GOOD).is_speech


@pytest.mark.parametrize("text", ["Ja.", "Nein, nein, nein!", "Um acht.", "0151 1111 11 11 11", "Genau."])
def test_short_and_emphatic_answers_are_speech(text: str) -> None:
    assert verdict(text=text, voice=Voice(0.6, 0.4)) is Verdict.SPEECH


def test_without_voice_there_is_no_speech_however_sure_the_recogniser_is() -> None:
    assert verdict(voice=Voice(0.06, 0.06), mean_log_probability=-0.01) is Verdict.SILENCE


def test_voices_in_the_room_are_no_caller() -> None:
    assert verdict(voice=Voice(3.0, 0.03)) is Verdict.SILENCE


@pytest.mark.parametrize("text", ["", " ", "...", "♪ ♪", "- !"])
def test_no_words_are_silence(text: str) -> None:
    assert verdict(text=text) is Verdict.SILENCE


@pytest.mark.parametrize(
    "text",
    [
        "No. No. No. No. No. No.",
        "I'm going to go ahead and then I'm going to go ahead and then I'm going to go ahead and then",
        "Ich bin da. Ich bin da. Ich bin da.",
    ],
)
def test_a_decoder_that_goes_round_in_circles_is_caught(text: str) -> None:
    assert verdict(text=text, voice=Voice(9.0, 9.0), mean_log_probability=-0.1) is Verdict.REPETITION


def test_more_text_than_anyone_can_say_is_caught() -> None:
    assert verdict(voice=Voice(0.5, 0.5)) is Verdict.OUT_OF_PROPORTION


def test_two_letters_for_ten_seconds_of_voice_are_caught() -> None:
    assert verdict(text="Ja.", voice=Voice(10.0, 9.0)) is Verdict.OUT_OF_PROPORTION


def test_words_that_the_recogniser_hardly_believes_are_no_turn() -> None:
    assert verdict(mean_log_probability=-1.7) is Verdict.UNLIKELY


def test_no_speech_counts_only_with_weak_words() -> None:
    assert verdict(no_speech=0.8) is Verdict.SPEECH
    assert verdict(no_speech=0.8, mean_log_probability=-0.95) is Verdict.NO_SPEECH


def test_a_known_phrase_counts_only_with_weak_words() -> None:
    assert verdict(text="Vielen Dank.") is Verdict.SPEECH
    assert verdict(text="Vielen Dank.", mean_log_probability=-0.95) is Verdict.KNOWN_PHRASE


def test_another_language_is_named_and_needs_enough_voice_to_be_told() -> None:
    judgement = judge(replace(GOOD, spoken=("en", 0.97)))
    assert judgement.verdict is Verdict.OTHER_LANGUAGE
    assert "'en'" in judgement.reason
    assert verdict(spoken=("en", 0.7)) is Verdict.SPEECH
    assert verdict(spoken=("en", 0.97), voice=Voice(1.8, 1.0)) is Verdict.SPEECH


def test_plain_text_has_words_only() -> None:
    assert plain("  Ja, GENAU! – Um 8:30 Uhr; it's Müllers. ") == "ja genau um 8 30 uhr it's müllers"


def test_repetition_names_what_is_repeated() -> None:
    assert repetition("a b a b a b") == "a b"
    assert repetition("ja ja ja ja ja") == "ja"
    assert repetition("eins zwei eins zwei") is None
    assert repetition("1 1 1 1 1 1 1") is None
