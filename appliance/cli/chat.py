"""``tresen chat``: the whole conversation in text, by hand or from a script."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import click

from appliance.errors import UsageError

if TYPE_CHECKING:
    from appliance.conversation.session import ConversationSession
    from appliance.storage.database import Database

TABLES = ("reservations", "escalations")
PROMPT = "you        "


@dataclass(frozen=True)
class TextCall:
    """A call in text, with the database that it writes to."""

    session: ConversationSession
    database: Database
    id: str

    def records(self) -> dict[str, list[dict[str, Any]]]:
        """Rows that this call wrote, by table."""
        with self.database.read() as db:
            return {
                table: [dict(row) for row in db.query(f"select * from {table} where call_id = ?", [self.id])]
                for table in TABLES
            }


@click.command()
@click.option("--tenant", default="aylem", show_default=True, help="Whose telephone rings.")
@click.option("--lang", "language", help="Language of the call; without it, the tenant's first.")
@click.option(
    "--script", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Caller's lines."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON line a turn, then the records.")
@click.option("--now", help="Time at which the call begins, such as 2026-12-01T10:00.")
@click.option("--caller", help="The caller's number, as the line would send it: +4915123456789.")
@click.option("--data", type=click.Path(file_okay=False, path_type=Path), help="Folder to keep records in.")
def command(
    tenant: str, language: str | None, script: Path | None, as_json: bool, now: str | None,
    caller: str | None, data: Path | None,
) -> int:  # fmt: skip
    """Talk to the assistant in text: the same conversation as on the telephone, without sound.

    A line is what the caller says; [silence 6s] and [key 0] are lines too. Without --data the records are
    thrown away at the end, so that trying out books nothing real. Exit code 0: done; 1: not done (a booking
    was begun and not finished, or nothing was understood); 2: wrong use; 3: set-up missing.
    """
    keep = nullcontext(str(data)) if data else tempfile.TemporaryDirectory(prefix="tresen-chat-")
    with keep as folder:
        call = _open_call(tenant, language, now, caller, Path(folder))
        try:
            return asyncio.run(_talk(call, script, as_json))
        finally:
            call.database.close()


async def _talk(call: TextCall, script: Path | None, as_json: bool) -> int:
    from appliance.adapters.console import converse, turn_data, turn_text
    from appliance.conversation.models import Outcome

    greeting = await call.session.greeting()
    if not as_json:
        click.echo(f"assistant  {greeting.text}")
    number = 0
    try:
        async for record in converse(call.session, _lines(script)):
            number += 1
            as_line = json.dumps(turn_data(number, record), ensure_ascii=False) if as_json else None
            click.echo(as_line or turn_text(record, echo=script is not None or not sys.stdin.isatty()))
    finally:
        await call.session.close()
    outcome, records = call.session.outcome, call.records()
    end = {"greeting": greeting.text, "outcome": outcome.value, "records": records}
    if as_json:
        click.echo(json.dumps(end, ensure_ascii=False))
    else:
        written = {table: len(rows) for table, rows in records.items() if rows}
        click.echo(f"outcome    {outcome.value} {written or ''}".rstrip())
    return 1 if outcome in (Outcome.NOT_DONE, Outcome.ABANDONED) else 0


def _lines(script: Path | None) -> Iterable[str]:
    """The lines of a script, of standard input, or of a person at the terminal."""
    if script is not None:
        try:
            return script.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as cause:
            raise UsageError(f"The script {script} can't be read as UTF-8 text: {cause}") from cause
    return _typed() if sys.stdin.isatty() else (line.rstrip("\n") for line in sys.stdin)


def _typed() -> Iterator[str]:
    while True:
        try:
            yield input(PROMPT)
        except EOFError:
            return


def _open_call(
    tenant: str, language: str | None, now: str | None, caller: str | None, data: Path
) -> TextCall:
    """Build one call in text over the real readers and tools, with a database in ``data``."""
    from appliance.brain.policy import FrontDeskBrain
    from appliance.clock import ShiftedClock, SystemClock
    from appliance.config import load_paths
    from appliance.conversation.phrases import load_phrases
    from appliance.conversation.session import ConversationSession
    from appliance.packs.restaurant import RESTAURANT
    from appliance.readers.build import load_readers
    from appliance.storage.database import Database
    from appliance.storage.journal import CallJournal
    from appliance.storage.knowledge.allergens import load_allergens
    from appliance.storage.knowledge.tenant import TenantFiles
    from appliance.storage.schema import CORE
    from appliance.tools.runner import CallTools, Desk
    from appliance.tools.search import Search, load_search_words
    from appliance.tools.texts import load_texts

    knowledge = load_paths().knowledge
    allergens = load_allergens(knowledge / "allergens.yaml")
    files = TenantFiles(knowledge, tenant, allergens)
    found = files.current()
    profile = found.profile
    spoken = language or profile.languages[0]
    if spoken not in profile.languages:
        raise UsageError(f"'{tenant}' speaks {', '.join(profile.languages)}, not '{spoken}'.")
    zone = found.meta.zone
    clock = ShiftedClock(_moment(now).replace(tzinfo=zone)) if now else SystemClock(zone)
    data.mkdir(parents=True, exist_ok=True)
    database = Database(data / "tresen.db", [CORE, RESTAURANT.migrations])
    call_id = f"chat-{uuid4().hex[:12]}"
    journal = CallJournal(data / "calls", call_id, database, lambda line: click.echo(line, err=True))
    desk = Desk(
        files, {tool.name: tool for tool in RESTAURANT.tools}, database,
        load_texts(knowledge / "phrases_tools"), allergens,
        Search(load_search_words(knowledge / "search"), None), clock,
    )  # fmt: skip
    session = ConversationSession(
        profile,
        FrontDeskBrain(profile, RESTAURANT.matters),
        load_readers(load_paths(), profile.languages).cascade(),
        CallTools(desk, journal, call_id=call_id, language=spoken, caller=caller),
        load_phrases(knowledge / "phrases", profile.formality, profile.banned_phrases),
        journal,
        clock,
        caller,
        call_id=call_id,
        language=spoken,
    )
    return TextCall(session, database, call_id)


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"'{text}' is no time. Write it like 2026-12-01T10:00.") from None
