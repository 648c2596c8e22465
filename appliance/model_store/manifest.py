"""``models/manifest.toml``: every model with use, licence, files, hashes and sources; and the profiles."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from appliance.config import Strict
from appliance.errors import ConfigError

Use = Literal["stt", "llm", "tts", "embedding", "vad", "end_of_turn"]


class ModelFile(Strict):
    """One file of a model. Without ``sha256`` it can only be taken when the hash is given by hand."""

    name: str = Field(pattern=r"^[A-Za-z0-9._-]+$")
    bytes: int = Field(ge=0, description="Size; 0 when the publisher's size is not known here")
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    member: str | None = Field(default=None, description="Glob inside the packages; several are joined")
    url: str | None = Field(default=None, pattern=r"^https://")


class Model(Strict):
    """One model."""

    id: str = Field(pattern=r"^[a-z0-9._-]+$")
    use: Use
    title: str
    languages: tuple[str, ...]
    licence: str
    origin: str
    memory_mib: int = Field(gt=0, description="Memory that it takes when loaded")
    files: tuple[ModelFile, ...] = Field(alias="file", default=())
    packages: tuple[str, ...] = ()
    """Requirements (``name==version``) of data packages, in the order in which parts are joined."""
    library: str | None = None
    """Set when a pinned library brings the weights; there is nothing to fetch then."""


class Profile(Strict):
    """Which model does what on a kind of machine."""

    title: str
    cores: int = Field(ge=1)
    memory_gib: int = Field(ge=1)
    gpu: bool = False
    stt: str
    llm: str
    tts: tuple[str, ...]
    """Voices to have when they are there; languages without one fall back to the system's voices."""

    @property
    def models(self) -> tuple[str, ...]:
        return (self.stt, self.llm, *self.tts)


class Manifest(Strict):
    """The whole file."""

    models: tuple[Model, ...] = Field(alias="model")
    profiles: dict[str, Profile] = Field(alias="profile")

    @model_validator(mode="after")
    def _names_exist_once(self) -> Manifest:
        known = [model.id for model in self.models]
        if len(known) != len(set(known)):
            raise ValueError("a model id stands twice")
        for name, profile in self.profiles.items():
            if missing := [one for one in profile.models if one not in known]:
                raise ValueError(f"profile {name} names unknown models: {', '.join(missing)}")
        return self

    def model(self, model_id: str) -> Model:
        """The model with this id. Raises ConfigError, naming the known ones."""
        for model in self.models:
            if model.id == model_id:
                return model
        known = ", ".join(model.id for model in self.models)
        raise ConfigError(f"There is no model '{model_id}'. Known are: {known}.")

    def profile(self, name: str) -> Profile:
        """The profile with this name. Raises ConfigError, naming the known ones."""
        if name not in self.profiles:
            raise ConfigError(f"There is no profile '{name}'. Known are: {', '.join(self.profiles)}.")
        return self.profiles[name]


def load_manifest(path: Path) -> Manifest:
    """Read and check the manifest. Raises ConfigError with the place of the mistake."""
    try:
        return Manifest.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as cause:
        raise ConfigError(f"The model manifest can't be read: {cause}.") from cause
    except (tomllib.TOMLDecodeError, ValidationError) as cause:
        raise ConfigError(f"The model manifest {path} is wrong: {cause}") from cause
