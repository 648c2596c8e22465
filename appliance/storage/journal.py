"""A call's record: ``<call-id>.jsonl``, one event a line, on disk as it happens (R-50)."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from appliance.conversation.events import CallEnded, CallStarted, Event
from appliance.conversation.models import Outcome
from appliance.errors import StorageError, UsageError
from appliance.storage.database import Database
from appliance.storage.outbox import instant

CALL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
ADAPTERS: dict[str, TypeAdapter[Any]] = {kind.__name__: TypeAdapter(kind) for kind in get_args(Event)}


class CallJournal:
    """Implements :class:`appliance.conversation.ports.Journal` for one call.

    A lock on the file lives as long as the writer, so that the next start can tell a cut call from one that
    is going on in another process. When nothing can be written, the call goes on: ``warn`` is called once
    with a sentence for the owner, and later events are tried again.
    """

    def __init__(self, folder: Path, call_id: str, database: Database, warn: Callable[[str], None]) -> None:
        if not CALL_ID.fullmatch(call_id):
            raise UsageError(f"'{call_id}' is no call id: use letters, digits, '-', '_' and '.'.")
        self.path = folder / f"{call_id}.jsonl"
        self._call_id = call_id
        self._database = database
        self._warn = warn
        self._warned = False
        self._file: int | None = None

    def write(self, event: Event) -> None:
        try:
            _append(self._open(), encode(event))
        except OSError as cause:
            self._trouble(f"The record of call {self._call_id} can't be written: {cause.strerror or cause}.")
        try:
            record_call(self._database, self._call_id, event)
        except StorageError as cause:
            self._trouble(cause.message)

    def close(self) -> None:
        """Release the file. A call without a CallEnded event counts as cut."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> int:
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(file)
                raise
            self._file = file
        return self._file

    def _trouble(self, sentence: str) -> None:
        if not self._warned:
            self._warned = True
            self._warn(f"{sentence} The call goes on; its record has gaps.")


def encode(event: Event) -> str:
    """One line of JSON, without its line end."""
    name = type(event).__name__
    fields = ADAPTERS[name].dump_python(event, mode="json")
    return json.dumps({"event": name, **fields}, ensure_ascii=False, separators=(",", ":"))


def decode(line: str) -> Event:
    """The event of a line. Raises StorageError when the line is not one."""
    try:
        fields = json.loads(line)
        event: Event = ADAPTERS[fields.pop("event")].validate_python(fields)
    except (ValueError, KeyError, AttributeError, TypeError, ValidationError) as cause:
        raise StorageError("This line of a call's record is no event of this version of Tresen.") from cause
    return event


def load(path: Path) -> list[Event]:
    """All events of a call's record. A last line that a crash cut off is left out."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as cause:
        raise StorageError(f"The record {path} can't be read: {cause.strerror or cause}.") from cause
    return [decode(line) for line in lines[:-1] if line]


def record_call(database: Database, call_id: str, event: Event) -> None:
    """Keep the call's row in the database: made at its start, closed at its end."""
    if isinstance(event, CallStarted):
        row = {"id": call_id, "tenant": event.tenant, "channel": event.channel, "language": event.language,
               "started_at": instant(event.at)}  # fmt: skip
        with database.write() as db:
            db.table("calls").insert(row, ignore=True)
    elif isinstance(event, CallEnded):
        with database.write() as db:
            db.execute(
                "update calls set ended_at = ?, outcome = ?, duration_seconds = ? "
                "where id = ? and ended_at is null",
                [instant(event.at), event.outcome, event.duration_seconds, call_id],
            )


def close_cut_calls(folder: Path, database: Database, now: datetime) -> list[str]:
    """Close the records of calls that a crash cut as ``abandoned``; returns their ids. Run at every start."""
    closed = []
    for path in sorted(folder.glob("*.jsonl")):
        for file in _locked(path):
            _cut_to_whole_lines(path, file)
            events = load(path)
            if not events or isinstance(events[-1], CallEnded):
                continue
            duration = max(0.0, (events[-1].at - events[0].at).total_seconds())
            end = CallEnded(at=now, outcome=Outcome.ABANDONED, duration_seconds=duration)
            _append(file, encode(end))
            record_call(database, path.stem, end)
            closed.append(path.stem)
    return closed


def _locked(path: Path) -> Iterator[int]:
    """The open file, if no other writer lives; nothing otherwise."""
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield file
    except BlockingIOError:
        return
    finally:
        os.close(file)


def _cut_to_whole_lines(path: Path, file: int) -> None:
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole != len(content):
        os.ftruncate(file, whole)


def _append(file: int, line: str) -> None:
    """Write a whole line or nothing of it."""
    data = f"{line}\n".encode()
    before = os.fstat(file).st_size
    try:
        written = os.write(file, data)
    except OSError:
        os.ftruncate(file, before)
        raise
    if written != len(data):
        os.ftruncate(file, before)
        raise OSError(28, "No space left on device")
