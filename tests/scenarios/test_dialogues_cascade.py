"""The same dialogues, understood from their words alone by the trained readers (no language model)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from appliance.config import load_paths
from appliance.errors import SetupError
from appliance.readers.build import Readers, load_readers
from tests.scenarios.dialogue import Dialogue, dialogues, hold, open_call

pytestmark = pytest.mark.scenario

READABLE = [
    one for one in dialogues(Path(__file__).parent / "restaurant") if one.data.get("only") != "scripted"
]


@pytest.fixture(scope="module")
def readers() -> Readers:
    try:
        return load_readers(load_paths(), ("de", "en"))
    except SetupError as missing:
        pytest.skip(missing.message)


def parameter(dialogue: Dialogue) -> Any:
    """A dialogue whose words are misread is listed with the reason; once it is read, the listing fails."""
    unread = dialogue.data.get("unread")
    marks = [pytest.mark.xfail(reason=unread, strict=True)] if unread else []
    return pytest.param(dialogue, id=dialogue.id, marks=marks)


@pytest.mark.parametrize("dialogue", [parameter(one) for one in READABLE])
async def test_a_dialogue_goes_as_written(dialogue: Dialogue, tmp_path: Path, readers: Readers) -> None:
    await hold(dialogue, open_call(dialogue, tmp_path, readers.cascade()))
