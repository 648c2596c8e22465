"""Pending actions: a write that was read back, bound to its exact values, its call and two minutes."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlite_utils import Database as Sqlite

from appliance.errors import WriteRefused
from appliance.storage.outbox import instant

LIFETIME = timedelta(minutes=2)


@dataclass(frozen=True)
class Intended:
    """What is to be written: the tool with its validated arguments, for a tenant's call."""

    tenant: str
    call_id: str
    tool: str
    arguments: Mapping[str, Any]

    @property
    def canonical(self) -> str:
        """The arguments as JSON in one form: equal values give equal text."""
        return json.dumps(self.arguments, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    @property
    def hash(self) -> str:
        whole = json.dumps([self.tenant, self.call_id, self.tool, self.canonical], ensure_ascii=False)
        return hashlib.sha256(whole.encode()).hexdigest()


@dataclass(frozen=True)
class Granted:
    """The write may happen now, once. ``id`` is its idempotency key."""

    id: str


@dataclass(frozen=True)
class Replayed:
    """This very write has happened already; ``result`` is what it returned then."""

    id: str
    result: Mapping[str, Any]


def propose(db: Sqlite, intended: Intended, now: datetime) -> str:
    """Mint a pending action and return its id. Older ones of the same call are worth nothing from now on."""
    pending_id = f"PA-{secrets.token_urlsafe(18)}"
    db.table("pending_actions").insert(
        {"id": pending_id, "tenant": intended.tenant, "call_id": intended.call_id, "tool": intended.tool,
         "arguments": intended.canonical, "hash": intended.hash, "created_at": instant(now),
         "expires_at": instant(now + LIFETIME)}
    )  # fmt: skip
    return pending_id


def redeem(db: Sqlite, pending_id: str | None, intended: Intended, now: datetime) -> Granted | Replayed:
    """Decide whether the write may happen, inside its own write transaction.

    Raises WriteRefused when there is no pending action of this call for exactly these values, when a newer
    one was minted, or when two minutes have passed. A second yes to a write that has happened is a replay.
    """
    if not pending_id:
        raise WriteRefused("missing: a write needs a pending action; read the values back and propose them.")
    row = next(db.query("select * from pending_actions where id = ?", [pending_id]), None)
    if row is None:
        raise WriteRefused("unknown: there is no such pending action.")
    if (row["tenant"], row["call_id"]) != (intended.tenant, intended.call_id):
        raise WriteRefused("other_call: the pending action belongs to another call.")
    if not secrets.compare_digest(row["hash"], intended.hash):
        raise WriteRefused("changed: the values are not those that were read back.")
    if row["redeemed_at"]:
        return Replayed(pending_id, json.loads(row["result"]))
    if _is_superseded(db, row["call_id"], row["number"]):
        raise WriteRefused("superseded: the values were read back again since.")
    if not instant(now - LIFETIME) < row["created_at"] <= instant(now + LIFETIME):
        raise WriteRefused("expired: the read-back is more than two minutes old.")
    return Granted(pending_id)


def mark_redeemed(db: Sqlite, granted: Granted, result: Mapping[str, Any], now: datetime) -> None:
    """Use the action up, in the transaction of the write itself."""
    db.execute(
        "update pending_actions set redeemed_at = ?, result = ? where id = ?",
        [instant(now), json.dumps(result, ensure_ascii=False), granted.id],
    )


def _is_superseded(db: Sqlite, call_id: str, number: int) -> bool:
    newest = db.execute("select max(number) from pending_actions where call_id = ?", [call_id]).fetchone()[0]
    return bool(newest != number)
