"""Settings: where things lie and how the box behaves; unknown keys are refused, defaults are safe."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from appliance.errors import ConfigError

CHECKOUT = Path(__file__).resolve().parent.parent


class Strict(BaseModel):
    """Base of every settings class: frozen, and an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Paths(Strict):
    """Folders. Each can be moved by an environment variable, for tests and for systemd."""

    checkout: Path = Field(default=CHECKOUT, title="Checkout", description="Holds knowledge/ and models/")
    data: Path = Field(
        default=CHECKOUT / ".tresen", title="Data", description="Database, calls, phrase cache"
    )
    cache: Path = Field(title="Cache", description="Models, wheels and builds, shared by checkouts")

    @property
    def knowledge(self) -> Path:
        return self.checkout / "knowledge"

    @property
    def models(self) -> Path:
        """Weights by model id: ``<models>/<id>/<file>``."""
        return self.cache / "models"

    @property
    def readers(self) -> Path:
        """Trained readers that ship with the code."""
        return self.checkout / "models" / "readers"


def load_paths() -> Paths:
    """Folders from the environment: ``TRESEN_DATA``, ``TRESEN_CACHE``."""
    cache = os.environ.get("TRESEN_CACHE") or str(Path.home() / ".cache" / "tresen")
    data = os.environ.get("TRESEN_DATA") or str(CHECKOUT / ".tresen")
    for name, value in (("TRESEN_CACHE", cache), ("TRESEN_DATA", data)):
        if not Path(value).is_absolute():
            raise ConfigError(f"{name} must be an absolute path, not '{value}'.")
    return Paths(cache=Path(cache), data=Path(data))
