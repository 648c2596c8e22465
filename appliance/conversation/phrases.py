"""What the assistant says: phrases by key, several wordings each, from ``knowledge/phrases``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from appliance.conversation.models import Say
from appliance.conversation.written import Formats, writers
from appliance.errors import KnowledgeError

ELSEWHERE = "elsewhere.yaml"
"""One sentence in each language that is not spoken here."""
FEWEST_WORDINGS = 2
WORD = re.compile(r"\w+")

Wordings = tuple[str, ...]


class PhraseFile(BaseModel):
    """One language. A phrase is a list of wordings, or one list each under ``du`` and ``sie``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    language: str
    address: Mapping[str, tuple[str, ...]] = {}
    """Words of each form of address, in languages that have several; they must not stand in the other's."""
    formats: Formats
    phrases: Mapping[str, Wordings | Mapping[str, Wordings]]

    def wordings(self, phrase: str, formality: str) -> Wordings:
        """Raises KeyError for a phrase that is not in the file."""
        found = self.phrases[phrase]
        return found[formality] if isinstance(found, Mapping) else found


@dataclass(frozen=True)
class PhraseBook:
    """Implements :class:`appliance.conversation.ports.Phrasebook` for a business's form of address."""

    files: Mapping[str, PhraseFile]
    sentences_elsewhere: Mapping[str, str]
    formality: str = "sie"

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.files)

    def render(self, say: Sequence[Say], language: str, turn: int) -> str:
        """All phrases in order, with a space between them. Raises KeyError for unknown phrases and values."""
        file = self.files[language]
        kinds = writers(file.formats)
        return " ".join(_filled(self._wording(one, language, turn), one, kinds) for one in say)

    def fixed(self, say: Sequence[Say], language: str) -> tuple[str, ...]:
        """The literal text of every wording of these phrases."""
        file = self.files[language]
        return tuple(
            literal
            for one in say
            for wording in file.wordings(one.phrase, self.formality)
            for literal, *_ in Formatter().parse(wording)
        )

    def calendar(self, language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        formats = self.files[language].formats
        return formats.weekdays, formats.months

    def elsewhere(self, language: str) -> str | None:
        return self.sentences_elsewhere.get(language)

    def _wording(self, one: Say, language: str, turn: int) -> str:
        wordings = self.files[language].wordings(one.phrase, self.formality)
        return wordings[(turn if one.variant is None else one.variant) % len(wordings)]


def _filled(wording: str, say: Say, kinds: Mapping[str, Any]) -> str:
    parts = []
    for literal, name, kind, _ in Formatter().parse(wording):
        parts.append(literal)
        if name is not None:
            parts.append(kinds[kind or "text"](say.values[name]))
    return "".join(parts)


def load_phrases(folder: Path, formality: str = "sie", banned: Sequence[str] = ()) -> PhraseBook:
    """All languages of a folder. Raises KnowledgeError with every mistake that :func:`problems` finds."""
    files = {path.stem: _load(path) for path in sorted(folder.glob("*.yaml")) if path.name != ELSEWHERE}
    try:
        elsewhere = yaml.safe_load((folder / ELSEWHERE).read_text("utf-8"))
    except (OSError, yaml.YAMLError) as cause:
        raise KnowledgeError(f"The phrases {folder / ELSEWHERE} can't be read: {cause}") from cause
    found = problems(files, banned)
    if found:
        raise KnowledgeError(f"The phrases in {folder} are wrong:\n" + "\n".join(found))
    return PhraseBook(files, {str(key): str(text) for key, text in elsewhere.items()}, formality)


def _load(path: Path) -> PhraseFile:
    try:
        return PhraseFile.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as cause:
        raise KnowledgeError(f"The phrases {path} can't be used: {cause}") from cause


def problems(files: Mapping[str, PhraseFile], banned: Sequence[str] = ()) -> list[str]:
    """Every mistake in a sentence: languages that differ, missing wordings, unknown kinds, banned words."""
    if not {"de", "en"} <= set(files):
        return ["German (de.yaml) and English (en.yaml) must be there."]
    found = []
    keys = set().union(*(file.phrases for file in files.values()))
    for language, file in files.items():
        found += [
            f"{language}: '{key}' is missing; another language has it." for key in keys - set(file.phrases)
        ]
        for key in sorted(file.phrases):
            found += [f"{language}: '{key}' {what}" for what in _mistakes(file, key, banned)]
    for key in sorted(keys):
        shapes = {_placeholders(file, key) for file in files.values() if key in file.phrases}
        if len(shapes) > 1:
            found.append(f"'{key}' has other placeholders in one language than in another.")
    return sorted(found)


def _mistakes(file: PhraseFile, key: str, banned: Sequence[str]) -> list[str]:
    phrase = file.phrases[key]
    variants = phrase if isinstance(phrase, Mapping) else {"": phrase}
    if variants.keys() not in ({""}, {"du", "sie"}):
        return ["needs wordings for both 'du' and 'sie', or one list for both."]
    known = writers(file.formats)
    found = []
    for form, wordings in variants.items():
        if len(set(wordings)) < FEWEST_WORDINGS:
            found.append(f"needs at least {FEWEST_WORDINGS} different wordings {form}".rstrip() + ".")
        if len({_names(wording) for wording in wordings}) > 1:
            found.append("does not use the same placeholders in all of its wordings.")
        for wording in wordings:
            found += [f"addresses the caller as '{word}'." for word in _misaddressed(file, form, wording)]
            unknown = {kind for _, kind in _names(wording) if kind not in known}
            found += [f"uses a kind that does not exist: {kind}." for kind in sorted(unknown)]
            found += [
                f"says the banned phrase '{one}'." for one in banned if one.casefold() in wording.casefold()
            ]
            if not wording.strip():
                found.append("has an empty wording.")
    return found


def _misaddressed(file: PhraseFile, form: str, wording: str) -> list[str]:
    """Words of another form of address than the wording is for; one list for both may hold none."""
    others = {word for name, words in file.address.items() if name != form for word in words}
    return sorted(others & set(WORD.findall(wording)))


def _names(wording: str) -> frozenset[tuple[str, str]]:
    """Placeholders of a wording with their kinds."""
    return frozenset((name, kind or "text") for _, name, kind, _ in Formatter().parse(wording) if name)


def _placeholders(file: PhraseFile, key: str) -> frozenset[tuple[str, str]]:
    phrase = file.phrases[key]
    lists = phrase.values() if isinstance(phrase, Mapping) else (phrase,)
    return frozenset().union(*(_names(wording) for wordings in lists for wording in wordings))
