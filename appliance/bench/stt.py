"""``tresen bench stt``: word errors and time of the short window against faster-whisper's full window.

Both get the same samples: the Kerstin clips (130 German sentences, a clean and a raw recording of each) after
an 8 kHz A-law line. Ours runs in its engine process, as in a call; the reference is faster-whisper's
``transcribe`` as its users call it, in this process, clip by clip in turn with ours. Voice detection runs
before and is not counted: in a call it has run while the caller spoke.
"""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np

from appliance.bench.word_errors import word_error_rate
from appliance.config import CHECKOUT, Paths, load_paths
from appliance.engines.supervisor import Supervisor
from appliance.errors import SetupError
from appliance.speech.audio import Samples, read_audio, through_telephone, to_float
from appliance.speech.stt import MODEL, SpeechToText, stt_engine
from appliance.speech.vad import VoiceModel, voice_in

LANGUAGE = "de"
THREADS = 2
SECONDS_PER_CLIP = 120.0
"""Time limit; a machine that does other things meanwhile is slow, and a benchmark should still end."""


@dataclass(frozen=True)
class Clip:
    """One recording: "clean" or "raw", and what is said in it."""

    path: Path
    kind: str
    text: str


@dataclass(frozen=True)
class SttResult:
    """What the benchmark says; the keys of ``--json``. Rates are shares, times seconds, memory MiB."""

    clips: int
    wer: float
    wer_full_window: float
    wer_clean: float
    wer_full_window_clean: float
    wer_raw: float
    wer_full_window_raw: float
    stt_ratio_to_full_window: float
    """Time of all clips together, ours over the reference's."""
    stt_p50_s: float
    stt_p95_s: float
    full_window_p50_s: float
    full_window_p95_s: float
    rss_mib: float
    """The engine process after the last clip."""


@dataclass(frozen=True)
class _Measured:
    clip: Clip
    ours: str
    ours_seconds: float
    reference: str
    reference_seconds: float


def kerstin_clips(data: Path) -> list[Clip]:
    """The German sentences of the shared test data. Raises SetupError when they are not there."""
    manifest = data / "speech" / "manifest.tsv"
    if not manifest.is_file():
        raise SetupError(
            f"The recordings to measure with are not at '{data / 'speech'}'. They are not part of Tresen: put"
            " the shared test data beside the checkout or name their folder with --data."
        )
    with manifest.open(encoding="utf-8", newline="") as table:
        rows = [row for row in csv.DictReader(table, delimiter="\t") if row["path"].startswith("de/kerstin/")]
    return [Clip(data / "speech" / row["path"], row["path"].split("/")[2], row["text"]) for row in rows]


def run(clips: list[Clip], paths: Paths, tell: Callable[[str], None] = lambda line: None) -> SttResult:
    """Measure. ``tell`` gets progress. Raises SetupError (model), EngineError, AudioError (a clip)."""
    return asyncio.run(_run(clips, paths, tell))


async def _run(clips: list[Clip], paths: Paths, tell: Callable[[str], None]) -> SttResult:
    from faster_whisper import WhisperModel

    supervisor = Supervisor((stt_engine(MODEL, threads=THREADS),), paths.data / "logs", tell)
    await supervisor.start()
    try:
        reference: Any = WhisperModel(
            str(paths.models / MODEL),
            device="cpu",
            compute_type="int8",
            cpu_threads=THREADS,
            local_files_only=True,
        )
        stt, voice = SpeechToText(supervisor.client("stt")), VoiceModel()
        measured = []
        for number, clip in enumerate(clips, 1):
            measured.append(await _measure(clip, stt, voice, reference))
            if number % 20 == 0:
                tell(f"{number} of {len(clips)} clips")
        return _result(measured, resident_mib(supervisor.pid("stt")))
    finally:
        await supervisor.stop()


