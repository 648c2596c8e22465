"""What every test may ask for: the shared data of others, temporary folders, a fixed time."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
KINDS = {"unit", "sentences", "scenario", "audio", "e2e", "architecture"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test says what kind it is."""
    for item in items:
        if not KINDS & {mark.name for mark in item.iter_markers()}:
            raise pytest.UsageError(f"{item.nodeid}: set pytestmark to one of {sorted(KINDS)}")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with other people's test data; tests that need it are skipped, by name, without it."""
    if not SHARED.is_dir():
        pytest.skip("the shared data folder is not beside this checkout")
    return SHARED


@pytest.fixture
def now() -> datetime:
    """Tuesday, 1 December 2026, 10:00 in Berlin."""
    return datetime(2026, 12, 1, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches real data."""
    monkeypatch.setenv("TRESEN_DATA", str(tmp_path / "data"))
