"""Reads dialogues from YAML and holds them with the whole core over the real tools and a real database.

A file holds ``dialogues``; each has ``name``, ``rules`` (ids of the specification), ``language``, ``caller``
(number from the line), ``formality``, ``only`` (``scripted``: the words alone would not do), ``unread``
(why the trained readers fail at it), ``before``
(``reservations`` of other callers), ``turns`` and ``end``.

A turn is ``say`` (with ``confidence``), ``silence`` (seconds) or ``key``; ``wait`` lets seconds pass before.
``means`` is what the scripted reader answers, ``then`` what it answers when it is asked again in another
language; ``meanwhile`` are reservations of others that come in before. Expected are ``tools`` (exactly
these, in order), ``phrases`` (each among those said), ``text`` (each in the reply), ``ends`` and ``absent``
(the same kinds, which must not be there). ``end`` compares ``reservations`` and ``escalations`` in the
database, and ``outcome``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from pathlib import Path
from typing import Any

import yaml

from appliance.brain.policy import FrontDeskBrain
from appliance.config import CHECKOUT
from appliance.conversation.commands import (
    Affirm,
    AmbiguousSlot,
    AskFact,
    AskPerson,
    Cancel,
    ClearSlot,
    Command,
    Deny,
    Goodbye,
    Greet,
    NotUnderstood,
    Repeat,
    SetSlot,
    SlotValue,
    StartMatter,
    Thank,
    Wait,
)
from appliance.conversation.events import AssistantSaid
from appliance.conversation.models import ToolCall, Turn, TurnRecord
from appliance.conversation.phrases import load_phrases
from appliance.conversation.ports import Reader
from appliance.conversation.session import ConversationSession
from appliance.packs.restaurant import RESERVATION
from appliance.tools.runner import CallTools, Desk
from tests.fakes.conversation import HandClock, ListJournal, ScriptedReader
from tests.fakes.desk import TUESDAY, make_desk

PHRASES = CHECKOUT / "knowledge" / "phrases"
PLAIN: Mapping[str, Command] = {
    "yes": Affirm(),
    "no": Deny(),
    "cancel": Cancel(),
    "repeat": Repeat(),
    "wait": Wait(),
    "thanks": Thank(),
    "hello": Greet(),
    "bye": Goodbye(),
    "nothing": NotUnderstood(),
}


@dataclass(frozen=True)
class Dialogue:
    """One dialogue of a file."""

    file: str
    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        return f"{self.file}: {self.data['name']}"


@dataclass
class Call:
    """A call that is being held."""

    session: ConversationSession
    desk: Desk
    clock: HandClock
    journal: ListJournal
    scripted: ScriptedReader | None


def dialogues(folder: Path) -> list[Dialogue]:
    """All dialogues of a folder, in order."""
    return [
        Dialogue(path.stem, one)
        for path in sorted(folder.glob("*.yaml"))
        for one in yaml.safe_load(path.read_text("utf-8"))["dialogues"]
    ]


def open_call(dialogue: Dialogue, folder: Path, reader: Reader | None = None) -> Call:
    """A call over the real tools; ``reader`` None: the scripted one."""
    data = dialogue.data
    clock, journal = HandClock(TUESDAY), ListJournal()
    desk = replace(make_desk(folder, data.get("tenant", "aylem")), clock=clock)
    profile = desk.files.current().profile
    if "formality" in data:
        profile = replace(profile, formality=data["formality"])
    language, caller = data.get("language", "de"), data.get("caller")
    tools = CallTools(desk, journal, call_id="call-1", language=language, caller=caller)
    scripted = ScriptedReader() if reader is None else None
    session = ConversationSession(
        profile,
        FrontDeskBrain(profile, (RESERVATION,)),
        reader or scripted or ScriptedReader(),
        tools,
        load_phrases(PHRASES, profile.formality, profile.banned_phrases),
        journal,
        clock,
        caller,
        language=language,
    )
    return Call(session, desk, clock, journal, scripted)


async def hold(dialogue: Dialogue, call: Call) -> None:
    """Hold the dialogue and check every turn and the end. Raises AssertionError that names the turn."""
    data = dialogue.data
    await call.session.greeting()
    await prepare(data.get("before", {}), call)
    for number, turn in enumerate(data["turns"], start=1):
        call.clock.pass_(turn.get("wait", 3))
        await prepare({"reservations": turn.get("meanwhile", ())}, call)
        if call.scripted is not None and "say" in turn:
            call.scripted.enqueue(*commands_of(turn.get("means", ["nothing"]), turn["say"]))
        if call.scripted is not None and "then" in turn:
            call.scripted.enqueue(*commands_of(turn["then"], turn["say"]))
        record = await call.session.take(_turn(turn, call.session.language))
        check(record, turn, call, f"turn {number} ({_shown(turn)})")
    await call.session.close()
    check_end(data.get("end", {}), call)


async def prepare(before: Mapping[str, Any], call: Call) -> None:
    """Put reservations of other callers into the database."""
    for row in before.get("reservations", ()):
        other = CallTools(call.desk, ListJournal(), call_id="other", language="de")
        arguments = {"customer_name": "Andere", "phone": "+491510000000", **row}
        pending = await other.propose("book_reservation", arguments, call.clock.now())
        result = await other.run(ToolCall("book_reservation", arguments, pending))
        assert result.ok, result


def commands_of(means: Sequence[Any], text: str) -> list[Command]:
    """Commands from their short form."""
    return [command for one in means for command in _commands(one, text)]


def check(record: TurnRecord, turn: Mapping[str, Any], call: Call, where: str) -> None:
    """Compare one turn with what is expected of it."""
    tools = [one.tool for one, _ in record.tool_calls]
    said = [one.phrase for one in call.session.state.last] if record.reply.text else []
    seen = f"{where}\n  reply: {record.reply.text}\n  phrases: {said}\n  tools: {tools}"
    if call.scripted is None:
        seen += f"\n  commands: {record.reading.commands}\n  notes: {record.reading.notes}"
    if "tools" in turn:
        assert tools == turn["tools"], f"tools differ at {seen}"
    for phrase in turn.get("phrases", ()):
        assert phrase in said, f"'{phrase}' was not said at {seen}"
    for part in turn.get("text", ()):
        assert part in record.reply.text, f"'{part}' is not in the reply at {seen}"
    if "ends" in turn:
        assert record.reply.end_call is turn["ends"], f"the call's end differs at {seen}"
    absent = turn.get("absent", {})
    assert not set(absent.get("tools", ())) & set(tools), f"a tool ran that must not at {seen}"
    assert not set(absent.get("phrases", ())) & set(said), f"something was said that must not at {seen}"
    for part in absent.get("text", ()):
        assert part not in record.reply.text, f"'{part}' must not be in the reply at {seen}"


def check_end(end: Mapping[str, Any], call: Call) -> None:
    """Compare the database with what is expected; keys that are not named do not matter."""
    for table in ("reservations", "escalations"):
        if table in end:
            with call.desk.database.read() as db:
                rows = [row for row in db.table(table).rows if row["call_id"] == "call-1"]
            assert len(rows) == len(end[table]), f"{table}: {rows}"
            for row, expected in zip(rows, end[table], strict=True):
                for key, value in expected.items():
                    found = row[key]
                    fits = value in found if key == "summary" else found == value
                    assert fits, f"{table}.{key} is {found!r}, not {value!r}"
    if "outcome" in end:
        assert call.session.outcome.value == end["outcome"]
    with call.desk.database.read() as db:
        assert not list(db.table("security_events").rows), "a write was refused"
    replaced = [event.replaced for event in call.journal.of(AssistantSaid) if event.replaced]
    assert not replaced, f"replies were replaced: {replaced}"


def _turn(turn: Mapping[str, Any], language: str) -> Turn:
    if "silence" in turn:
        return Turn(silence_seconds=float(turn["silence"]), language="")
    if "key" in turn:
        return Turn(key=str(turn["key"]), language="")
    return Turn(str(turn["say"]), language, float(turn.get("confidence", 1.0)))


def _shown(turn: Mapping[str, Any]) -> str:
    return str(turn.get("say") or {key: turn[key] for key in ("silence", "key") if key in turn})


def _commands(one: Any, text: str) -> list[Command]:
    if isinstance(one, str):
        return [PLAIN[one]]
    match dict(one):
        case {"start": matter}:
            return [StartMatter(matter)]
        case {"set": slots}:
            return [SetSlot(slot, _value(slot, value), text) for slot, value in slots.items()]
        case {"correct": slots}:
            return [SetSlot(slot, _value(slot, value), text, corrects=True) for slot, value in slots.items()]
        case {"clear": slot}:
            return [ClearSlot(slot)]
        case {"unsure": slots}:
            return [
                AmbiguousSlot(slot, tuple(_value(slot, value) for value in values), text)
                for slot, values in slots.items()
            ]
        case {"ask": topic, **about}:
            return [AskFact(topic, text, tuple((key, _value(key, value)) for key, value in about.items()))]
        case {"person": reason}:
            return [AskPerson(reason, text)]
        case {"not_understood": reason}:
            return [NotUnderstood(reason)]
    raise ValueError(f"no such command: {one}")


def _value(slot: str, value: Any) -> SlotValue:
    if slot in ("date", "day") and not isinstance(value, date):
        return date.fromisoformat(value)
    if slot == "time":
        return time.fromisoformat(value)
    found: SlotValue = value
    return found
