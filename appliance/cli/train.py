"""``tresen train``: the readers' weights from the sentence files."""

from __future__ import annotations

import time
from pathlib import Path

import click

from appliance.config import load_paths
from appliance.errors import UsageError


@click.command()
@click.option("--lang", "languages", multiple=True, help="Only this language; may be given several times.")
@click.option("--seed", default=1, show_default=True, help="The same seed gives the same weights.")
@click.option(
    "--shared",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder with other people's sets; default: ../shared",
)
@click.option("--force", is_flag=True, help="Also where a set that the weights learned from is not here now.")
def command(languages: tuple[str, ...], seed: int, shared: Path | None, force: bool) -> None:
    """Train slot tagger and intent layer from knowledge/sentences. Takes minutes."""
    from appliance.readers.embedding import SentenceEmbedder
    from appliance.readers.other_sets import other_sets, trainable
    from appliance.readers.training import sentence_folders, train

    paths = load_paths()
    folder = shared or paths.checkout.parent / "shared"
    known = [one.name for one in sentence_folders(paths)]
    chosen = list(languages) or known
    if unknown := sorted(set(chosen) - set(known)):
        raise UsageError(f"No sentences for '{unknown[0]}' in knowledge/sentences. There are: {known}.")
    for language in chosen:
        for name in sorted(set(trainable(language)) - set(other_sets(language, folder))):
            click.echo(f"{language}: {name} is not in {folder / 'data' / 'text'}, not trained with it")
    began = time.monotonic()
    train(paths, chosen, folder, seed, force, SentenceEmbedder(), click.echo)
    click.echo(f"done in {time.monotonic() - began:.0f} s")
