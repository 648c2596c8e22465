"""``tresen train``: sentence files to weights, the same each time; says which sets it could not use."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from appliance.config import Paths
from appliance.errors import ConfigError
from appliance.readers.calibration import held_out, intent_limits, tagger_limits
from appliance.readers.embedding import Embedder, embed_all
from appliance.readers.intents import save_layer
from appliance.readers.other_sets import LICENCES, Split, other_sets
from appliance.readers.sentences import Corpus, load_corpus
from appliance.readers.train_intents import Examples, IntentSettings, examples, train_layer
from appliance.readers.train_tagger import TaggerSettings, gazetteer, train_members, write_lists

CARD = "card.json"
"""Beside the weights: data, seed and held-out figures of each."""
THRESHOLDS = "thresholds.json"
ELSEWHERE = 0.5
"""Weight of another language's sentence in the intent layer, where the embedding carries it over."""
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Run:
    """What one ``tresen train`` works with."""

    corpora: Mapping[str, Corpus]
    sets: Mapping[str, Mapping[str, Split]]
    """Other people's sets that are here, by language and name."""
    target: Path
    seed: int
    tell: Tell


def train(
    paths: Paths,
    languages: Sequence[str],
    shared: Path,
    seed: int,
    force: bool,
    embedder: Embedder,
    tell: Tell,
) -> None:
    """Train tagger and intent layer of ``languages`` and put them in place together.

    Raises ConfigError when weights were trained on a set that is not here now, unless ``force``;
    KnowledgeError when a sentence file is wrong.
    """
    corpora = {folder.name: load_corpus(folder) for folder in sentence_folders(paths)}
    sets = {language: other_sets(language, shared) for language in languages}
    card, limits = _read(paths.readers / CARD), _read(paths.readers / THRESHOLDS)
    for language in languages:
        _check(language, card, sets[language], force)
    with tempfile.TemporaryDirectory(prefix="tresen-train-") as scratch:
        run = Run(corpora, sets, Path(scratch), seed, tell)
        intents = _intent_examples(run, embedder)
        for language in languages:
            tagger, tagger_limits = _tagger(run, language)
            layer, layer_limits = _intents(run, language, intents)
            card[language] = {"seed": seed, "tagger": tagger, "intents": layer}
            limits[language] = {**limits.get(language, {}), **tagger_limits, **layer_limits}
        _write(run.target / CARD, card)
        _write(run.target / THRESHOLDS, limits)
        _put_in_place(run.target, paths.readers)
    tell(f"weights in {paths.readers}")


def sentence_folders(paths: Paths) -> list[Path]:
    """One folder per language that has sentences."""
    return sorted(one for one in (paths.knowledge / "sentences").iterdir() if one.is_dir())


def _check(language: str, card: Mapping[str, Any], sets: Mapping[str, Split], force: bool) -> None:
    before = card.get(language, {}).get("tagger", {}).get("other_sets", [])
    missing = [name for name in before if name not in sets]
    if missing and not force:
        raise ConfigError(
            f"The weights for '{language}' were trained with {', '.join(missing)}, which is not in ../shared "
            "now. They are kept. To train without: ./tresen train --force"
        )


def _tagger(run: Run, language: str) -> tuple[dict[str, Any], dict[str, float]]:
    corpus, sets = run.corpora[language], run.sets[language]
    settings = TaggerSettings(seed=run.seed)
    own = len(corpus.sentences)
    others = "".join(f" and {len(split.train)} of {name}" for name, split in sets.items())
    run.tell(f"{language}: tagger from {own} sentences{others} …")
    lists = gazetteer(corpus.values, [other.values for other in run.corpora.values()])
    train_members(corpus, sets, lists, run.target, settings)
    write_lists(lists, run.target / f"{language}.lists.json")
    figures, limits = tagger_limits(*held_out(corpus, sets, lists, settings))
    run.tell(f"{language}: tagger on held-out sentences: {_line(figures)}")
    card = {
        "sentences": own,
        "templates": len(corpus.templates),
        "other_sets": {name: LICENCES[name] for name in sets},
        "held_out": figures,
    }
    return card, limits


def _intent_examples(run: Run, embedder: Embedder) -> dict[str, Examples]:
    """Every language's sentences: the layer of one learns from all."""
    count = sum(len(corpus.sentences) for corpus in run.corpora.values())
    run.tell(f"embedding {count} sentences …")
    found = {}
    for language, corpus in run.corpora.items():
        texts = [sentence.text for sentence in corpus.sentences]
        intents = [sentence.intents for sentence in corpus.sentences]
        found[language] = examples(texts, intents, embed_all(texts, embedder))
    return found


def _intents(
    run: Run, language: str, found: Mapping[str, Examples]
) -> tuple[dict[str, Any], dict[str, float]]:
    own = found[language]
    others = [part.weighted(ELSEWHERE) for other, part in found.items() if other != language]
    layer, held = train_layer(own, others, IntentSettings(), run.seed)
    save_layer(layer, run.target / f"intents_{language}.npz")
    figures, limits = intent_limits(held, own.wanted)
    run.tell(f"{language}: intents on held-out sentences: {_line(figures)}")
    return {"sentences": len(own.texts), "held_out": figures}, limits


def _line(figures: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value:.3f}" for key, value in figures.items() if isinstance(value, float))


def _put_in_place(made: Path, folder: Path) -> None:
    """Whole files or none: a stop in the middle of a write leaves the old file."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in sorted(made.iterdir()):
        part = folder / f".{file.name}.part"
        shutil.copyfile(file, part)
        part.replace(folder / file.name)


def _write(path: Path, data: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def _read(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except ValueError as cause:
        raise ConfigError(f"{path} is broken: {cause}. Restore it from the repository.") from cause
