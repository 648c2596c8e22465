"""A call as one self-contained page: both waveforms on one time axis, what was understood, done and said."""

from __future__ import annotations

import base64
import io
import itertools
from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from appliance.adapters.voice.line import RATE, Recording, Samples
from appliance.adapters.voice.report import CallReport

WIDTH = 1600
"""Columns of the waveform."""
HALF = 40
"""Height in units from a waveform's middle to its edge."""
BIT_RATE = 24_000
"""Opus bits a second for the sound inside the page."""


def render_page(report: CallReport, recording: Recording, templates: Path) -> str:
    """The page as HTML; it loads nothing from outside."""
    environment = Environment(
        loader=FileSystemLoader(templates), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    seconds = len(recording.caller) / RATE
    longest = max([turn.end_to_audio_s or 0.0 for turn in report.turns], default=0.0)
    return environment.get_template("call_report.html").render(
        report=report,
        width=WIDTH,
        half=HALF,
        seconds=seconds,
        per_second=WIDTH / max(seconds, 1e-9),
        ticks=list(range(0, int(seconds) + 1, 10)),
        caller=outline(recording.caller),
        assistant=outline(recording.assistant),
        sound=base64.b64encode(opus(recording)).decode() if len(recording.caller) else "",
        scale=max(longest, 1e-9),
        median=median([turn.end_to_audio_s for turn in report.turns if turn.end_to_audio_s is not None]),
    )


def median(values: Sequence[float]) -> float | None:
    """The median, or None without values."""
    return float(np.median(values)) if values else None


def outline(samples: Samples) -> str:
    """SVG polygon points of a waveform's loudest sample per column, mirrored about its middle."""
    if not len(samples):
        return ""
    edges = np.linspace(0, len(samples), WIDTH + 1).astype(int)
    loud = np.abs(samples.astype(np.int32))
    peaks = [int(loud[a:b].max()) if b > a else 0 for a, b in itertools.pairwise(edges)]
    heights = [min(HALF, HALF * peak / 20_000) for peak in peaks]
    upper = [f"{x},{HALF - height:.1f}" for x, height in enumerate(heights)]
    lower = [f"{x},{HALF + height:.1f}" for x, height in reversed(list(enumerate(heights)))]
    return " ".join(upper + lower)


def opus(recording: Recording) -> bytes:
    """Both sides as stereo Ogg Opus."""
    target = io.BytesIO()
    with av.open(target, "w", format="ogg") as container:
        stream = container.add_stream("libopus", rate=48_000, layout="stereo")
        stream.bit_rate = BIT_RATE
        interleaved = np.stack([recording.caller, recording.assistant], axis=1).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(interleaved, format="s16", layout="stereo")
        frame.sample_rate = RATE
        resampler = av.AudioResampler(format="s16", layout="stereo", rate=48_000)
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))
    return target.getvalue()
