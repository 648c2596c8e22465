"""Turn-taking without sound: patience by what was asked, and silence that becomes a turn."""

from __future__ import annotations

import pytest

from appliance.adapters.voice.turns import (
    DICTATION,
    PLAIN,
    READ_BACK,
    SilenceWatch,
    patience_after,
    watch_silence,
)
from appliance.conversation.models import Question, Reply

pytestmark = pytest.mark.unit


def asked(question: Question, *slots: str) -> Reply:
    return Reply("…", "de", question, slots)


def test_numbers_and_names_are_given_more_time_than_other_answers() -> None:
    assert patience_after(asked(Question.SLOT, "phone")) == DICTATION
    assert patience_after(asked(Question.SLOT, "name")) == DICTATION
    assert patience_after(asked(Question.SLOT, "people")) == PLAIN
    assert patience_after(asked(Question.YES_NO)) == READ_BACK
    assert patience_after(None) == PLAIN


def test_silence_is_told_once_per_step_counted_from_the_last_word() -> None:
    state, told = SilenceWatch(), []
    for tenth in range(200):
        state, quiet = watch_silence(state, tenth / 10, busy=False, steps=(5.0, 10.0))
        if quiet is not None:
            told.append((tenth / 10, quiet))
    assert told == [(5.0, 5.0), (10.0, 10.0)]


def test_while_somebody_speaks_there_is_no_silence_and_the_next_step_counts_from_then() -> None:
    state = SilenceWatch()
    state, _ = watch_silence(state, 0.0, busy=False, steps=(5.0, 10.0))
    state, quiet = watch_silence(state, 5.0, busy=False, steps=(5.0, 10.0))
    assert quiet == 5.0
    state, _ = watch_silence(state, 6.0, busy=True, steps=(5.0, 10.0))
    state, _ = watch_silence(state, 7.0, busy=False, steps=(5.0, 10.0))
    state, quiet = watch_silence(state, 16.9, busy=False, steps=(5.0, 10.0))
    assert quiet is None
    _, quiet = watch_silence(state, 17.0, busy=False, steps=(5.0, 10.0))
    assert quiet == 10.0


def test_without_steps_silence_is_never_told() -> None:
    _, quiet = watch_silence(SilenceWatch(0.0), 1000.0, busy=False, steps=())
    assert quiet is None
