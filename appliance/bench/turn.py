"""``tresen bench turn``: whole turns in real time over recorded callers, on one open box per language.

Measured on the recording of the call: the caller's last audible sample to the first audible sample of the
answer. Turns that got no answer count as such and are not in the medians.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import numpy as np

from appliance.adapters.voice.caller_folder import CallerFolder, load_caller
from appliance.adapters.voice.report import CallReport
from appliance.bench.recorded import ENGINES, make_senses, one_call
from appliance.bench.stt import resident_mib
from appliance.config import load_paths
from appliance.wiring import open_appliance


@dataclass(frozen=True)
class TurnResult:
    """The keys of ``--json``; times in seconds, of answered turns."""

    turns: int
    unanswered: int
    calls: int
    calls_booked: int
    end_to_audio_p50_s: float
    end_to_audio_p95_s: float
    greeting_p50_s: float
    late_frames: int
    parts_p50_s: dict[str, float]
    """Median of each part of a turn: pause, recognise, endpoint, conversation, speak, …"""
    rss_mib: dict[str, float]
    """Resident memory of each engine at the end."""


@click.command()
@click.option("--lang", "languages", multiple=True, default=("de", "en"), show_default=True)
@click.option("--calls", default=1, show_default=True, help="Calls per language; a call has ten turns.")
@click.option(
    "--caller", type=click.Path(exists=True, path_type=Path), help="Another caller, of one language."
)
@click.option(
    "--json", "target", type=click.Path(dir_okay=False, path_type=Path), help="Write the keys there."
)
def command(languages: tuple[str, ...], calls: int, caller: Path | None, target: Path | None) -> None:
    """Hold recorded calls and print medians, 95th percentiles and the parts, as Markdown."""
    result = asyncio.run(run(languages, calls, caller))
    if target is not None:
        target.write_text(json.dumps(asdict(result), indent=1) + "\n", encoding="utf-8")
    click.echo(markdown(result))


async def run(languages: Sequence[str], calls: int, caller: Path | None) -> TurnResult:
    """Hold ``calls`` calls in each language."""
    reports: list[CallReport] = []
    memory: dict[str, float] = {}
    for language in languages:
        folder = load_caller(caller or load_paths().knowledge / "demo" / language)
        held, memory = await _calls(folder, language, calls)
        reports += held
    return summed_up(reports, memory)


async def _calls(
    caller: CallerFolder, language: str, calls: int
) -> tuple[list[CallReport], dict[str, float]]:
    card = caller.card
    with tempfile.TemporaryDirectory(prefix="tresen-bench-") as records:
        async with open_appliance(
            load_paths(),
            card.tenant or "aylem",
            engines=ENGINES,
            languages=(language,),
            records=Path(records),
            now=card.now,
        ) as (appliance, business):
            senses = await make_senses(appliance, business, (language,))
            reports = []
            for _ in range(calls):
                report, _held, _path = await one_call(
                    appliance, business, senses, caller, language, lambda _marks: None
                )
                reports.append(report)
                click.echo(f"{language}: {report.outcome}, {len(report.turns)} turns", err=True)
            engines = appliance.supervisor
            pids = {name: engines.pid(name) for name in ENGINES} if engines else {}
            memory = {name: resident_mib(pid) for name, pid in pids.items() if pid is not None}
    return reports, memory


def summed_up(reports: Sequence[CallReport], memory: dict[str, float]) -> TurnResult:
    """Medians over all turns of all calls."""
    turns = [turn for report in reports for turn in report.turns]
    answered = [turn for turn in turns if turn.end_to_audio_s is not None]
    times = [turn.end_to_audio_s for turn in answered if turn.end_to_audio_s is not None]
    names = list(dict.fromkeys(name for turn in answered for name in turn.parts))
    return TurnResult(
        turns=len(turns),
        unanswered=len(turns) - len(answered),
        calls=len(reports),
        calls_booked=sum(report.outcome == "booked" for report in reports),
        end_to_audio_p50_s=_percentile(times, 50),
        end_to_audio_p95_s=_percentile(times, 95),
        greeting_p50_s=_percentile([one.greeting_s for one in reports if one.greeting_s is not None], 50),
        late_frames=sum(report.late_frames for report in reports),
        parts_p50_s={
            name: _percentile([turn.parts[name] for turn in answered if name in turn.parts], 50)
            for name in names
        },
        rss_mib=memory,
    )


def _percentile(values: Sequence[float], share: float) -> float:
    return round(float(np.percentile(values, share)), 3) if values else float("nan")


def markdown(result: TurnResult) -> str:
    """The result as a table."""
    rows = [
        ("turns (answered)", f"{result.turns} ({result.turns - result.unanswered})"),
        ("calls (booked)", f"{result.calls} ({result.calls_booked})"),
        ("end of speech → first sound, p50", f"{result.end_to_audio_p50_s:.2f} s"),
        ("… p95", f"{result.end_to_audio_p95_s:.2f} s"),
        ("pick-up → greeting, p50", f"{result.greeting_p50_s:.2f} s"),
        ("late frames", str(result.late_frames)),
        *((f"part: {name}, p50", f"{value:.3f} s") for name, value in result.parts_p50_s.items()),
        *((f"memory: {name}", f"{value:.0f} MiB") for name, value in result.rss_mib.items()),
    ]
    lines = ["| turn | this machine |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in rows)]
    return "\n".join(lines)
