"""The weights on disk: found, checked against the manifest's hashes, never used when wrong."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from appliance.errors import ModelCorrupt, ModelMissing
from appliance.model_store.manifest import Manifest, Model, ModelFile

BLOCK = 1 << 20
Progress = Callable[[int], None]
"""Called with the number of bytes just done."""


class State(StrEnum):
    """What is known of a model on this disk."""

    READY = "ready"
    LIBRARY = "in a library"
    UNVERIFIED = "not verified"
    WRONG = "wrong"
    MISSING = "missing"


def sha256_of(path: Path, progress: Progress = lambda _: None) -> str:
    """Hex digest of a file, read in blocks."""
    digest = hashlib.sha256()
    with path.open("rb") as source:
        while block := source.read(BLOCK):
            digest.update(block)
            progress(len(block))
    return digest.hexdigest()


class ModelStore:
    """Weights by model id under one folder; a stamp remembers which files were verified, and when."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest

    def path(self, model: Model, file: ModelFile) -> Path:
        return self.folder / model.id / file.name

    def require(self, model_id: str) -> Path:
        """The model's folder, when every file is there and was verified.

        Raises ModelMissing or ModelCorrupt with the command that mends it.
        """
        model = self.manifest.model(model_id)
        match self.state(model):
            case State.READY | State.LIBRARY:
                return self.folder / model.id
            case State.MISSING:
                raise ModelMissing(f"The model {model_id} is missing. Run: ./tresen models fetch {model_id}")
            case State.UNVERIFIED:
                self.verify(model)
                return self.folder / model.id
            case State.WRONG:
                raise ModelCorrupt(
                    f"The model {model_id} does not have the size that the manifest pins. "
                    f"Run: ./tresen models fetch {model_id}"
                )

    def state(self, model: Model) -> State:
        """What the disk and the stamp say; reads no file's content."""
        if model.library:
            return State.LIBRARY
        stamps = self._stamps(model)
        verified = True
        for file in model.files:
            path = self.path(model, file)
            if not path.is_file():
                return State.MISSING
            if file.bytes and path.stat().st_size != file.bytes:
                return State.WRONG
            verified = verified and stamps.get(file.name) == self._fingerprint(path)
        return State.READY if verified else State.UNVERIFIED

    def verify(self, model: Model, progress: Progress = lambda _: None) -> None:
        """Hash every file and remember the good ones. Raises ModelMissing or ModelCorrupt.

        A wrong file stays where it is; it is just not used.
        """
        stamps: dict[str, list[int]] = {}
        self._write_stamps(model, stamps)
        for file in model.files:
            path = self.path(model, file)
            if not path.is_file():
                raise ModelMissing(
                    f"{path} is missing. Run: ./tresen models fetch {model.id}",
                )
            found = sha256_of(path, progress)
            if file.sha256 is not None and found != file.sha256:
                raise ModelCorrupt(
                    f"{path} has the hash {found[:12]}…, the manifest pins {file.sha256[:12]}…. "
                    f"It is not used. Run: ./tresen models fetch {model.id}"
                )
            stamps[file.name] = self._fingerprint(path)
        self._write_stamps(model, stamps)

    def accept(self, model: Model, file: ModelFile, part: Path, expected: str) -> None:
        """Move a fetched ``part`` into place when its hash is ``expected``.

        Raises ModelCorrupt; the file is then kept beside under ``.rejected``, for a look.
        """
        found = sha256_of(part)
        target = self.path(model, file)
        if found != expected:
            rejected = target.with_name(f"{file.name}.rejected")
            part.replace(rejected)
            raise ModelCorrupt(
                f"What was fetched for {model.id}/{file.name} has the hash {found[:12]}… instead of "
                f"{expected[:12]}…. It is not used and lies at {rejected}."
            )
        if target.exists():
            target.replace(target.with_name(f"{file.name}.replaced"))
        part.replace(target)
        self._write_stamps(model, {**self._stamps(model), file.name: self._fingerprint(target)})

    @staticmethod
    def _fingerprint(path: Path) -> list[int]:
        stat = path.stat()
        return [stat.st_size, stat.st_mtime_ns]

    def _stamps(self, model: Model) -> dict[str, list[int]]:
        try:
            return dict(json.loads((self.folder / model.id / ".verified.json").read_text()))
        except (OSError, ValueError):
            return {}

    def _write_stamps(self, model: Model, stamps: dict[str, list[int]]) -> None:
        folder = self.folder / model.id
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / ".verified.part"
        part.write_text(json.dumps(stamps))
        part.replace(folder / ".verified.json")
