"""``tresen understand``: sentences to commands, through one reader or all of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import click

from appliance.errors import UsageError

if TYPE_CHECKING:
    from appliance.conversation.commands import Reading, SlotValue
    from appliance.conversation.ports import Reader
    from appliance.readers.normalise.values import Normalisers
    from appliance.storage.knowledge.tenant import Tenant

READERS = ("cascade", "lexicon", "tagger", "intents", "normalisers", "language_model")
SLOTS = ("people", "date", "time", "name", "phone")
YES_NO = "yes_no"


@dataclass(frozen=True)
class Sentence:
    """One sentence to read, and the state it is said in."""

    text: str
    asked: tuple[str, ...] = ()
    slots: Mapping[str, Any] | None = None
    """What is filled already, as in the output's ``value``."""


@click.command()
@click.argument("sentence", required=False)
@click.option("--tenant", default="aylem", show_default=True, help="Whose menu and opening hours count.")
@click.option("--lang", "language", default="de", show_default=True, help="Language of the call.")
@click.option("--asked", multiple=True, help=f"What was just asked: {', '.join(SLOTS)} or {YES_NO}.")
@click.option("--now", help="The business's time, ISO 8601 (2026-12-01T10:00). Default: the clock.")
@click.option(
    "--file", type=click.Path(path_type=Path, dir_okay=False), help="Many: a sentence or JSON a line."
)
@click.option("--reader", type=click.Choice(READERS), default="cascade", show_default=True)
@click.option("--model/--no-model", default=False, help="Ask the language model where the others doubt.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line a sentence.")
def command(
    sentence: str | None,
    tenant: str,
    language: str,
    asked: tuple[str, ...],
    now: str | None,
    file: Path | None,
    reader: str,
    model: bool,
    as_json: bool,
) -> None:
    """Read SENTENCE, or every line of --file, and print the commands it means.

    A line of the file is a sentence, or JSON: {"text": …, "asked": […], "slots": {…}}.
    """
    if (sentence is None) == (file is None):
        raise UsageError("Give one sentence, or many with --file.")
    sentences = [Sentence(sentence, _slots_asked(asked))] if sentence is not None else _sentences(file, asked)
    asyncio.run(_understand(list(sentences), tenant, language, now, reader, model, as_json))


async def _understand(
    sentences: list[Sentence],
    tenant: str,
    language: str,
    now: str | None,
    name: str,
    model: bool,
    as_json: bool,
) -> None:
    from appliance.conversation.models import Context, Question
    from appliance.readers.normalise.times import serving_hours

    business = _tenant(tenant)
    profile = business.profile
    moment = _moment(now, profile.time_zone)
    async with AsyncExitStack() as stack:
        reader = await _reader(stack, name, language, model or name == "language_model")
        for one in sentences:
            filled = {slot: _value(slot, value) for slot, value in (one.slots or {}).items()}
            question = (
                Question.YES_NO if YES_NO in one.asked else Question.SLOT if one.asked else Question.NONE
            )
            context = Context(
                language=language,
                now=moment,
                question=question,
                asked=tuple(slot for slot in one.asked if slot != YES_NO),
                matter="reservation" if one.asked or filled else None,
                slots=filled,
                vocabulary=profile.vocabulary,
                serving=serving_hours(business.hours),
            )
            _print(one, await reader.read(one.text, context), as_json)


async def _reader(stack: AsyncExitStack, name: str, language: str, model: bool) -> Reader:
    """The reader by its name; the language model's engine is started only if it is wanted."""
    from appliance.config import load_paths
    from appliance.readers.alone import IntentsAlone, NormalisersAlone, TaggerAlone
    from appliance.readers.build import load_readers, load_untrained

    paths = load_paths()
    untrained = name in ("lexicon", "normalisers", "language_model")
    readers = (
        load_untrained(paths) if untrained else load_readers(paths, (language,), intents=name != "tagger")
    )
    if name == "lexicon":
        return readers.lexicons
    if name == "normalisers":
        return NormalisersAlone(readers.normalisers)
    if name == "tagger":
        return TaggerAlone(readers.taggers, readers.normalisers)
    if name == "intents":
        return IntentsAlone(readers.intents, readers.normalisers, readers.limits)
    second = await _language_model(stack, language, readers.normalisers) if model else None
    if name == "language_model" and second is not None:
        return second
    return readers.cascade(second)


