"""Spoken phrases on disk, by voice and text: what was said once is there at once the next time."""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from pathlib import Path

import numpy as np

from appliance.speech.voices import Audio

log = logging.getLogger(__name__)

LARGEST = 200 * 2**20
"""Bytes that the cache may take, 80 minutes of speech; the phrases used longest ago go first."""
MAGIC = b"TRSN1"
DIGEST = 8
"""Bytes of the sound's hash that stand in the file."""
HEAD = len(MAGIC) + 4 + DIGEST


class PhraseCache:
    """One file per phrase: ``TRSN1``, rate (4 bytes), hash (8 bytes), int16 samples, all little-endian.

    Several processes may use one folder. What is broken counts as missing and is removed; a disk that is
    full or read-only keeps nothing. Nothing here ever stops speech.
    """

    def __init__(self, folder: Path, largest: int = LARGEST) -> None:
        """``largest``: bytes of all phrases together."""
        self._folder = folder
        self._largest = largest
        self._total: int | None = None

    def get(self, voice: str, text: str) -> Audio | None:
        """The phrase, or None. ``voice``: :attr:`VoiceChoice.key`; ``text``: the spoken form."""
        path = self._path(voice, text)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        audio = _decode(data)
        if audio is None:
            log.warning("a cached phrase is damaged and will be made again: %s", path.name)
            _remove(path)
            return None
        _touch(path)
        return audio

    def put(self, voice: str, text: str, audio: Audio) -> bool:
        """Keep the phrase; False when the disk does not let it."""
        path = self._path(voice, text)
        data = _encode(audio)
        try:
            _write(path, data)
            self._grow(len(data))
        except OSError as error:
            log.warning("the phrase cache can't be written, speech goes on without: %s", error.strerror)
            return False
        return True

    def _path(self, voice: str, text: str) -> Path:
        digest = hashlib.sha256(f"{voice}\0{text}".encode()).hexdigest()
        return self._folder / digest[:2] / f"{digest}.pcm"

    def _grow(self, size: int) -> None:
        """Count what was added; look at the whole folder only at first and when it is too large."""
        if self._total is None or self._total + size > self._largest:
            self._total = self._shrink()
        else:
            self._total += size

    def _shrink(self) -> int:
        """Remove the phrases used longest ago until the rest fits; returns its bytes."""
        seen = [(path.stat(), path) for path in self._folder.glob("*/*.pcm")]
        total = sum(about.st_size for about, _ in seen)
        for about, path in sorted(seen, key=lambda one: one[0].st_mtime_ns):
            if total <= self._largest:
                break
            _remove(path)
            total -= about.st_size
        return total


def _write(path: Path, data: bytes) -> None:
    """All or nothing: readers see the old file or the new one. Raises OSError and leaves nothing behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        part.replace(path)
    except OSError:
        _remove(part)
        raise


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("%s can't be removed: %s", path.name, error.strerror)


def _touch(path: Path) -> None:
    """Note the use; on a read-only disk nothing is evicted, so that nothing is lost by not noting it."""
    try:
        os.utime(path)
    except OSError:
        log.debug("the use of %s can't be noted", path.name)


def _encode(audio: Audio) -> bytes:
    body = audio.samples.astype("<i2").tobytes()
    return MAGIC + audio.rate.to_bytes(4, "little") + hashlib.sha256(body).digest()[:DIGEST] + body


def _decode(data: bytes) -> Audio | None:
    """The phrase of a file's bytes, or None when they are not what was written."""
    if len(data) <= HEAD or not data.startswith(MAGIC):
        return None
    rate, digest, body = int.from_bytes(data[5:9], "little"), data[9:HEAD], data[HEAD:]
    if hashlib.sha256(body).digest()[:DIGEST] != digest or not rate:
        return None
    return Audio(np.frombuffer(body, dtype="<i2").astype(np.int16), rate)
