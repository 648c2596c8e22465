"""Tables that every pack shares: calls, pending actions, escalations, outbox, security events."""

from __future__ import annotations

from sqlite_utils import Database as Sqlite
from sqlite_utils.migrations import Migrations

CORE = Migrations("core")


@CORE()
def calls_and_what_they_leave(db: Sqlite) -> None:
    """The first shape. Times are ISO 8601 with offset; arguments, results and payloads are JSON."""
    db.create_table(
        "calls",
        {"id": str, "tenant": str, "channel": str, "language": str, "started_at": str, "ended_at": str,
         "outcome": str, "duration_seconds": float},
        pk="id", not_null={"tenant", "channel", "language", "started_at"},
    )  # fmt: skip
    db.create_table(
        "pending_actions",
        {"number": int, "id": str, "tenant": str, "call_id": str, "tool": str, "arguments": str, "hash": str,
         "created_at": str, "expires_at": str, "redeemed_at": str, "result": str},
        pk="number",
        not_null={"id", "tenant", "call_id", "tool", "arguments", "hash", "created_at", "expires_at"},
    ).create_index(["id"], unique=True).create_index(["call_id"])  # fmt: skip
    db.create_table(
        "escalations",
        {"id": str, "tenant": str, "call_id": str, "reason": str, "summary": str, "urgency": str, "way": str,
         "phone": str, "created_at": str},
        pk="id", not_null={"tenant", "call_id", "reason", "summary", "urgency", "way", "created_at"},
    ).create_index(["call_id", "reason"], unique=True)  # fmt: skip
    db.create_table(
        "outbox",
        {"id": int, "tenant": str, "kind": str, "about": str, "urgency": str, "payload": str,
         "created_at": str, "due_at": str, "attempts": int, "last_error": str, "sent_at": str},
        pk="id", not_null={"tenant", "kind", "about", "urgency", "payload", "created_at", "due_at"},
        defaults={"attempts": 0},
    ).create_index(["sent_at", "due_at"])  # fmt: skip
    db.create_table(
        "security_events",
        {"id": int, "at": str, "tenant": str, "call_id": str, "code": str, "detail": str},
        pk="id", not_null={"at", "tenant", "call_id", "code", "detail"},
    )  # fmt: skip
