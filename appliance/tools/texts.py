"""The words of tool results: knowledge/phrases_tools/<language>.yaml, and how a language writes values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from appliance.conversation.business import Range
from appliance.errors import KnowledgeError


class TextFile(BaseModel):
    """One file. ``phrases`` hold ``{placeholders}``; the formats say how values are written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    weekdays: tuple[str, ...] = Field(min_length=7, max_length=7)
    months: tuple[str, ...] = Field(min_length=12, max_length=12)
    today: str
    tomorrow: str
    morning: str
    """Mark of the hours before noon, where a language has one."""
    afternoon: str
    date: str
    time: str
    range: str
    money: str
    and_joint: str
    """Between the last two parts of a list."""
    or_joint: str
    phrases: dict[str, str]


@dataclass(frozen=True)
class Texts:
    """The words of one language."""

    language: str
    file: TextFile

    def say(self, phrase: str, **values: Any) -> str:
        """A phrase with its values. Raises KeyError for a phrase that is not in the file."""
        return self.file.phrases[phrase].format(**values)

    def listing(self, parts: Sequence[str]) -> str:
        """``a, b und c``"""
        return _joined(parts, self.file.and_joint)

    def choice(self, parts: Sequence[str]) -> str:
        """``a, b oder c``"""
        return _joined(parts, self.file.or_joint)

    def first(self, parts: Sequence[str], most: int) -> str:
        """The first parts of a list, and how many more there are."""
        if len(parts) <= most:
            return self.listing(parts)
        return self.say("and_more", first=", ".join(parts[:most]), more=len(parts) - most)

    def day(self, day: date) -> str:
        weekday, month = self.weekday(day), self.file.months[day.month - 1]
        return self.file.date.format(weekday=weekday, day=day.day, month=month, year=day.year)

    def weekday(self, day: date) -> str:
        return self.file.weekdays[day.weekday()]

    def clock(self, at: time) -> str:
        return self.file.time.format(time=self._digits(at))

    def ranges(self, ranges: Sequence[Range]) -> str:
        """``11:00 bis 14:00 Uhr und 17:00 bis 22:00 Uhr``"""
        shown = [
            self.file.range.format(opens=self._digits(one.opens), closes=self._digits(one.closes))
            for one in ranges
        ]
        return self.listing(shown)

    def money(self, cents: int) -> str:
        return self.file.money.format(whole=cents // 100, cents=f"{cents % 100:02}")

    def _digits(self, at: time) -> str:
        if not self.file.morning:
            return f"{at:%H:%M}"
        half = self.file.morning if at.hour < 12 else self.file.afternoon
        return f"{at.hour % 12 or 12}:{at:%M} {half}"


def _joined(parts: Sequence[str], joint: str) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + joint + parts[-1]


def load_texts(folder: Path) -> dict[str, Texts]:
    """All languages of the folder. Raises KnowledgeError unless they hold the same phrases and values."""
    found: dict[str, Texts] = {}
    for path in sorted(folder.glob("*.yaml")):
        try:
            found[path.stem] = Texts(
                path.stem, TextFile.model_validate(yaml.safe_load(path.read_text("utf-8")))
            )
        except (OSError, yaml.YAMLError, ValidationError) as cause:
            raise KnowledgeError(f"The texts of the tools {path} are wrong: {cause}") from cause
    if not {"de", "en"} <= set(found):
        raise KnowledgeError(f"German and English texts of the tools must be in {folder}.")
    keys = set(found["de"].file.phrases)
    for language, texts in found.items():
        if different := keys ^ set(texts.file.phrases):
            raise KnowledgeError(
                f"{folder / language}.yaml: phrases differ from de.yaml: {', '.join(sorted(different))}."
            )
    return found
