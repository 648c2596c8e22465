"""Runs the tools of one call: validate, authorise, redeem, execute, record."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError
from sqlite_utils import Database as Sqlite

from appliance.clock import Clock
from appliance.conversation.events import SecurityEvent, ToolRan
from appliance.conversation.models import Effect, ToolCall, ToolResult
from appliance.conversation.ports import Journal
from appliance.errors import KnowledgeError, StorageError, UsageError, WriteRefused
from appliance.storage.database import Database
from appliance.storage.knowledge.allergens import Allergens
from appliance.storage.knowledge.tenant import TenantFiles
from appliance.storage.outbox import instant
from appliance.storage.pending_actions import Intended, Replayed, mark_redeemed, propose, redeem
from appliance.tools.front_desk import searchable
from appliance.tools.search import Search
from appliance.tools.texts import Texts
from appliance.tools.tool import Answer, Arguments, Scope, Tool

LONGEST_CALL = timedelta(minutes=60)


@dataclass(frozen=True)
class Desk:
    """What all calls of a tenant share."""

    files: TenantFiles
    tools: Mapping[str, Tool[Any]]
    database: Database
    texts: Mapping[str, Texts]
    allergens: Allergens
    search: Search
    clock: Clock

    def warm(self) -> None:
        """Have the search ready in all the tenant's languages; takes seconds the first time."""
        tenant = self.files.current()
        for language in tenant.meta.languages:
            if language in self.texts:
                self.search.warm(searchable(tenant, language, self.texts[language]))


class CallTools:
    """Implements :class:`appliance.conversation.ports.ToolRunner` for one call.

    Business reasons and faults of files or database come back as results that are not ok; only a write
    without a valid pending action raises (WriteRefused), and ``propose`` when it can't be stored.
    ``language`` may be set while the call is going on. Events go to ``journal``: ToolRan for every run, and
    SecurityEvent for every refused write (which is kept in the database too).
    """

    def __init__(
        self, desk: Desk, journal: Journal, *, call_id: str, language: str, caller: str | None = None
    ) -> None:
        self.language = language
        self._desk = desk
        self._journal = journal
        self._call_id = call_id
        self._caller = caller
        self._started = desk.clock.now()
        default = desk.files.current().meta.default_language
        self._default_texts = desk.texts.get(default) or desk.texts["en"]

    async def run(self, call: ToolCall) -> ToolResult:
        started = time.perf_counter()
        try:
            answer = await asyncio.to_thread(self._answer, call)
        except KnowledgeError:
            answer = Answer({"text": self._texts.say("not_available")}, "not_available")
        except WriteRefused as refused:
            await asyncio.to_thread(self._report, call.tool, refused)
            raise
        seconds = time.perf_counter() - started
        result = ToolResult(call.tool, answer.error is None, answer.data, answer.error, seconds)
        self._journal.write(
            ToolRan(
                self._desk.clock.now(),
                call.tool,
                call.arguments,
                result.ok,
                result.data,
                result.error,
                seconds,
            )
        )
        return result

    async def propose(self, tool: str, arguments: Mapping[str, Any], now: datetime) -> str:
        """Mint a pending action. Raises UsageError for arguments that the tool would not take."""
        known = self._desk.tools.get(tool)
        if known is None or known.effect is not Effect.WRITE:
            raise UsageError(f"'{tool}' is no tool that writes, so nothing is pending for it.")
        try:
            intended = self._intended(known, self._validated(known, arguments))
        except ValidationError as wrong:
            raise UsageError(
                f"'{tool}' would not take these arguments: {', '.join(_problems(wrong))}."
            ) from wrong
        return await asyncio.to_thread(self._propose, intended, now)

    def _propose(self, intended: Intended, now: datetime) -> str:
        with self._desk.database.write() as db:
            return propose(db, intended, now)

    def _answer(self, call: ToolCall) -> Answer:
        tool = self._desk.tools.get(call.tool)
        if tool is None:
            return Answer({"text": self._texts.say("no_such_tool")}, "unknown_tool")
        if tool.effect is Effect.WRITE and not call.pending_action:
            raise WriteRefused(
                "missing: a write needs a pending action; read the values back and propose them."
            )
        if self._desk.clock.now() - self._started > LONGEST_CALL and tool.effect in (
            Effect.READ,
            Effect.WRITE,
        ):
            return Answer({"text": self._texts.say("call_too_long")}, "call_too_long")
        try:
            arguments = self._validated(tool, call.arguments)
        except ValidationError as wrong:
            return Answer(
                {"problems": _problems(wrong), "text": self._texts.say("not_taken")}, "invalid_arguments"
            )
        try:
            return self._execute(tool, arguments, call.pending_action)
        except StorageError:
            return self._without_storage(tool)

    def _execute(self, tool: Tool[Any], arguments: Arguments, pending_id: str | None) -> Answer:
        database = self._desk.database
        if tool.effect not in (Effect.WRITE, Effect.ESCALATE):
            with contextlib.ExitStack() as stack:
                return tool.run(self._scope(lambda: stack.enter_context(database.read())), arguments)
        with database.write() as db:
            if tool.effect is Effect.ESCALATE:
                return tool.run(self._scope(lambda: db), arguments)
            now = self._desk.clock.now()
            permit = redeem(db, pending_id, self._intended(tool, arguments), now)
            if isinstance(permit, Replayed):
                return Answer(permit.result)
            answer = tool.run(self._scope(lambda: db, key=permit.id), arguments)
            if answer.error is None:
                mark_redeemed(db, permit, answer.data, now)
            return answer

    def _without_storage(self, tool: Tool[Any]) -> Answer:
        """The database did nothing; a caller who needs a person gets the number of one."""
        phone = self._desk.files.current().meta.phone
        if tool.effect is Effect.ESCALATE:
            text = self._texts.say("escalated_human_line", phone=phone)
            return Answer({"id": None, "way": "human_line", "phone": phone, "text": text}, "storage")
        return Answer({"text": self._texts.say("storage", phone=phone)}, "storage")

    def _report(self, tool: str, refused: WriteRefused) -> None:
        now = self._desk.clock.now()
        event = SecurityEvent(now, WriteRefused.code, f"{tool}: {refused.message}")
        self._journal.write(event)
        row = {"at": instant(now), "tenant": self._desk.files.id, "call_id": self._call_id,
               "code": event.code, "detail": event.detail}  # fmt: skip
        with contextlib.suppress(StorageError), self._desk.database.write() as db:
            db.table("security_events").insert(row)

    def _scope(self, connect: Callable[[], Sqlite], key: str = "") -> Scope:
        desk = self._desk
        return Scope(
            desk.files.current(), self._call_id, self.language, desk.clock.now(), connect, self._texts,
            desk.allergens, desk.search, self._caller, key,
        )  # fmt: skip

    def _intended(self, tool: Tool[Any], arguments: Arguments) -> Intended:
        return Intended(self._desk.files.id, self._call_id, tool.name, arguments.model_dump(mode="json"))

    def _validated(self, tool: Tool[Any], arguments: Mapping[str, Any]) -> Arguments:
        country = self._desk.files.current().meta.address.country
        validated: Arguments = tool.arguments.model_validate(dict(arguments), context={"country": country})
        return validated

    @property
    def _texts(self) -> Texts:
        return self._desk.texts.get(self.language) or self._default_texts


def _problems(wrong: ValidationError) -> list[str]:
    """What is wrong, without the values, which may be personal."""
    return [f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in wrong.errors()]
