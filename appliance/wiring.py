"""The only place that builds objects and joins layers: a box with its engines, and calls on it."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from appliance import __version__
from appliance.brain.policy import FrontDeskBrain
from appliance.clock import Clock, ShiftedClock, SystemClock
from appliance.config import Paths
from appliance.conversation.models import Say, TenantProfile
from appliance.conversation.phrases import PhraseBook, load_phrases
from appliance.conversation.ports import Reader
from appliance.conversation.session import ConversationSession
from appliance.conversation.speaking import Speaker
from appliance.engines.supervisor import EngineSpec, Supervisor
from appliance.errors import UsageError
from appliance.language_model.client import LanguageModel, llm_engine
from appliance.model_store.choice import chosen_profile
from appliance.model_store.manifest import Profile, load_manifest
from appliance.model_store.store import ModelStore
from appliance.packs import Pack
from appliance.packs.restaurant import RESTAURANT
from appliance.readers.build import Readers, load_readers
from appliance.readers.candidates import SlotCandidates
from appliance.readers.embedding import SentenceEmbedder
from appliance.readers.second_opinion import Readable, Scope, SecondOpinion
from appliance.readers.understanding_prompt import UnderstandingPrompt, load_prompt
from appliance.speech.phrase_cache import PhraseCache
from appliance.speech.stt import SpeechToText, stt_engine
from appliance.speech.tts import TextToSpeech, tts_engine
from appliance.speech.voices import choose_voices, load_chains, on_this_box
from appliance.storage.database import Database
from appliance.storage.journal import CallJournal, close_cut_calls
from appliance.storage.knowledge.allergens import load_allergens
from appliance.storage.knowledge.tenant import TenantFiles, list_tenants
from appliance.storage.schema import CORE
from appliance.storage.vectors import VECTORS, VectorStore
from appliance.tools.runner import CallTools, Desk
from appliance.tools.search import Search, load_search_words
from appliance.tools.texts import load_texts

TOPICS = ("hours", "menu", "allergens", "price", "services", "knowledge")
TABLES = ("reservations", "escalations")
WISHES = {"reservation": "book"}
"""Matter -> the word by which the language model names it."""
MOMENT = "moment"
"""Phrase that is spoken while an engine comes back."""
PING_PAUSE = 0.1
RECOVERY = 20.0
"""Seconds in which a dead engine must be back before its part of the call is given up."""


@dataclass(frozen=True)
class Call:
    """One call's own objects."""

    id: str
    session: ConversationSession
    journal: CallJournal

    async def close(self) -> None:
        """End the record and release the file."""
        await self.session.close()
        self.journal.close()


@dataclass(frozen=True)
class Business:
    """A tenant on this box: what all its calls share."""

    profile: TenantProfile
    pack: Pack
    desk: Desk
    phrases: PhraseBook
    clock: Clock


class Appliance:
    """A box. Build it with :func:`open_appliance`; engines run while it is open."""

    def __init__(
        self,
        paths: Paths,
        records: Path,
        profile: Profile,
        database: Database,
        readers: Readers,
        supervisor: Supervisor | None,
    ) -> None:
        """``records``: folder of the database and the calls."""
        self.paths = paths
        self.records = records
        self.profile = profile
        self.database = database
        self.readers = readers
        self.supervisor = supervisor
        self._prompts: dict[str, UnderstandingPrompt] = {}
        self._model: LanguageModel | None = None

    async def hold_prompts(self, model: LanguageModel, languages: tuple[str, ...]) -> None:
        """Have the language model's prompts evaluated before the first call."""
        candidates = SlotCandidates(self.readers.normalisers)
        for language in languages:
            prompt = load_prompt(self.paths.knowledge / "prompts", language, candidates)
            await model.hold(prompt.prefix)
            self._prompts[language] = prompt
        self._model = model

    @property
    def hearing(self) -> SpeechToText:
        return SpeechToText(self._engines.client("stt"))

    def voice(self, languages: tuple[str, ...]) -> TextToSpeech:
        """The voices of these languages. Raises SetupError when one has none."""
        chains = load_chains(self.paths.checkout / "models" / "voices.toml")
        chosen = choose_voices(languages, chains, on_this_box(self.paths.models))
        return TextToSpeech(self._engines.client("tts"), PhraseCache(self.paths.data / "phrases"), chosen)

    def call(
        self,
        business: Business,
        channel: str,
        language: str | None = None,
        caller: str | None = None,
        warn: Callable[[str], None] = lambda _: None,
    ) -> Call:
        """A new call for a business. Raises UsageError for a language that it does not speak."""
        spoken = language or business.profile.languages[0]
        if spoken not in business.profile.languages:
            known = ", ".join(business.profile.languages)
            raise UsageError(f"{business.profile.id} does not speak '{spoken}'. It speaks: {known}.")
        now = business.clock.now()
        call_id = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        journal = CallJournal(self.records / "calls", call_id, self.database, warn)
        tools = CallTools(business.desk, journal, call_id=call_id, language=spoken, caller=caller)
        session = ConversationSession(
            business.profile,
            FrontDeskBrain(business.profile, business.pack.matters),
            self.readers.cascade(self._second_opinion(business, call_id)),
            tools,
            business.phrases,
            journal,
            business.clock,
            caller,
            call_id=call_id,
            channel=channel,
            language=spoken,
            versions=self.versions,
        )
        return Call(call_id, session, journal)

    async def recovered(self, engine: str) -> bool:
        """Wait until a restarted engine answers; False when it does not in RECOVERY seconds."""
        client = self._engines.client(engine)
        for _ in range(int(RECOVERY / PING_PAUSE)):
            if await client.ping():
                return True
            await asyncio.sleep(PING_PAUSE)
        return False

    def written(self, call_id: str) -> dict[str, list[dict[str, Any]]]:
        """Rows that a call wrote, by table."""
        with self.database.read() as db:
            return {
                table: [dict(row) for row in db.query(f"select * from {table} where call_id = ?", [call_id])]
                for table in TABLES
            }

    @property
    def versions(self) -> dict[str, str]:
        """Software and models, for the record."""
        return {"tresen": __version__, "stt": self.profile.stt, "llm": self.profile.llm}

    def _second_opinion(self, business: Business, call_id: str) -> Reader | None:
        if self._model is None:
            return None
        normalisers = self.readers.normalisers
        matters = {WISHES[matter.name]: matter for matter in business.pack.matters}
        return SecondOpinion(
            self._model,
            self._prompts,
            Scope(matters, TOPICS),
            Readable(normalisers.values, SlotCandidates(normalisers)),
            sequence=call_id,
        )

    @property
    def _engines(self) -> Supervisor:
        if self.supervisor is None:
            raise UsageError("This box was opened without engines.")
        return self.supervisor


