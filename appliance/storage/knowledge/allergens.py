"""The 14 allergens of EU regulation 1169/2011, annex II: German letter codes and names per language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from appliance.errors import KnowledgeError
from appliance.storage.knowledge.folding import fold


class Allergen(BaseModel):
    """One of the 14. ``also``: what else callers and menus call it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    code: str = Field(pattern=r"^[A-N]$")
    names: dict[str, str]
    also: dict[str, tuple[str, ...]] = Field(default_factory=dict)


@dataclass(frozen=True)
class Allergens:
    """The table, by code and by any name."""

    by_code: Mapping[str, Allergen]

    @cached_property
    def _by_name(self) -> dict[str, str]:
        return {
            fold(name): one.code
            for one in self.by_code.values()
            for name in (*one.names.values(), *(word for words in one.also.values() for word in words))
        }

    def code_of(self, name: str) -> str | None:
        """The code of an allergen by its name in any language, upper or lower case."""
        return self._by_name.get(fold(name))

    def words(self, codes: tuple[str, ...], language: str) -> list[str]:
        """The names of these codes, in the order of the law; English where a language is not in the table."""
        return [self.name(code, language) for code in sorted(codes)]

    def all_names(self, languages: tuple[str, ...]) -> tuple[str, ...]:
        """Every name of every allergen in these languages, what callers and menus call it included."""
        return tuple(
            dict.fromkeys(
                name
                for one in self.by_code.values()
                for language in languages
                for name in (*filter(None, [one.names.get(language)]), *one.also.get(language, ()))
            )
        )

    def name(self, code: str, language: str) -> str:
        names = self.by_code[code].names
        return names.get(language) or names["en"]


def load_allergens(path: Path) -> Allergens:
    """Read ``knowledge/allergens.yaml``. Raises KnowledgeError unless it holds exactly the 14."""
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
        entries = [Allergen.model_validate(entry) for entry in raw["allergens"]]
    except OSError as cause:
        raise KnowledgeError(
            f"The allergen table {path} can't be read: {cause.strerror or cause}."
        ) from cause
    except (yaml.YAMLError, KeyError, TypeError, ValidationError) as cause:
        raise KnowledgeError(f"The allergen table {path} is wrong: {cause}") from cause
    table = {entry.code: entry for entry in entries}
    if sorted(table) != list("ABCDEFGHIJKLMN") or len(entries) != 14:
        raise KnowledgeError(f"The allergen table {path} must hold the codes A to N, each once.")
    if lacking := [code for code, entry in table.items() if not {"de", "en"} <= set(entry.names)]:
        raise KnowledgeError(
            f"The allergen table {path} lacks German or English names of {', '.join(lacking)}."
        )
    return Allergens(table)
