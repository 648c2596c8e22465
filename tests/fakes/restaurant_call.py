"""A call at a made-up restaurant: the real session, brain and phrases over scripted reader and tools."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from appliance.brain.policy import FrontDeskBrain
from appliance.config import CHECKOUT
from appliance.conversation.commands import Command, SetSlot, StartMatter
from appliance.conversation.models import TenantProfile, Turn, TurnRecord, Vocabulary
from appliance.conversation.phrases import PhraseBook, load_phrases
from appliance.conversation.session import ConversationSession
from appliance.packs.restaurant import RESERVATION
from tests.fakes.conversation import HandClock, ListJournal, ScriptedReader, ScriptedTools

PHRASES: PhraseBook = load_phrases(CHECKOUT / "knowledge" / "phrases")
PROFILE = TenantProfile(
    id="adler",
    name="Gasthof Adler",
    languages=("de", "en"),
    formality="sie",
    phone="+492214710412",
    notice="Wie wir mit Daten umgehen, steht auf adler.example.",
    time_zone="Europe/Berlin",
    vocabulary=Vocabulary(dishes=("Schnitzel", "Käsespätzle", "Apfelkuchen")),
    allergens=("Gluten", "Milch", "Sellerie"),
)
NOW = datetime(2026, 12, 1, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
WISH: tuple[Command, ...] = (
    StartMatter("reservation"),
    SetSlot("people", 4, "vier"),
    SetSlot("date", date(2026, 12, 5), "Samstag"),
    SetSlot("time", time(19, 30), "halb acht"),
    SetSlot("name", "Müller", "Müller"),
    SetSlot("phone", "+4915112345678", "0151 12345678"),
)
"""Everything that a reservation needs."""


@dataclass
class ScriptedCall:
    """A call in which the test says what each sentence means."""

    caller: str | None = None
    reader: ScriptedReader = field(default_factory=ScriptedReader)
    tools: ScriptedTools = field(default_factory=ScriptedTools)
    journal: ListJournal = field(default_factory=ListJournal)
    clock: HandClock = field(default_factory=lambda: HandClock(NOW))

    def __post_init__(self) -> None:
        self.session = ConversationSession(
            PROFILE,
            FrontDeskBrain(PROFILE, (RESERVATION,)),
            self.reader,
            self.tools,
            PHRASES,
            self.journal,
            self.clock,
            self.caller,
        )

    async def say(self, text: str, *commands: Command, confidence: float = 1.0) -> TurnRecord:
        """The caller says something that means ``commands``."""
        self.reader.enqueue(*commands)
        return await self.session.take(Turn(text, "de", confidence))

    async def read_back(self) -> TurnRecord:
        """A whole wish in one sentence: the assistant reads it back."""
        return await self.say("Vier Personen, Samstag, halb acht, Müller, 0151 12345678", *WISH)

    @property
    def said(self) -> list[str]:
        """Phrases of the last reply."""
        return [say.phrase for say in self.session.state.last]
