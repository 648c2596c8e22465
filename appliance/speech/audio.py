"""Recordings and telephone audio: read any file to 16 kHz mono, resample, G.711 and the 8 kHz line."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from appliance.errors import AudioError

RATE = 16_000
"""Samples per second of everything that STT and VAD hear."""
TELEPHONE_RATE = 8_000
LONGEST_SECONDS = 600.0
"""A longer recording is refused: it is no utterance and no call's turn, and Whisper would need minutes."""
LOWEST_RATE = 4_000
HIGHEST_RATE = 192_000

Samples = NDArray[np.int16]
"""Mono samples, int16."""
Law = Literal["alaw", "ulaw"]
"""G.711: A-law in Europe, µ-law in North America and Japan."""


def read_audio(path: Path, longest: float = LONGEST_SECONDS) -> Samples:
    """The recording ``path`` as mono int16 at 16 kHz; channels are averaged.

    WAV, FLAC and OGG are read by libsndfile, everything else (WebM, M4A, MP3, …) by FFmpeg's libraries. A
    file that ends in the middle is read as far as it goes. Raises AudioError when the file is not there,
    holds no audio, is damaged, has an impossible sample rate or lasts more than ``longest`` seconds.
    """
    if not path.is_file():
        raise AudioError(f"There is no recording at '{path}'.")
    if path.stat().st_size == 0:
        raise AudioError(f"'{path}' is empty (0 bytes). Record it again.")
    samples = _read_with_sndfile(path, longest)
    if samples is None:
        samples = _read_with_ffmpeg(path, longest)
    if samples.size == 0:
        raise AudioError(f"'{path}' holds no audio. Record it again.")
    return samples


def _read_with_sndfile(path: Path, longest: float) -> Samples | None:
    """The samples, or None when libsndfile does not know the format."""
    try:
        with soundfile.SoundFile(path) as file:
            _check(path, file.samplerate, file.frames / max(file.samplerate, 1), longest)
            data: NDArray[np.float32] = file.read(dtype="float32", always_2d=True)
            rate: int = file.samplerate
    except soundfile.LibsndfileError:
        return None
    if not np.isfinite(data).all():
        raise AudioError(f"'{path}' is damaged: it holds samples that are no numbers.")
    return to_int16(resample(data.mean(axis=1), rate, RATE)) if data.size else np.zeros(0, np.int16)


def _read_with_ffmpeg(path: Path, longest: float) -> Samples:
    import av

    try:
        with av.open(str(path)) as container:
            if not container.streams.audio:
                raise AudioError(f"'{path}' holds no audio track.")
            blocks: list[Samples] = []
            length = 0
            for block in _decoded(container):
                blocks.append(block)
                length += block.size
                _check(path, RATE, length / RATE, longest)
    except av.FFmpegError as cause:
        raise AudioError(f"'{path}' is no readable recording. Give a WAV or FLAC file.") from cause
    return np.concatenate(blocks) if blocks else np.zeros(0, np.int16)


def _decoded(container: Any) -> Iterator[Samples]:
    """Blocks of 16 kHz mono int16 of an open PyAV container."""
    import av

    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
    for frame in container.decode(audio=0):
        for piece in resampler.resample(frame):
            yield piece.to_ndarray().reshape(-1).astype(np.int16)
    for piece in resampler.resample(None):
        yield piece.to_ndarray().reshape(-1).astype(np.int16)


def _check(path: Path, rate: int, seconds: float, longest: float) -> None:
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise AudioError(
            f"'{path}' claims {rate} samples per second; {LOWEST_RATE} to {HIGHEST_RATE} can be read. "
            "Convert it to 16000."
        )
    if seconds > longest:
        raise AudioError(
            f"'{path}' lasts longer than {longest:.0f} s, the most that is read at once. Cut it into pieces."
        )


def write_wav(path: Path, samples: NDArray[np.int16], rate: int) -> None:
    """Write 16-bit PCM; ``samples`` is mono (n,) or (n, channels). Raises AudioError when it can't."""
    try:
        soundfile.write(path, samples, rate, format="WAV", subtype="PCM_16")
    except (soundfile.LibsndfileError, OSError) as cause:
        raise AudioError(f"'{path}' can't be written. Is the folder there, writable and not full?") from cause


def to_float(samples: Samples) -> NDArray[np.float32]:
    """int16 to float32 in -1 … 1."""
    return samples.astype(np.float32) / 32768.0


def to_int16(samples: NDArray[np.float32]) -> Samples:
    """Float in -1 … 1 to int16; what is louder is clipped."""
    return np.clip(np.round(samples * 32768.0), -32768, 32767).astype(np.int16)


def resample(samples: NDArray[Any], source: int, target: int) -> NDArray[Any]:
    """The same sound at another rate; the dtype (int16 or float32) stays."""
    if source == target or samples.size == 0:
        return samples
    result: NDArray[Any] = soxr.resample(samples, source, target)
    return result


def g711_encode(samples: Samples, law: Law = "alaw") -> bytes:
    """One byte a sample."""
    raw = io.BytesIO()
    soundfile.write(raw, samples, TELEPHONE_RATE, format="RAW", subtype=law.upper())
    return raw.getvalue()


def g711_decode(data: bytes, law: Law = "alaw") -> Samples:
    """The int16 samples of G.711 bytes."""
    if not data:
        return np.zeros(0, np.int16)
    samples, _ = soundfile.read(
        io.BytesIO(data),
        dtype="int16",
        samplerate=TELEPHONE_RATE,
        channels=1,
        format="RAW",
        subtype=law.upper(),
    )
    decoded: Samples = samples
    return decoded


def through_telephone(samples: Samples, law: Law = "alaw") -> Samples:
    """What 16 kHz audio sounds like after a telephone line: 8 kHz, G.711, back to 16 kHz; same length."""
    line = g711_decode(g711_encode(resample(samples, RATE, TELEPHONE_RATE), law), law)
    heard = resample(line, TELEPHONE_RATE, RATE)[: samples.size]
    return np.pad(heard, (0, samples.size - heard.size)).astype(np.int16)
