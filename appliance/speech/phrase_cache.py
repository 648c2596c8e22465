"""Spoken phrases on disk, by voice and text: what was said once is there at once the next time."""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path

import numpy as np

from appliance.speech.voices import Audio

log = logging.getLogger(__name__)

LARGEST = 200 * 2**20
"""Bytes that the cache may take; the phrases used longest ago go first."""
MAGIC = b"TRSN1"


class PhraseCache:
    """One file per phrase; a broken or missing file is just not there, a full disk just keeps nothing."""

    def __init__(self, folder: Path, largest: int = LARGEST) -> None:
        self._folder = folder
        self._largest = largest

    def get(self, voice: str, text: str) -> Audio | None:
        """The phrase, or None."""
        path = self._path(voice, text)
        try:
            data = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        return _decode(data)

    def put(self, voice: str, text: str, audio: Audio) -> None:
        """Keep the phrase; when the disk does not let it, speech goes on without."""
        path = self._path(voice, text)
        part = path.with_suffix(f".{os.getpid()}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(_encode(audio))
            part.replace(path)
        except OSError as error:
            log.warning("the phrase cache can't be written: %s", error.strerror)
            part.unlink(missing_ok=True)
            return
        self._shrink()

    def _path(self, voice: str, text: str) -> Path:
        digest = hashlib.sha256(f"{voice}\0{text}".encode()).hexdigest()
        return self._folder / digest[:2] / f"{digest}.pcm"

    def _shrink(self) -> None:
        files = [(path.stat().st_mtime, path.stat().st_size, path) for path in self._folder.glob("*/*.pcm")]
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self._largest:
                return
            path.unlink(missing_ok=True)
            total -= size


def _encode(audio: Audio) -> bytes:
    body = audio.samples.astype("<i2").tobytes()
    return MAGIC + audio.rate.to_bytes(4, "little") + hashlib.sha256(body).digest()[:8] + body


def _decode(data: bytes) -> Audio | None:
    head = len(MAGIC) + 12
    if len(data) <= head or not data.startswith(MAGIC):
        return None
    rate, digest, body = int.from_bytes(data[5:9], "little"), data[9:17], data[head:]
    if hashlib.sha256(body).digest()[:8] != digest:
        return None
    return Audio(np.frombuffer(body, dtype="<i2").astype(np.int16), rate)
