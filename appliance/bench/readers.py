"""Readers alone and together on sentences that none learned from: exact, wrong, missing, false fill."""

from __future__ import annotations

import asyncio
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from appliance.bench.sentence_sets import OWN, Asked, alone, command_label, drawn, load_locked
from appliance.config import CHECKOUT, load_paths
from appliance.conversation.commands import Reading, SetSlot
from appliance.conversation.ports import Reader
from appliance.errors import UsageError
from appliance.readers.alone import IntentsAlone, NormalisersAlone, TaggerAlone
from appliance.readers.build import Readers, load_readers
from appliance.readers.other_sets import RESTAURANT8K, restaurant8k
from appliance.readers.scoring import Tally, tally_spans
from appliance.readers.sentences import Sentence
from appliance.readers.signals import Span, Thresholds

LANGUAGES = ("de", "en")
SPANS_OF_8K = ("people", "time", "date", "first_name", "last_name")
"""What restaurant8k marks; a phone number in it is no false fill, because it marks none."""


@dataclass(frozen=True)
class Row:
    """One reader on one set."""

    reader: str
    set: str
    sentences: int
    slots: Tally
    commands_f1: float | None
    """Of the commands other than values; None where the set says none."""
    median_ms: float

    def data(self) -> dict[str, Any]:
        """As in the JSON file: keys in docs/how-to/train.md."""
        return {
            "reader": self.reader,
            "set": self.set,
            "sentences": self.sentences,
            **{key: round(value, 4) for key, value in self.slots.shares().items()},
            "commands_f1": None if self.commands_f1 is None else round(self.commands_f1, 4),
            "median_ms": round(self.median_ms, 2),
        }


async def measure(
    name: str, reader: Reader, set_name: str, sentences: Sequence[Asked], slots: Sequence[str] = OWN
) -> Row:
    """A reader on sentences with canonical values and commands."""
    tally, took, hits, said, wanted = Tally(), [], 0, 0, 0
    for one in sentences:
        began = perf_counter()
        reading = await reader.read(one.text, one.context)
        took.append(perf_counter() - began)
        read = slot_values(reading)
        for slot in slots:
            value, right = read.get(slot), one.slots.get(slot)
            tally = tally.with_slot(value if right and value in right else right, value)
        if one.commands is not None:
            labels = alone(frozenset().union(*map(command_label, reading.commands)))
            hits += len(labels & one.commands)
            said += len(labels)
            wanted += len(one.commands)
    f1 = 2 * hits / (said + wanted) if said + wanted else None
    return Row(name, set_name, len(sentences), tally, f1, 1000 * statistics.median(took))


def slot_values(reading: Reading) -> dict[str, object]:
    """Filled slots; what is asked back is not filled. First and last name apart become the name."""
    read: dict[str, object] = {c.slot: c.value for c in reading.commands if isinstance(c, SetSlot)}
    parts = [str(read.pop(slot)) for slot in ("first_name", "last_name") if slot in read]
    return {**read, "name": read.get("name") or " ".join(parts)} if parts else read


def measure_spans(
    readers: Readers, sentences: Sequence[Sentence], limits: Thresholds, set_name: str, slots: Sequence[str]
) -> Row:
    """The English tagger's spans against those that were marked."""
    tagged: list[Sequence[Span]] = []
    took = []
    for one in sentences:
        began = perf_counter()
        tagged.append(readers.taggers["en"].tag(one.text, one.asked))
        took.append(perf_counter() - began)
    tally = tally_spans(sentences, tagged, limits.slot_keep, slots)
    return Row("tagger", set_name, len(sentences), tally, None, 1000 * statistics.median(took))


async def rows(
    readers: Readers, locked: Mapping[str, Path], shared: Path, second: Mapping[str, Reader]
) -> list[Row]:
    """All readers on all sets that are there; ``second``: the language model's reader by language."""
    found = []
    for language, folder in locked.items():
        sentences = load_locked(folder, language)
        for name, reader in named_readers(readers, language, second.get(language)).items():
            found.append(await measure(name, reader, f"own_{language}", sentences))
    split = restaurant8k(shared)
    if split is not None and "en" in readers.taggers:
        limits = readers.limits.get("en", Thresholds())
        found.append(measure_spans(readers, split.test, limits, RESTAURANT8K, SPANS_OF_8K))
        sentences = list(drawn(split.test, readers.normalisers))
        for name, reader in named_readers(readers, "en", second.get("en")).items():
            if name not in ("tagger", "intents"):
                found.append(await measure(name, reader, RESTAURANT8K, sentences, OWN[:-1]))
    return found


def named_readers(readers: Readers, language: str, second: Reader | None) -> dict[str, Reader]:
    """Each alone, and the cascade; with a language model also that alone and the cascade with it."""
    found: dict[str, Reader] = {
        "normalisers": NormalisersAlone(readers.normalisers),
        "tagger": TaggerAlone(readers.taggers, readers.normalisers),
        "intents": IntentsAlone(readers.intents, readers.normalisers, readers.limits),
        "cascade": readers.cascade(),
    }
    if second is not None:
        found |= {"language_model": second, "cascade_with_model": readers.cascade(second)}
    return found


@click.command()
@click.option(
    "--sets",
    type=click.Path(path_type=Path, file_okay=False),
    default=CHECKOUT / "tests" / "sentences",
    help="Folder with one folder of sentences per language.",
)
@click.option(
    "--shared",
    type=click.Path(path_type=Path, file_okay=False),
    default=CHECKOUT.parent / "shared",
    help="Folder with other people's sets.",
)
@click.option("--lang", "languages", multiple=True, type=click.Choice(LANGUAGES), help="Default: all.")
@click.option("--model", is_flag=True, help="Also with the language model, whose engine is started for it.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the figures here.")
def command(
    sets: Path, shared: Path, languages: tuple[str, ...], model: bool, json_file: Path | None
) -> None:
    """Exact, wrong, missing and false fill of every reader on sentences that none learned from."""
    chosen = languages or LANGUAGES
    locked = {one: sets / one for one in chosen if (sets / one).is_dir()}
    if not locked:
        raise UsageError(f"{sets} has no folder {' or '.join(chosen)}.")
    found = asyncio.run(_run(locked, shared, model))
    click.echo(_table(found))
    if json_file is not None:
        json_file.write_text(json.dumps([row.data() for row in found], indent=1) + "\n", encoding="utf-8")


async def _run(locked: Mapping[str, Path], shared: Path, model: bool) -> list[Row]:
    readers = load_readers(load_paths(), tuple(locked))
    if not model:
        return await rows(readers, locked, shared, {})
    from appliance.bench.second_reader import second_readers

    async with second_readers(readers.normalisers, tuple(locked)) as second:
        return await rows(readers, locked, shared, second)


def _table(found: Sequence[Row]) -> str:
    keys = (
        "reader",
        "set",
        "sentences",
        "exact",
        "wrong",
        "missing",
        "false_fill",
        "commands_f1",
        "median_ms",
    )
    lines = [f"| {' | '.join(keys)} |", "|---" * len(keys) + "|"]
    for row in found:
        data = row.data()
        cells = [
            f"{100 * data[k]:.2f} %" if isinstance(data[k], float) and k != "median_ms" else str(data[k])
            for k in keys
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
