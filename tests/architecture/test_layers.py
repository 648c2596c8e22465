"""The architecture: layers, purity, sizes. What the linters can't see is looked at here."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

pytestmark = pytest.mark.architecture

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "appliance").rglob("*.py"))
BANNED_IN_CORE = (
    "livekit",
    "numpy",
    "fastapi",
    "starlette",
    "httpx",
    "aiohttp",
    "sqlite_utils",
    "sqlite3",
    "faster_whisper",
    "piper",
    "onnxruntime",
    "wave",
    "soundfile",
    "wyoming",
    "llama_cpp",
)


def test_every_import_contract_is_kept() -> None:
    # In a process of its own: the linter configures logging and silences the loggers of other tests.
    program = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_contracts_are_not_vacuous() -> None:
    graph = grimp.build_graph("appliance", include_external_packages=True, cache_dir=None)
    assert "livekit" in graph.find_modules_directly_imported_by("appliance.adapters.voice.line")
    for pack in graph.find_children("appliance.packs"):
        assert {f"{pack}.rules", f"{pack}.records", f"{pack}.tools"} <= graph.find_children(pack)


def test_the_core_runs_where_channels_audio_web_and_database_cannot_be_imported() -> None:
    modules = [
        ".".join(source.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for source in SOURCES
        if source.relative_to(ROOT / "appliance").parts[0] in ("conversation", "brain")
    ]
    program = (
        "import sys, importlib\n"
        f"sys.modules.update(dict.fromkeys({BANNED_IN_CORE!r}))\n"
        f"for name in {modules!r}: importlib.import_module(name)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_and_functions_stay_small_and_say_what_they_are(source: Path) -> None:
    text = source.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "a module starts with one sentence on what it is"
    assert text.count("\n") <= 500
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 80, f"{node.name}: {length} lines"


def test_ninety_of_a_hundred_functions_have_at_most_thirty_lines() -> None:
    lengths = sorted(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for source in SOURCES
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    assert lengths[int(0.9 * len(lengths))] <= 30