def open_business(
    paths: Paths, database: Database, embedder: SentenceEmbedder | None, tenant: str, now: datetime | None
) -> Business:
    """A tenant from its files. Raises UsageError, KnowledgeError.

    ``now``: where the business's clock starts; None: the machine's time. Without ``embedder`` questions are
    answered by words alone.
    """
    root = paths.knowledge
    if tenant not in (known := list_tenants(root)):
        raise UsageError(f"There is no tenant '{tenant}'. Known are: {', '.join(known)}.")
    allergens = load_allergens(root / "allergens.yaml")
    files = TenantFiles(root, tenant, allergens)
    profile = files.current().profile
    zone = ZoneInfo(profile.time_zone)
    clock: Clock = SystemClock(zone) if now is None else ShiftedClock(_zoned(now, zone))
    shelf = VectorStore(Database(paths.cache / "vectors.db", [VECTORS]), "multilingual-e5-small-q4")
    words = load_search_words(root / "search")
    search = Search(words, embedder, shelf) if embedder is not None else Search(words, None)
    desk = Desk(
        files,
        {tool.name: tool for tool in RESTAURANT.tools},
        database,
        load_texts(root / "phrases_tools"),
        allergens,
        search,
        clock,
    )
    phrases = load_phrases(root / "phrases", profile.formality, profile.banned_phrases)
    return Business(profile, RESTAURANT, desk, phrases, clock)


def open_database(folder: Path) -> Database:
    """The box's database, migrated. Raises StorageError."""
    folder.mkdir(parents=True, exist_ok=True)
    return Database(folder / "tresen.db", [CORE, RESTAURANT.migrations])


@contextlib.asynccontextmanager
async def open_appliance(
    paths: Paths,
    tenant: str,
    *,
    engines: tuple[str, ...],
    languages: tuple[str, ...] | None = None,
    records: Path | None = None,
    now: datetime | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> AsyncIterator[tuple[Appliance, Business]]:
    """Open the box for one tenant with the engines named (``stt``, ``tts``, ``language_model``).

    ``languages``: those to be ready for; default: all that the tenant speaks. ``records``: folder of the
    database and the calls; default: the data folder. ``now``: where the business's clock starts. Everything
    is ready and warm when the context begins. Raises SetupError, KnowledgeError, StorageError, UsageError.
    """
    manifest = load_manifest(paths.checkout / "models" / "manifest.toml")
    profile = manifest.profile(chosen_profile(paths.data, manifest))
    store = ModelStore(paths.models, manifest)
    folder = records or paths.data
    database = open_database(folder)
    embedder = SentenceEmbedder()
    business = open_business(paths, database, embedder, tenant, now)
    spoken = languages or business.profile.languages
    close_cut_calls(folder / "calls", database, business.clock.now())
    readers = await asyncio.to_thread(lambda: load_readers(paths, spoken, embedder=embedder))
    specs = tuple(_spec(name, paths, profile, store, spoken) for name in engines)
    supervisor = Supervisor(specs, paths.data / "logs", tell) if specs else None
    appliance = Appliance(paths, folder, profile, database, readers, supervisor)
    warming = asyncio.create_task(asyncio.to_thread(business.desk.warm))
    try:
        if supervisor is not None:
            await supervisor.start()
        if "language_model" in engines:
            tell("language model: reading its instructions")
            await appliance.hold_prompts(LanguageModel(appliance._engines.client("language_model")), spoken)
        await warming
        yield appliance, business
    finally:
        if not warming.done():
            warming.cancel()
        if supervisor is not None:
            await supervisor.stop()
        database.close()


def _spec(
    name: str, paths: Paths, profile: Profile, store: ModelStore, languages: tuple[str, ...]
) -> EngineSpec:
    """How to start an engine; its model must be on the disk, and good."""
    match name:
        case "stt":
            store.require(profile.stt)
            return stt_engine(profile.stt)
        case "language_model":
            store.require(profile.llm)
            return llm_engine(paths, profile.llm)
        case "tts":
            return tts_engine(languages)
        case _:
            raise UsageError(f"There is no engine '{name}'. Known are stt, tts and language_model.")


def greeting(business: Business, language: str) -> str:
    """What the business's callers hear first; the same every time, so its audio can be made before."""
    brain = FrontDeskBrain(business.profile, business.pack.matters)
    return Speaker(business.profile, business.phrases, brain).greeting(language)


def moment(business: Business, language: str) -> str:
    """What is said while an engine comes back."""
    return business.phrases.render([Say(MOMENT, {}, 0)], language, 0)


def _zoned(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)
