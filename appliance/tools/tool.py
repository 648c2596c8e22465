"""What a tool is: a name, a strict argument model, an effect, and a function over a scope."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict
from sqlite_utils import Database as Sqlite

from appliance.conversation.models import Effect
from appliance.storage.knowledge.allergens import Allergens
from appliance.storage.knowledge.tenant import Tenant
from appliance.tools.search import Search
from appliance.tools.texts import Texts

ID_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Without 0, O, 1 and I, which people mix up."""


class Arguments(BaseModel):
    """Base of every argument model: unknown keys are refused, numbers are numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, str_strip_whitespace=True)


A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True)
class Answer:
    """What a tool found or did: JSON-ready, with ``text`` in the call's language. ``error``: why not."""

    data: Mapping[str, Any]
    error: str | None = None


@dataclass(frozen=True)
class Scope:
    """What a tool may use during one run."""

    tenant: Tenant
    call_id: str
    language: str
    now: datetime
    """The business's local time, aware."""
    connect: Callable[[], Sqlite]
    """Begins the transaction of this run, or returns it; use ``db``."""
    texts: Texts
    allergens: Allergens
    search: Search
    caller: str | None = None
    """The caller's number from the line, if it was sent."""
    key: str = ""
    """Idempotency key of a write."""

    @cached_property
    def db(self) -> Sqlite:
        """Inside the transaction of this run: that of the write, or one that only reads.

        A tool that only reads begins it at its first use, so that a search holds nobody up.
        """
        return self.connect()

    @property
    def local_now(self) -> datetime:
        """The business's time without its zone."""
        return self.now.astimezone(self.tenant.meta.zone).replace(tzinfo=None)


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A tool. ``about`` tells models and other clients, in English, what it does."""

    name: str
    about: str
    effect: Effect
    arguments: type[A]
    run: Callable[[Scope, A], Answer] = field(repr=False)


def new_id(prefix: str, is_free: Callable[[str], bool]) -> str:
    """A fresh id such as ``RES-7K3M9Q`` (R-14)."""
    while True:
        candidate = f"{prefix}-{''.join(secrets.choice(ID_LETTERS) for _ in range(6))}"
        if is_free(candidate):
            return candidate
