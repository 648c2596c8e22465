"""Messages to the owner: written in the same transaction as the record they tell of, delivered later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlite_utils import Database as Sqlite

Urgency = Literal["low", "normal", "high"]


@dataclass(frozen=True)
class Message:
    """A message that waits. ``payload`` holds all slots; its words are formed at delivery."""

    id: int
    tenant: str
    kind: str
    """``reservation``, ``escalation``, ``alert``, …"""
    about: str
    """Id of the record that it tells of."""
    urgency: Urgency
    payload: Mapping[str, Any]
    created_at: datetime
    attempts: int
    last_error: str | None


def enqueue(
    db: Sqlite,
    *,
    tenant: str,
    kind: str,
    about: str,
    urgency: Urgency,
    payload: Mapping[str, Any],
    now: datetime,
) -> None:
    """Add a message, due at once. ``db`` is the open write transaction of the record itself."""
    at = instant(now)
    db.table("outbox").insert(
        {"tenant": tenant, "kind": kind, "about": about, "urgency": urgency, "created_at": at, "due_at": at,
         "payload": json.dumps(payload, ensure_ascii=False), "attempts": 0}
    )  # fmt: skip


def list_due(db: Sqlite, now: datetime, limit: int = 100) -> list[Message]:
    """Unsent messages whose time has come: urgent ones first, then the oldest."""
    rows = db.query(
        "select * from outbox where sent_at is null and due_at <= ? "
        "order by case urgency when 'high' then 0 when 'normal' then 1 else 2 end, id limit ?",
        [instant(now), limit],
    )
    return [
        Message(
            row["id"], row["tenant"], row["kind"], row["about"], row["urgency"], json.loads(row["payload"]),
            datetime.fromisoformat(row["created_at"]), row["attempts"], row["last_error"],
        )
        for row in rows
    ]  # fmt: skip


def mark_sent(db: Sqlite, message_id: int, now: datetime) -> None:
    """The message was delivered and is never due again."""
    db.execute("update outbox set sent_at = ? where id = ? and sent_at is null", [instant(now), message_id])


def mark_failed(db: Sqlite, message_id: int, error: str, retry_at: datetime) -> None:
    """A delivery failed; the message is due again at ``retry_at``."""
    db.execute(
        "update outbox set attempts = attempts + 1, last_error = ?, due_at = ? "
        "where id = ? and sent_at is null",
        [error, instant(retry_at), message_id],
    )


def instant(at: datetime) -> str:
    """A moment as UTC text to the millisecond, so that text order is time order. ``at`` is aware."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds")
