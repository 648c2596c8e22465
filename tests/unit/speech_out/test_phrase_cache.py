"""The phrase cache: exact, bounded, and never in the way of speech."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import numpy as np
import pytest

from appliance.speech.phrase_cache import PhraseCache
from appliance.speech.voices import Audio

pytestmark = pytest.mark.unit

BEEP = Audio(np.arange(1000, dtype=np.int16), 22050)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_kept_phrase_comes_back_sample_by_sample(tmp_path: Path) -> None:
    PhraseCache(tmp_path).put("pico:de-DE@1", "Guten Tag", BEEP)
    found = PhraseCache(tmp_path).get("pico:de-DE@1", "Guten Tag")
    assert found is not None
    assert found.rate == BEEP.rate
    assert np.array_equal(found.samples, BEEP.samples)


@pytest.mark.parametrize(("voice", "text"), [("pico:de-DE@2", "Guten Tag"), ("pico:de-DE@1", "Guten Abend")])
def test_another_version_of_the_voice_or_another_text_is_another_phrase(
    tmp_path: Path, voice: str, text: str
) -> None:
    cache = PhraseCache(tmp_path)
    cache.put("pico:de-DE@1", "Guten Tag", BEEP)
    assert cache.get(voice, text) is None


@pytest.mark.parametrize("damage", [b"", b"TRSN1", b"nonsense" * 50, None])
def test_a_damaged_file_counts_as_missing_is_logged_and_replaced(
    tmp_path: Path, damage: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    cache = PhraseCache(tmp_path)
    cache.put("v", "t", BEEP)
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"\x00" if damage is None else damage)
    with caplog.at_level(logging.WARNING):
        assert cache.get("v", "t") is None
    assert "damaged" in caplog.text
    assert cache.put("v", "t", BEEP)
    assert path.read_bytes() == whole


def test_the_phrases_used_longest_ago_make_room(tmp_path: Path) -> None:
    cache = PhraseCache(tmp_path, largest=6500)
    for number, text in enumerate(("one", "two", "three")):
        cache.put("v", text, BEEP)
        for path in files(tmp_path):
            if path.stat().st_mtime > 10_000:
                os.utime(path, (number, number))
    cache.get("v", "one")
    cache.put("v", "four", BEEP)
    assert [cache.get("v", text) is not None for text in ("one", "two", "three", "four")] == [
        True,
        False,
        True,
        True,
    ]


def test_the_bound_holds_over_many_phrases(tmp_path: Path) -> None:
    cache = PhraseCache(tmp_path, largest=9000)
    for number in range(20):
        cache.put("v", str(number), BEEP)
    assert sum(path.stat().st_size for path in files(tmp_path)) <= 9000
    assert cache.get("v", "19") is not None


def test_a_disk_that_takes_nothing_keeps_nothing_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    cache = PhraseCache(blocked)
    with caplog.at_level(logging.WARNING):
        assert not cache.put("v", "t", BEEP)
    assert "speech goes on without" in caplog.text
    assert cache.get("v", "t") is None


def test_a_full_disk_leaves_no_half_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert not PhraseCache(tmp_path).put("v", "t", BEEP)
    assert files(tmp_path) == []
