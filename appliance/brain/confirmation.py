"""A yes belongs to exactly the values that were read back, for two minutes, once (R-23)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any

from appliance.brain.said import Said
from appliance.conversation.state import Pending

LIFETIME = timedelta(minutes=2)


class Verdict(Enum):
    """What a turn means for a pending action."""

    REDEEM = auto()
    """A clear yes to these values, in time."""
    READ_AGAIN = auto()
    """The values changed, the time is over, or something was asked in between."""
    NO = auto()
    UNCLEAR = auto()
    """Neither yes nor no nor a change: ask once more."""


def verdict(
    pending: Pending, said: Said, now_wanted: Mapping[str, Any] | None, now: datetime, *, changed: bool
) -> Verdict:
    """Decide what the caller's turn does. ``now_wanted``: the arguments as they are after the turn, None when
    a value is missing; ``changed``: the turn changed or took back a value."""
    if changed or now_wanted != pending.arguments or said.facts or said.ambiguous:
        return Verdict.READ_AGAIN
    if said.affirms:
        return Verdict.REDEEM if is_in_time(pending, now) else Verdict.READ_AGAIN
    return Verdict.NO if said.denies else Verdict.UNCLEAR


def is_in_time(pending: Pending, now: datetime) -> bool:
    """Whether the read-back is young enough; a clock that was set back does not make it older or younger."""
    return timedelta(0) <= now - pending.minted < LIFETIME
