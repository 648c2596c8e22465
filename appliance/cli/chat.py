"""``tresen chat``: the whole conversation in text, by hand or from a script."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from appliance.errors import UsageError

if TYPE_CHECKING:
    from appliance.wiring import Appliance, Call

PROMPT = "you        "


@click.command()
@click.option("--tenant", default="aylem", show_default=True, help="Whose telephone rings.")
@click.option("--lang", "language", help="Language of the call; without it, the tenant's first.")
@click.option("--script", type=click.Path(path_type=Path, dir_okay=False), help="The caller's lines.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line a turn, then the records.")
@click.option("--now", help="Time at which the call begins, such as 2026-12-01T10:00.")
@click.option("--caller", help="The caller's number, as the line would send it: +4915123456789.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Folder to keep records in.")
@click.option("--model/--no-model", default=False, help="Ask the language model where the readers doubt.")
def command(
    tenant: str, language: str | None, script: Path | None, as_json: bool, now: str | None,
    caller: str | None, data: Path | None, model: bool,
) -> int:  # fmt: skip
    """Talk to the assistant in text: the same conversation as on the telephone, without sound.

    A line is what the caller says; [silence 6s] and [key 0] are lines too. Without --data the records are
    thrown away at the end, so that trying out books nothing real. Exit code 0: done; 1: not done (a booking
    was begun and not finished, or nothing was understood); 2: wrong use; 3: set-up missing.
    """
    from appliance.adapters.console import parse_line

    lines = _lines(script)
    if script is not None:
        lines = list(lines)
        for line in lines:
            parse_line(line)
    start = _moment(now) if now else None
    with nullcontext(str(data)) if data else tempfile.TemporaryDirectory(prefix="tresen-chat-") as folder:
        return asyncio.run(_call(tenant, language, caller, start, Path(folder), model, lines, as_json))


async def _call(
    tenant: str, language: str | None, caller: str | None, now: datetime | None, folder: Path, model: bool,
    lines: Iterable[str], as_json: bool,
) -> int:  # fmt: skip
    from appliance.config import load_paths
    from appliance.wiring import open_appliance

    engines = ("language_model",) if model else ()
    async with open_appliance(load_paths(), tenant, engines=engines, records=folder, now=now) as (box, shop):
        call = box.call(shop, "text", language, caller, lambda line: click.echo(line, err=True))
        try:
            return await _talk(box, call, lines, as_json)
        finally:
            await call.close()


async def _talk(box: Appliance, call: Call, lines: Iterable[str], as_json: bool) -> int:
    from appliance.adapters.console import converse, turn_data, turn_text
    from appliance.conversation.models import Outcome

    greeting = await call.session.greeting()
    if not as_json:
        click.echo(f"assistant  {greeting.text}")
    number = 0
    echo = not isinstance(lines, Typed)
    async for record in converse(call.session, lines):
        number += 1
        data = json.dumps(turn_data(number, record), ensure_ascii=False) if as_json else None
        click.echo(data or turn_text(record, echo=echo))
    await call.session.close()
    outcome, records = call.session.outcome, box.written(call.id)
    if as_json:
        end = {"greeting": greeting.text, "outcome": outcome.value, "records": records}
        click.echo(json.dumps(end, ensure_ascii=False))
    else:
        written = ", ".join(f"{table}: {len(rows)}" for table, rows in records.items() if rows)
        click.echo(f"outcome    {outcome.value}" + (f" ({written})" if written else ""))
    return 1 if outcome in (Outcome.NOT_DONE, Outcome.ABANDONED) else 0


class Typed:
    """What a person types, until the end of input."""

    def __iter__(self) -> Iterator[str]:
        while True:
            try:
                yield input(PROMPT)
            except EOFError:
                return


def _lines(script: Path | None) -> Iterable[str]:
    """The lines of a script, of standard input, or of a person at the terminal."""
    if script is None:
        return Typed() if sys.stdin.isatty() else (line.rstrip("\n") for line in sys.stdin)
    try:
        return script.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as cause:
        raise UsageError(f"The script {script} can't be read as UTF-8 text: {cause}") from cause


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"'{text}' is no time. Write it like 2026-12-01T10:00.") from None