async def _language_model(stack: AsyncExitStack, language: str, normalisers: Normalisers) -> Reader:
    """The second opinion over an engine process of its own, which ends with the command."""
    from appliance.config import load_paths
    from appliance.engines.supervisor import Supervisor
    from appliance.language_model.client import LanguageModel, llm_engine
    from appliance.packs.restaurant import RESERVATION
    from appliance.readers.candidates import SlotCandidates
    from appliance.readers.second_opinion import Readable, Scope, SecondOpinion
    from appliance.readers.understanding_prompt import load_prompt

    paths = load_paths()
    supervisor = Supervisor(
        (llm_engine(paths),), paths.data / "logs", lambda line: click.echo(line, err=True)
    )
    await supervisor.start()
    stack.push_async_callback(supervisor.stop)
    model = LanguageModel(supervisor.client("language_model"))
    candidates = SlotCandidates(normalisers)
    prompt = load_prompt(paths.knowledge / "prompts", language, candidates)
    await model.hold(prompt.prefix)
    return SecondOpinion(
        model,
        {language: prompt},
        Scope({"book": RESERVATION}, ("hours", "menu", "allergens", "price", "services", "knowledge")),
        Readable(normalisers.values, candidates),
        sequence="understand",
        seconds=10.0,
    )


def _tenant(tenant: str) -> Tenant:
    from appliance.config import load_paths
    from appliance.storage.knowledge.allergens import load_allergens
    from appliance.storage.knowledge.tenant import TenantFiles, list_tenants

    root = load_paths().knowledge
    if tenant not in (known := list_tenants(root)):
        raise UsageError(f"There is no tenant '{tenant}'. Known are: {', '.join(known)}.")
    return TenantFiles(root, tenant, load_allergens(root / "allergens.yaml")).current()


def _moment(now: str | None, zone: str) -> datetime:
    if now is None:
        return datetime.now(ZoneInfo(zone))
    try:
        said = datetime.fromisoformat(now)
    except ValueError as error:
        raise UsageError(f"--now '{now}' is no ISO 8601 time such as 2026-12-01T10:00.") from error
    return said if said.tzinfo else said.replace(tzinfo=ZoneInfo(zone))


def _slots_asked(asked: tuple[str, ...]) -> tuple[str, ...]:
    """Slots as the conversation asks for them: a first name is asked for as a name."""
    slots = tuple(dict.fromkeys("name" if slot in ("first_name", "last_name") else slot for slot in asked))
    if unknown := [slot for slot in slots if slot not in (*SLOTS, YES_NO)]:
        raise UsageError(f"--asked '{unknown[0]}' is unknown; it is one of {', '.join((*SLOTS, YES_NO))}.")
    return slots


def _sentences(file: Path | None, asked: tuple[str, ...]) -> Iterator[Sentence]:
    """Every line that is not empty. Raises UsageError that names the line."""
    if file is None or not file.is_file():
        raise UsageError(f"There is no file '{file}'.")
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        if not line.lstrip().startswith("{"):
            yield Sentence(line.strip(), _slots_asked(asked))
            continue
        try:
            row = json.loads(line)
            text, said = row["text"], row.get("asked") or asked
            slots = tuple(said.split(",")) if isinstance(said, str) else tuple(said)
            yield Sentence(str(text), _slots_asked(slots), row.get("slots") or {})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f'{file}, line {number}: no JSON with a "text": {error}') from error


def _value(slot: str, value: Any) -> SlotValue:
    """A filled slot from its JSON form."""
    try:
        if slot == "people":
            return int(value)
        if slot == "date":
            return date.fromisoformat(value)
        if slot == "time":
            return time.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise UsageError(f"'{value}' is no value of {slot}: {error}") from error
    return str(value)


def _print(sentence: Sentence, reading: Reading, as_json: bool) -> None:
    from appliance.conversation.plain import named, plain

    commands = [named(command) for command in reading.commands]
    if as_json:
        rest = {k: v for k, v in plain(reading).items() if k != "commands"}
        line = {"text": sentence.text, "asked": list(sentence.asked), "commands": commands, **rest}
        click.echo(json.dumps(line, ensure_ascii=False))
        return
    click.echo(
        f"{sentence.text}   ({reading.reader} {reading.confidence:.2f}, {reading.seconds * 1000:.1f} ms)"
    )
    for command in commands:
        values = ", ".join(f"{key} {value}" for key, value in command.items() if key != "is")
        click.echo(f"  {command['is']}{': ' + values if values else ''}")
    for note in reading.notes:
        click.echo(f"  - {note}")
