"""``tresen chat`` as a program uses it: a script in, JSON lines out, an exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from appliance.config import CHECKOUT, load_paths

pytestmark = pytest.mark.e2e

BOOKING = """\
# a whole booking
Einen Tisch für vier Personen am Samstag um 19:30 Uhr, Name Müller, Telefon 0171 9876543
[silence 6s]
Ja.
Das war alles, tschüss.
"""


def chat(script: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "appliance", "chat", "--script", str(script), *options]
    return subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=180, check=False)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "call.txt"


def needs_readers() -> None:
    if not list(load_paths().readers.glob("*")):
        pytest.skip("the readers were not trained: run ./tresen train")


def test_a_booking_from_a_script_gives_one_json_line_a_turn_then_the_records(script: Path) -> None:
    needs_readers()
    script.write_text(BOOKING, "utf-8")
    done = chat(script, "--json", "--now", "2026-12-01T10:00")
    assert done.returncode == 0, done.stderr
    *turns, end = [json.loads(line) for line in done.stdout.splitlines()]
    assert [turn["silence_seconds"] for turn in turns] == [None, 5.0, None, None]
    assert [tool["tool"] for turn in turns for tool in turn["tools"] if tool["confirmed"]] == [
        "book_reservation"
    ]
    assert turns[-1]["end_call"] is True
    assert end["outcome"] == "booked"
    [row] = end["records"]["reservations"]
    assert (row["guests"], row["date"], row["time"], row["customer_name"]) == (
        4,
        "2026-12-05",
        "19:30",
        "Müller",
    )


def test_a_call_that_ends_before_the_yes_is_not_done(script: Path, tmp_path: Path) -> None:
    needs_readers()
    script.write_text(BOOKING.replace("Ja.\n", ""), "utf-8")
    done = chat(script, "--now", "2026-12-01T10:00", "--data", str(tmp_path / "kept"))
    assert done.returncode == 1, done.stderr
    assert "outcome    not_done" in done.stdout
    [record] = (tmp_path / "kept" / "calls").glob("*.jsonl")
    assert json.loads(record.read_text("utf-8").splitlines()[-1])["event"] == "CallEnded"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("[laugh]", (), r"[silence 6s] or [key 0]"),
        ("Guten Tag", ("--now", "tomorrow"), "Write it like 2026-12-01T10:00"),
        ("Guten Tag", ("--tenant", "nobody"), "Known are"),
        ("\udcff", (), "can't be read as UTF-8"),
    ],
)
def test_wrong_use_is_told_and_exits_with_two(
    script: Path, text: str, options: tuple[str, ...], message: str
) -> None:
    script.write_bytes(text.encode("utf-8", "surrogateescape"))
    done = chat(script, *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1, "one clear sentence, no traceback"