async def _measure(clip: Clip, stt: SpeechToText, voice: VoiceModel, reference: Any) -> _Measured:
    samples = through_telephone(read_audio(clip.path))
    found = voice_in(voice, samples)
    heard = await stt.transcribe(samples, LANGUAGE, voice=found, seconds=SECONDS_PER_CLIP)
    text, seconds = await asyncio.to_thread(full_window, reference, samples)
    return _Measured(clip, heard.text, heard.seconds, text, seconds)


def full_window(model: Any, samples: Samples) -> tuple[str, float]:
    """Text and seconds of faster-whisper with its own defaults (30 s window, beam 5, timestamps)."""
    began = perf_counter()
    segments, _ = model.transcribe(to_float(samples), language=LANGUAGE)
    text = "".join(segment.text for segment in segments)
    return text, perf_counter() - began


def _result(measured: list[_Measured], rss_mib: float) -> SttResult:
    def rates(kind: str | None) -> Iterator[float]:
        chosen = [one for one in measured if kind in (None, one.clip.kind)]
        yield word_error_rate((one.clip.text, one.ours) for one in chosen)
        yield word_error_rate((one.clip.text, one.reference) for one in chosen)

    ours = [one.ours_seconds for one in measured]
    theirs = [one.reference_seconds for one in measured]
    (wer, wer_full), (clean, clean_full), (raw, raw_full) = map(tuple, map(rates, (None, "clean", "raw")))
    return SttResult(
        clips=len(measured),
        wer=wer,
        wer_full_window=wer_full,
        wer_clean=clean,
        wer_full_window_clean=clean_full,
        wer_raw=raw,
        wer_full_window_raw=raw_full,
        stt_ratio_to_full_window=sum(ours) / sum(theirs),
        stt_p50_s=float(np.percentile(ours, 50)),
        stt_p95_s=float(np.percentile(ours, 95)),
        full_window_p50_s=float(np.percentile(theirs, 50)),
        full_window_p95_s=float(np.percentile(theirs, 95)),
        rss_mib=rss_mib,
    )


def resident_mib(pid: int | None) -> float:
    """Resident memory of a process (Linux); 0.0 when it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0.0)


def markdown(result: SttResult) -> str:
    """The result as a table."""
    rows = [
        ("clips", f"{result.clips}", f"{result.clips}"),
        ("word error rate", f"{result.wer:.1%}", f"{result.wer_full_window:.1%}"),
        ("… clean recordings", f"{result.wer_clean:.1%}", f"{result.wer_full_window_clean:.1%}"),
        ("… raw recordings", f"{result.wer_raw:.1%}", f"{result.wer_full_window_raw:.1%}"),
        ("seconds, median", f"{result.stt_p50_s:.2f}", f"{result.full_window_p50_s:.2f}"),
        ("seconds, 95th percentile", f"{result.stt_p95_s:.2f}", f"{result.full_window_p95_s:.2f}"),
        ("time, ratio", f"{result.stt_ratio_to_full_window:.2f}", "1"),
        ("memory of the process, MiB", f"{result.rss_mib:.0f}", "–"),
    ]
    head = "| | Tresen | faster-whisper, full window |\n| --- | --- | --- |\n"
    return head + "".join(f"| {name} | {ours} | {theirs} |\n" for name, ours, theirs in rows)


@click.command("stt")
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the shared test data.")
@click.option("--every", default=1, show_default=True, type=click.IntRange(1), help="Take every n-th clip.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the figures to this file.")
def command(data: Path | None, every: int, json_file: Path | None) -> None:
    """Word errors and time of the recogniser on German sentences over a telephone line."""
    clips = kerstin_clips(data or CHECKOUT.parent / "shared" / "data")[::every]
    result = run(clips, load_paths(), lambda line: click.echo(line, err=True))
    click.echo(markdown(result))
    if json_file:
        json_file.write_text(json.dumps(asdict(result), indent=2) + "\n", encoding="utf-8")
