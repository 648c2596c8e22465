"""The recogniser's benchmark says what it needs when it is not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from appliance.bench.stt import command
from appliance.errors import SetupError

pytestmark = pytest.mark.unit


def test_without_the_recordings_it_says_so_with_the_set_up_code(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["--data", str(tmp_path)])
    assert isinstance(result.exception, SetupError)
    assert result.exception.exit_code == 3
    assert "--data" in result.exception.message
