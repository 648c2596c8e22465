"""How well dates and times are read: other people's phrases, our normalisers beside dateparser."""

from __future__ import annotations

import json
import re
import time as stopwatch
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path

import click

from appliance.config import CHECKOUT, load_paths
from appliance.errors import UsageError
from appliance.readers.normalise.dates import read_date
from appliance.readers.normalise.found import Found, Hit, values_of
from appliance.readers.normalise.times import read_time
from appliance.readers.normalise.values import Normalisers
from appliance.readers.normalise.words import Words

SETS = {
    "ctparse_de": "de",
    "ctparse_en": "en",
    "duckling_de": "de",
    "duckling_en": "en",
    "rustling_de": "de",
}
LITERAL = (time(0), time(12))
"""These sets mean 8 in the morning by "8"; a restaurant's callers do not."""
Value = date | time
Outcome = str


@dataclass(frozen=True)
class Phrase:
    """A phrase, the moment it was said, and the day or the time of day that it means."""

    text: str
    said_at: datetime
    slot: str
    value: Value


def phrases(file: Path) -> Iterator[Phrase]:
    """The phrases of a set that mean one day or one time of day; others (intervals, seconds) are left out."""
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("ref_time"):
            yield from _ctparse(row)
        elif row.get("ref") and row.get("kind", "Time") == "Time":
            yield from _duckling(row)


def _ctparse(row: dict[str, str]) -> Iterator[Phrase]:
    gold = re.fullmatch(
        r"Time\[\]\{(\d{4})-(\d\d)-(\d\d) (\d\d|X):(\d\d|X) \(\w/\w\)\}", row["gold_parse"]
    ) or re.fullmatch(r"Time\[\]\{(X)-(X)-(X) (\d\d):(\d\d) \(\w/\w\)\}", row["gold_parse"])
    if gold is None:
        return
    said_at = datetime.fromisoformat(row["ref_time"])
    year, month, day, hour, minute = gold.groups()
    if year != "X":
        yield Phrase(row["text"], said_at, "date", date(int(year), int(month), int(day)))
    if hour != "X" and minute != "X":
        yield Phrase(row["text"], said_at, "time", time(int(hour), int(minute)))


def _duckling(row: dict[str, str]) -> Iterator[Phrase]:
    said_at = datetime.fromisoformat(row["ref"]).replace(tzinfo=None)
    numbers = [int(n) for n in re.findall(r"-?\d+", row["expect"])]
    if match := re.fullmatch(r"datetime \((.*)\) (Day|Hour|Minute)", row["expect"]):
        grain = match.group(2)
    elif re.fullmatch(r"check_moment!\(c, \[[\d, ]+\]\)", row["expect"]):
        grain = {3: "Day", 4: "Hour", 5: "Minute"}.get(len(numbers), "")
    else:
        return
    if grain == "Day":
        yield Phrase(row["text"], said_at, "date", date(*numbers[:3]))
    elif grain in ("Hour", "Minute"):
        yield Phrase(row["text"], said_at, "time", time(numbers[3], numbers[4] if len(numbers) > 4 else 0))


def ours(words: Words) -> Callable[[Phrase], Hit | None]:
    """Our reading of a phrase."""

    def read(phrase: Phrase) -> Hit | None:
        if phrase.slot == "date":
            return read_date(phrase.text, phrase.said_at, words)
        return read_time(phrase.text, phrase.said_at, words, serving=LITERAL)

    return read


def library(language: str) -> Callable[[Phrase], Hit | None]:
    """What dateparser makes of a phrase, told to prefer the future."""
    import dateparser

    def read(phrase: Phrase) -> Hit | None:
        settings = {"RELATIVE_BASE": phrase.said_at, "PREFER_DATES_FROM": "future"}
        found = dateparser.parse(phrase.text, languages=[language], settings=settings)
        if found is None:
            return None
        value: Value = found.date() if phrase.slot == "date" else found.time().replace(microsecond=0)
        return Found(value, 0, len(phrase.text))

    return read


def outcome(hit: Hit | None, phrase: Phrase) -> Outcome:
    """``exact``, ``wrong``, ``asked`` (the right one is among those asked back) or ``none``."""
    if hit is None:
        return "none"
    values = values_of(hit)
    if phrase.value not in values:
        return "wrong"
    return "exact" if len(values) == 1 else "asked"


def measure(
    chosen: Sequence[Phrase], read: Callable[[Phrase], Hit | None]
) -> tuple[Counter[Outcome], list[Phrase]]:
    """Outcomes counted, and the phrases that were read wrong."""
    counted: Counter[Outcome] = Counter()
    wrong: list[Phrase] = []
    for phrase in chosen:
        what = outcome(read(phrase), phrase)
        counted[what] += 1
        if what == "wrong":
            wrong.append(phrase)
    return counted, wrong


@click.command()
@click.option(
    "--sets",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=CHECKOUT.parent / "shared" / "data" / "text",
    help="Folder with the phrase sets.",
)
@click.option("--half", type=click.Choice(["develop", "figure"]), default="figure", help="Which lines.")
@click.option("--no-library", is_flag=True, help="Leave dateparser out; it is slow.")
@click.option("--show", is_flag=True, help="Print the phrases that we read wrong or not at all.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the figures here.")
def command(sets: Path, half: str, no_library: bool, show: bool, json_file: Path | None) -> None:
    """Dates and times of other people's sets: exact, wrong, asked back, none."""
    normalisers = Normalisers.load(load_paths().knowledge / "normalise")
    rows: list[dict[str, object]] = []
    for name, language in SETS.items():
        file = sets / f"{name}.jsonl"
        if not file.is_file():
            raise UsageError(f"{file} is not there; give the folder of the sets with --sets.")
        chosen = list(phrases(file))[0 if half == "develop" else 1 :: 2]
        read_ours = ours(normalisers.language(language))
        readers = {"ours": read_ours} | ({} if no_library else {"dateparser": library(language)})
        for slot in ("date", "time"):
            some = [p for p in chosen if p.slot == slot]
            for reader, read in readers.items():
                began = stopwatch.perf_counter()
                counted, _ = measure(some, read)
                spent = (stopwatch.perf_counter() - began) / max(len(some), 1)
                rows.append(_row(name, slot, reader, counted, spent))
            if show:
                _show(some, read_ours)
    click.echo(_table(rows))
    if json_file is not None:
        json_file.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def _row(name: str, slot: str, reader: str, counted: Counter[Outcome], spent: float) -> dict[str, object]:
    kinds = {kind: counted[kind] for kind in ("exact", "wrong", "asked", "none")}
    return {
        "set": name,
        "slot": slot,
        "reader": reader,
        "phrases": counted.total(),
        **kinds,
        "seconds": spent,
    }


def _table(rows: Sequence[dict[str, object]]) -> str:
    keys = ("set", "slot", "reader", "phrases", "exact", "wrong", "asked", "none")
    lines = [f"| {' | '.join(keys)} | ms |", "|---" * (len(keys) + 1) + "|"]
    for row in rows:
        said = " | ".join(str(row[key]) for key in keys)
        lines.append(f"| {said} | {float(str(row['seconds'])) * 1000:.2f} |")
    return "\n".join(lines)


def _show(chosen: Sequence[Phrase], read: Callable[[Phrase], Hit | None]) -> None:
    for phrase in chosen:
        hit = read(phrase)
        what = outcome(hit, phrase)
        if what != "exact":
            said = [] if hit is None else [str(v) for v in values_of(hit)]
            click.echo(
                f"{what}: '{phrase.text}' on {phrase.said_at:%a %F %H:%M} is {phrase.value}, read {said}"
            )
