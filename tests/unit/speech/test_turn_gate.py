"""The last word on a user turn: the recogniser's verdict and the assistant's own echo."""

from __future__ import annotations

import pytest

from appliance.speech.closed_set import Choice
from appliance.speech.transcript import Judgement, Transcript, Verdict, Voice, Word, from_data, to_data
from appliance.speech.turn_gate import TurnGate

pytestmark = pytest.mark.unit

QUESTION = "Für wie viele Personen darf ich den Tisch am Freitag um 20 Uhr eintragen?"


def heard(text: str, verdict: Verdict = Verdict.SPEECH) -> Transcript:
    return Transcript(
        text=text,
        language="de",
        words=(Word("Ja,", 0.9, 0.1, 0.4),),
        confidence=0.9,
        mean_log_probability=-0.3,
        no_speech=0.1,
        judgement=Judgement(verdict, "why"),
        audio_seconds=1.5,
        voice=Voice(0.9, 0.8),
        window=8.0,
        seconds=0.2,
        spoken=("de", 0.99),
        answer=Choice("yes", 2.5),
        scores=(("yes", -0.5), ("no", -3.0)),
        free_score=-0.4,
    )


def test_speech_makes_a_turn() -> None:
    assert TurnGate().decide(heard("Für vier Personen bitte.")).is_speech


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict is not Verdict.SPEECH])
def test_any_other_verdict_of_the_recogniser_makes_none(verdict: Verdict) -> None:
    assert TurnGate().decide(heard("Für vier Personen bitte.", verdict)).verdict is verdict


def test_the_assistants_own_sentence_is_echo() -> None:
    echo = heard("wie viele Personen darf ich den Tisch am Freitag")
    assert TurnGate().decide(echo, [QUESTION]).verdict is Verdict.ECHO


def test_an_answer_over_the_assistants_sentence_is_a_turn() -> None:
    assert TurnGate().decide(heard("Nein, am Samstag um 20 Uhr."), [QUESTION]).is_speech


def test_one_or_two_words_of_the_question_are_an_answer() -> None:
    assert TurnGate().decide(heard("Am Freitag."), [QUESTION]).is_speech


def test_a_transcript_survives_the_socket() -> None:
    assert from_data(to_data(heard("Ja, gern."))) == heard("Ja, gern.")
