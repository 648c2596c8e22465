"""The recorded caller: listens first, speaks in turn, is patient, hangs up."""

from __future__ import annotations

import numpy as np
import pytest

from appliance.adapters.voice.line import FRAME, RATE
from appliance.adapters.voice.recorded_caller import RecordedCaller, first_audible

pytestmark = pytest.mark.unit


class Desk:
    """An assistant that is idle or not."""

    def __init__(self) -> None:
        self.is_idle = False

    def idle(self) -> bool:
        return self.is_idle


def tone(seconds: float) -> np.ndarray:
    sound = np.full(int(seconds * RATE), 5000, dtype=np.int16)
    sound[-RATE // 10 :] = 0
    return sound


def play(caller: RecordedCaller, start: int, seconds: float) -> tuple[int, int]:
    """Take frames for a while; returns the position after and how many were audible."""
    audible, position = 0, start
    while position < start + seconds * RATE:
        frame = caller.next_frame(position)
        if frame is None:
            break
        audible += int(np.abs(frame).max() > 300)
        position += FRAME
    return position, audible


def test_it_waits_for_the_greeting_to_end_and_then_a_moment() -> None:
    desk = Desk()
    caller = RecordedCaller([("a", tone(1.0))], desk.idle)
    position, audible = play(caller, 0, 2.0)
    assert audible == 0
    desk.is_idle = True
    position, audible = play(caller, position, 0.5)
    assert audible == 0
    _, audible = play(caller, position, 2.0)
    assert audible > 40


def test_it_knows_where_its_last_audible_sample_was() -> None:
    desk = Desk()
    caller = RecordedCaller([("a", tone(1.0))], desk.idle)
    position, _ = play(caller, 0, 0.1)
    desk.is_idle = True
    play(caller, position, 3.0)
    turn = caller.turns[0]
    assert turn.ended - turn.began == pytest.approx(0.9 * RATE, abs=2)
    assert turn.played - turn.began == RATE


def test_it_hangs_up_after_the_last_answer() -> None:
    desk = Desk()
    caller = RecordedCaller([("a", tone(0.5))], desk.idle)
    position, _ = play(caller, 0, 0.1)
    desk.is_idle = True
    position, _ = play(caller, position, 1.5)
    desk.is_idle = False
    position, _ = play(caller, position, 0.5)
    desk.is_idle = True
    play(caller, position, 3.0)
    assert caller.hung_up


def test_without_an_answer_it_goes_on_after_its_patience() -> None:
    desk = Desk()
    caller = RecordedCaller([("a", tone(0.5)), ("b", tone(0.5))], desk.idle)
    position, _ = play(caller, 0, 0.1)
    desk.is_idle = True
    position, _ = play(caller, position, 3.0)
    assert len(caller.turns) == 1
    play(caller, position, 16.0)
    assert len(caller.turns) == 2


def test_the_first_audible_sample_is_found_or_said_to_be_missing() -> None:
    sound = np.zeros(1000, dtype=np.int16)
    sound[700] = 4000
    assert first_audible(sound, 0) == 700
    assert first_audible(sound, 701) is None
