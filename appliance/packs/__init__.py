"""Trades: each pack declares its tools, its matters and its tables. Packs do not know each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlite_utils.migrations import Migrations

from appliance.conversation.models import Matter
from appliance.tools.tool import Tool


@dataclass(frozen=True)
class Pack:
    """What a trade brings along."""

    name: str
    tools: tuple[Tool[Any], ...]
    matters: tuple[Matter, ...]
    migrations: Migrations
