"""Values of ours as JSON-ready data, for the record and the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from enum import Enum
from typing import Any


def plain(value: Any) -> Any:
    """Dataclasses, enums, dates and containers as JSON-ready data; a time of day as ``HH:MM``."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, time):
        return f"{value:%H:%M}"
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return value


def named(value: Any) -> dict[str, Any]:
    """A dataclass as data, with its class name under ``is``: ``{"is": "SetSlot", "slot": …}``."""
    return {"is": type(value).__name__, **plain(value)}
