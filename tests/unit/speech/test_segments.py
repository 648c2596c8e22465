"""Where speech begins and ends, from probabilities alone."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.speech.segments import (
    SegmentSettings,
    SegmentState,
    SpeechEnded,
    SpeechStarted,
    advance,
    segments,
)

pytestmark = pytest.mark.unit

FRAME = 0.032
SETTINGS = SegmentSettings()


def frames(seconds: float) -> int:
    return round(seconds / FRAME)


def track(*parts: tuple[float, float]) -> list[float]:
    """Probabilities from (probability, seconds)."""
    return [probability for probability, seconds in parts for _ in range(frames(seconds))]


def found(*parts: tuple[float, float]) -> tuple[SpeechEnded, ...]:
    return segments(track(*parts), FRAME, SETTINGS)


def test_a_quarter_of_a_second_of_voice_is_speech() -> None:
    (speech,) = found((0.0, 1.0), (0.95, 0.25), (0.0, 1.0))
    assert speech.start == pytest.approx(1.0, abs=FRAME)
    assert speech.voiced == pytest.approx(0.25, abs=FRAME)


def test_a_click_is_not() -> None:
    assert found((0.0, 0.5), (0.99, 0.1), (0.0, 1.0)) == ()


def test_people_in_the_room_are_not_however_long_they_talk() -> None:
    assert found((0.7, 10.0), (0.0, 1.0)) == ()


def test_clicks_do_not_add_up_to_speech() -> None:
    assert found(*[(0.99, 0.064), (0.0, 0.5)] * 10) == ()


def test_a_short_pause_does_not_end_an_utterance_and_a_long_one_does() -> None:
    assert len(found((0.9, 1.0), (0.0, 0.45), (0.9, 1.0), (0.0, 1.0))) == 1
    assert len(found((0.9, 1.0), (0.0, 0.7), (0.9, 1.0), (0.0, 1.0))) == 2


def test_a_weak_syllable_inside_speech_is_part_of_it() -> None:
    (speech,) = found((0.9, 0.5), (0.4, 1.0), (0.9, 0.5), (0.0, 1.0))
    assert speech.end - speech.start == pytest.approx(2.0, abs=2 * FRAME)


def test_speech_at_the_end_of_a_recording_is_found() -> None:
    assert len(found((0.0, 0.5), (0.9, 0.5))) == 1


def test_an_endless_talker_is_cut_before_the_window_is_full() -> None:
    pieces = found((0.95, 60.0))
    assert len(pieces) == 3
    assert all(piece.end - piece.start <= SETTINGS.longest + FRAME for piece in pieces)


def test_the_start_is_reported_as_soon_as_it_is_certain_and_names_the_first_voiced_moment() -> None:
    state, event, at = SegmentState(), None, 0.0
    for number, probability in enumerate(track((0.0, 0.32), (0.95, 0.5))):
        at = number * FRAME
        state, event = advance(state, at, FRAME, probability, SETTINGS)
        if event:
            break
    assert event == SpeechStarted(pytest.approx(0.32))
    assert at - 0.32 <= SETTINGS.shortest


@given(st.lists(st.floats(0, 1), max_size=400))
def test_utterances_never_overlap_and_are_never_shorter_than_the_least(probabilities: list[float]) -> None:
    pieces = segments(probabilities, FRAME, SETTINGS)
    for before, after in pairwise(pieces):
        assert before.end <= after.start
    for piece in pieces:
        assert piece.start < piece.end
        assert piece.certain <= piece.voiced <= piece.end - piece.start + 1e-6
        assert piece.voiced >= SETTINGS.shortest - 1e-6
