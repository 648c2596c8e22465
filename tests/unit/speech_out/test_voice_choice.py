"""Which voice speaks: the first of the language's chain that is here, and why no better one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from appliance.config import CHECKOUT
from appliance.errors import ConfigError, ModelCorrupt, SetupError, UsageError
from appliance.speech.piper import PiperVoice
from appliance.speech.voices import Installed, choose_voice, load_chains, on_this_box, usable_voices

pytestmark = pytest.mark.unit

CHAINS = load_chains(CHECKOUT / "models" / "voices.toml")


def having(*voices: str) -> Installed:
    return lambda kind, name: "7" if f"{kind}:{name}" in voices else None


def test_the_best_installed_voice_speaks() -> None:
    everything: Installed = lambda kind, name: "1"  # noqa: E731
    assert choose_voice("de", CHAINS, everything).id == "piper:piper-de-de-thorsten-high"
    assert choose_voice("en", CHAINS, everything).id == "piper:piper-en-us-joe-medium"


def test_the_choice_says_what_is_missing() -> None:
    choice = choose_voice("de", CHAINS, having("espeak:de"))
    assert choice.id == "espeak:de"
    assert choice.reason == "not installed: piper:piper-de-de-thorsten-high, pico:de-DE"


def test_the_best_voice_has_no_reason() -> None:
    assert choose_voice("en", CHAINS, having("piper:piper-en-us-joe-medium")).reason == ""


def test_all_voices_that_can_step_in_are_listed_best_first() -> None:
    found = usable_voices("en", CHAINS, having("pico:en-GB", "espeak:en-gb"))
    assert [choice.id for choice in found] == ["pico:en-GB", "espeak:en-gb"]


def test_the_cache_key_changes_with_the_version() -> None:
    assert choose_voice("tr", CHAINS, having("espeak:tr")).key == "espeak:tr@7"


def test_without_any_voice_the_error_names_the_remedy() -> None:
    with pytest.raises(SetupError, match="apt-get install espeak-ng"):
        choose_voice("tr", CHAINS, having())


def test_a_language_without_a_chain_is_wrong_use() -> None:
    with pytest.raises(UsageError, match="No voice speaks 'xx'"):
        choose_voice("xx", CHAINS, having())


@pytest.mark.parametrize("language", ["de", "en", "fr", "it", "es", "bg", "tr", "pl", "ru"])
def test_every_chain_ends_in_a_voice_that_debian_main_has(language: str) -> None:
    assert CHAINS[language].chain[-1].startswith("espeak:")


@pytest.mark.parametrize(
    "entry", ["piper:piper-en-us-joe-medium", "pico:en-GB", "espeak:en-gb", "robot:de", "pico:", "de-DE"]
)
def test_no_chain_may_name_a_voice_of_another_language(tmp_path: Path, entry: str) -> None:
    path = tmp_path / "voices.toml"
    path.write_text(f'[de]\nchain = ["{entry}"]\n')
    with pytest.raises(ConfigError, match=r"may not speak 'de'|is no voice"):
        load_chains(path)


def test_weights_without_their_description_are_not_installed(tmp_path: Path) -> None:
    (tmp_path / "piper-de-x").mkdir()
    (tmp_path / "piper-de-x" / "x.onnx").write_bytes(b"1")
    assert on_this_box(tmp_path)("piper", "piper-de-x") is None
    (tmp_path / "piper-de-x" / "x.onnx.json").write_text("{}")
    assert on_this_box(tmp_path)("piper", "piper-de-x") is not None


def test_broken_weights_are_named_with_the_remedy(tmp_path: Path) -> None:
    folder = tmp_path / "piper-de-x"
    folder.mkdir()
    (folder / "x.onnx").write_bytes(b"not a model")
    (folder / "x.onnx.json").write_text(json.dumps({}))
    with pytest.raises(ModelCorrupt, match="models fetch piper-de-x"):
        PiperVoice(folder, "de", 1)
