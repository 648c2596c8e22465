"""``tresen demo``: a recorded caller, in real time, answered by the real models."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from appliance.config import load_paths
from appliance.errors import UsageError

if TYPE_CHECKING:
    from appliance.adapters.voice.caller_folder import CallerFolder
    from appliance.adapters.voice.report import CallReport, TurnReport

DONE = ("booked", "answered", "escalated")
"""Outcomes of a call that came to its end; a demo's caller wants a table, so only the first will do there."""


@click.command()
@click.option("--caller", type=click.Path(exists=True, path_type=Path), help="A WAV, or a folder of WAVs.")
@click.option("--tenant", help="Whose telephone rings; default: the caller's card, else aylem.")
@click.option("--lang", "language", help="Language of the call; default: the caller's card, else German.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default=Path("out/demo"), show_default=True
)
@click.option("--now", help="Time at which the call begins, such as 2026-12-03T10:00.")
@click.option("--make-caller", is_flag=True, help="First speak the lines of the caller's card to NN.wav.")
@click.option("--json", "as_json", is_flag=True, help="Print report.json instead of the call.")
def command(
    caller: Path | None,
    tenant: str | None,
    language: str | None,
    out: Path,
    now: str | None,
    make_caller: bool,
    as_json: bool,
) -> int:
    """Answer a recorded caller. DIR gets call.wav, call.jsonl, report.html and report.json.

    Exit code 0: a table was booked; 1: it was not; 2: wrong use; 3: set-up missing.
    """
    from appliance.adapters.voice.caller_folder import load_caller

    folder = caller or load_paths().knowledge / "demo" / (language or "de")
    if not folder.exists():
        raise UsageError(f"There is no demo caller for '{language}'. Give one with --caller.")
    if make_caller:
        _make_caller(folder)
    report = asyncio.run(_demo(load_caller(folder), tenant, language, out, now, as_json))
    return 0 if report.outcome == "booked" else 1


async def _demo(
    caller: CallerFolder, tenant: str | None, language: str | None, out: Path, now: str | None, quiet: bool
) -> CallReport:
    from appliance.bench.recorded import hold_recorded_call, write_call

    card = caller.card
    _empty(out)
    report, held, journal = await hold_recorded_call(
        caller,
        tenant=tenant or card.tenant or "aylem",
        language=language or card.language or "de",
        now=_moment(now) or card.now,
        records=out / "records",
        tell=(lambda _: None) if quiet else lambda line: click.echo(f"· {line}", err=True),
        show=(lambda _: None) if quiet else _show,
    )
    write_call(out, report, held, journal)
    if quiet:
        from appliance.adapters.voice.report import as_json

        click.echo(json.dumps(as_json(report), ensure_ascii=False))
    else:
        _conclude(report, out)
    return report


def _make_caller(folder: Path) -> None:
    """Speak the card's lines as a caller on a telephone line."""
    from appliance.adapters.voice.caller_folder import load_card
    from appliance.speech.caller_voice import caller_wav

    card = load_card(folder)
    if not card.lines:
        raise UsageError(f"{folder / 'caller.yaml'} has no lines to speak.")
    for number, line in enumerate(card.lines, start=1):
        caller_wav(line, card.language or "de", folder / f"{number:02}.wav", card.voice)


def _show(turn: Any) -> None:
    """One answered turn, as soon as its answer is heard."""
    record = turn.record
    click.echo(f"caller     {record.turn.text}")
    for command_ in record.reading.commands:
        click.secho(f"           = {command_}", dim=True)
    for note in record.reading.notes:
        click.secho(f"           # {note}", dim=True)
    for call, result in record.tool_calls:
        click.secho(
            f"           → {call.tool}({json.dumps(dict(call.arguments), ensure_ascii=False)})", dim=True
        )
        click.secho(
            f"             {'ok' if result.ok else result.error}, {result.seconds * 1000:.0f} ms", dim=True
        )
    click.echo(f"assistant  {record.reply.text}")
    parts = ", ".join(f"{name} {value:.2f}" for name, value in turn.parts().items())
    click.secho(f"           {parts} s", dim=True)


def _conclude(report: CallReport, out: Path) -> None:
    click.echo("")
    click.echo("turn   end of speech → first sound")
    for turn in report.turns:
        click.echo(_line(turn))
    for text in report.unheard:
        click.echo(f"made no turn: {text}")
    for table, rows in report.records.items():
        for row in rows:
            click.echo(
                f"{table}: " + ", ".join(f"{key} {value}" for key, value in row.items() if value is not None)
            )
    for name in ("call.wav", "call.jsonl", "report.html", "report.json"):
        click.echo(f"  {out / name}")
    click.echo(f"outcome    {report.outcome}")


def _line(turn: TurnReport) -> str:
    if turn.end_to_audio_s is None:
        return f"{turn.number:4}   not answered"
    return f"{turn.number:4}   {turn.end_to_audio_s:.2f} s  {'▇' * round(turn.end_to_audio_s * 20)}"


def _empty(out: Path) -> None:
    """A demo starts without the bookings of the one before; other files in the folder are left alone."""
    import shutil

    out.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(out / "records", ignore_errors=True)


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"'{text}' is no time. Write it like 2026-12-03T10:00.") from None
