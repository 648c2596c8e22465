"""G.711 and the 8 kHz line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.speech.audio import RATE, Law, Samples, g711_decode, g711_encode, resample, through_telephone

pytestmark = pytest.mark.unit


def tone(hertz: float, rate: int = RATE) -> Samples:
    return (10000 * np.sin(2 * np.pi * hertz * np.arange(rate) / rate)).astype(np.int16)


@pytest.mark.parametrize("law", ["alaw", "ulaw"])
@given(samples=st.lists(st.integers(-32000, 32000), min_size=1, max_size=200))
def test_g711_keeps_every_sample_within_its_step(law: Law, samples: list[int]) -> None:
    before = np.array(samples, np.int16)
    after = g711_decode(g711_encode(before, law), law)
    assert len(g711_encode(before, law)) == before.size
    assert np.all(np.abs(after.astype(int) - before) <= 16 + np.abs(before.astype(int)) * 0.04)


def test_no_bytes_are_no_samples() -> None:
    assert g711_decode(b"").size == 0


def test_the_line_keeps_speech_and_cuts_what_is_above_4_khz() -> None:
    kept, cut = through_telephone(tone(1000)), through_telephone(tone(6000))
    assert np.std(kept) == pytest.approx(np.std(tone(1000)), rel=0.05)
    assert np.std(cut) < 0.01 * np.std(tone(6000))


@pytest.mark.parametrize("size", [0, 1, 15999, 16001])
def test_the_line_keeps_the_length(size: int) -> None:
    assert through_telephone(tone(440)[:1].repeat(size) if size else np.zeros(0, np.int16)).size == size


def test_resampling_to_the_same_rate_changes_nothing() -> None:
    assert np.array_equal(resample(tone(440), RATE, RATE), tone(440))
