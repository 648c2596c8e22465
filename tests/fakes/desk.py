"""A desk with the real tools and database, a clock that is set by hand, a journal that is a list."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from appliance.config import CHECKOUT
from appliance.conversation.events import Event
from appliance.packs.restaurant import RESTAURANT
from appliance.storage.database import Database
from appliance.storage.knowledge.allergens import load_allergens
from appliance.storage.knowledge.tenant import TenantFiles
from appliance.storage.schema import CORE
from appliance.tools.runner import CallTools, Desk
from appliance.tools.search import Search, load_search_words
from appliance.tools.texts import load_texts

KNOWLEDGE = CHECKOUT / "knowledge"
ALLERGENS = load_allergens(KNOWLEDGE / "allergens.yaml")
TEXTS = load_texts(KNOWLEDGE / "phrases_tools")
WORDS = load_search_words(KNOWLEDGE / "search")
TUESDAY = datetime(2026, 12, 1, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))


@dataclass
class HandClock:
    """Stands still until it is set."""

    at: datetime = TUESDAY

    def now(self) -> datetime:
        return self.at


@dataclass
class ListJournal:
    """Keeps events in a list."""

    events: list[Event] = field(default_factory=list)

    def write(self, event: Event) -> None:
        self.events.append(event)


def copy_tenant(tenant: str, to: Path) -> Path:
    """A copy of a tenant's folder that a test may edit; returns the knowledge root."""
    shutil.copytree(KNOWLEDGE / tenant, to / "knowledge" / tenant)
    return to / "knowledge"


def make_desk(folder: Path, tenant: str = "aylem", root: Path | None = None) -> Desk:
    """A desk whose database is in ``folder``; several over one folder share it, as processes do."""
    return Desk(
        TenantFiles(root or KNOWLEDGE, tenant, ALLERGENS),
        {tool.name: tool for tool in RESTAURANT.tools},
        Database(folder / "tresen.db", [CORE, RESTAURANT.migrations]),
        TEXTS,
        ALLERGENS,
        Search(WORDS, None),
        HandClock(),
    )


def make_call(desk: Desk, call_id: str = "call-1", language: str = "de") -> tuple[CallTools, ListJournal]:
    """A call's tools and its journal."""
    journal = ListJournal()
    return CallTools(desk, journal, call_id=call_id, language=language), journal
