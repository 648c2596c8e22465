"""Which profile this box uses: one line in the data folder, ``small`` when nobody chose."""

from __future__ import annotations

from pathlib import Path

from appliance.model_store.manifest import Manifest

DEFAULT = "small"


def chosen_profile(data: Path, manifest: Manifest) -> str:
    """The chosen profile's name. Raises ConfigError when the file names one that does not exist."""
    try:
        name = (data / "profile").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        name = DEFAULT
    manifest.profile(name)
    return name


def use_profile(data: Path, manifest: Manifest, name: str) -> None:
    """Remember the choice. Raises ConfigError for an unknown name."""
    manifest.profile(name)
    data.mkdir(parents=True, exist_ok=True)
    part = data / "profile.part"
    part.write_text(name + "\n", encoding="utf-8")
    part.replace(data / "profile")
