"""``tresen understand`` as a program drives it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e


def understand(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "appliance", "understand", "--now", "2026-12-01T10:00", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_one_sentence_gives_one_json_line() -> None:
    done = understand("--reader", "normalisers", "--json", "Tisch für vier am Samstag um halb acht")
    assert done.returncode == 0, done.stderr
    line = json.loads(done.stdout)
    assert {c["slot"]: c["value"] for c in line["commands"]} == {
        "people": 4,
        "date": "2026-12-05",
        "time": "19:30",
    }
    assert line["reader"] == "normalisers"
    assert set(line) == {
        "text", "asked", "commands", "reader", "confidence", "unexplained", "seconds", "notes"
    }  # fmt: skip


def test_a_file_gives_a_line_for_each_sentence_in_its_own_state(tmp_path: Path) -> None:
    file = tmp_path / "said.txt"
    rows = ["Ja, genau.", json.dumps({"text": "evet", "asked": "yes_no", "slots": {"people": 4}}), "", "hm"]
    file.write_text("\n".join(rows), encoding="utf-8")
    done = understand("--reader", "lexicon", "--asked", "yes_no", "--json", "--file", str(file))
    assert done.returncode == 0, done.stderr
    said = [json.loads(line)["commands"][0]["is"] for line in done.stdout.splitlines()]
    assert said == ["Affirm", "Affirm", "NotUnderstood"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "Give one sentence"),
        (["--asked", "shoe", "x"], "--asked 'shoe' is unknown"),
        (["--now", "soon", "x"], "no ISO 8601 time"),
        (["--tenant", "nobody", "x"], "no tenant 'nobody'"),
        (["--file", "/nowhere/x"], "no file"),
    ],
)
def test_wrong_use_is_told_and_ends_with_two(arguments: list[str], told: str) -> None:
    done = understand("--reader", "normalisers", *arguments)
    assert done.returncode == 2
    assert told in done.stderr


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    file = tmp_path / "said.txt"
    file.write_text('{"text": "ja"}\n{"words": 1}\n', encoding="utf-8")
    done = understand("--reader", "lexicon", "--file", str(file))
    assert done.returncode == 2
    assert "line 2" in done.stderr
