"""A language's words for dates, times, counts, digits and names: ``knowledge/normalise/<language>.yaml``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml
from num2words import num2words
from pydantic import ValidationError

from appliance.errors import KnowledgeError
from appliance.readers.normalise.word_file import CountRule, DateRule, DurationRule, TimeRule, WordFile
from appliance.readers.normalise.written import Written, fold, write

BOUNDED = r"(?<![\w.:])(?:{})(?!\w)"

DATE = r"\d{1,2}[/.\-]\d{1,2}[/.\-]\d{2,4}(?!\d)|\d{4}[/-]\d\d[/-]\d\d"
PHONE = rf"(?<!\d)(?!{DATE})(?:\+?\d(?:[ /\-]?\d){{6,}}|0\d{{2,}}(?:[ /\-]?\d{{2,}})+)"
"""Digits that are a phone number and no date, so that no time or count is read from them."""


def alternation(words: Iterable[str]) -> str:
    """A pattern for any of the words, longest first."""
    return "|".join(sorted({re.escape(fold(w)) for w in words}, key=len, reverse=True))


@dataclass(frozen=True)
class Words:
    """A word file with its tables folded and its rules compiled."""

    file: WordFile

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number word -> value, 0 to 199 and the years, all spellings folded."""
        language = self.file.language
        table: dict[str, int] = {}
        for value in (*range(1000), *range(2020, 2041)):
            word = fold(num2words(value, lang=language))
            table[word] = value
            table[word.replace("-", " ").replace(" and ", " ")] = value
            if 100 <= value < 200:  # "hundertzwei" beside "einhundertzwei"
                table |= {word.removeprefix(fold(one)): value for one in self.file.one}
        table.update({fold(word): value for word, value in self.file.numbers.items()})
        return {word: value for word, value in table.items() if word not in self.file.not_numbers}

    @cached_property
    def ordinals(self) -> dict[str, int]:
        """Ordinal word -> value, 1 to 31, all endings."""
        table = {fold(word): value for word, value in self.file.ordinals.items()}
        for value in range(1, 32):
            stem = fold(num2words(value, lang=self.file.language, to="ordinal"))
            for ending in self.file.ordinal_endings:
                table[stem + ending] = value
                table[stem.replace("-", " ") + ending] = value
        return {word: value for word, value in table.items() if word not in self.file.not_numbers}

    @cached_property
    def digitised(self) -> dict[str, str]:
        """Number word -> digits, ordinal word -> digits with a point."""
        return {w: str(v) for w, v in self.numbers.items()} | {w: f"{v}." for w, v in self.ordinals.items()}

    @cached_property
    def _number_words(self) -> re.Pattern[str]:
        return re.compile(rf"(?<![a-z0-9])(?:{alternation(self.digitised)})(?![a-z0-9])")

    @cached_property
    def _blank(self) -> re.Pattern[str]:
        says = (re.sub(r"\?P<\w+>", "?:", self._filled(say)) for say in self.file.blank)
        return re.compile("|".join([*(BOUNDED.format(say) for say in says), PHONE]))

    def written(self, text: str) -> Written:
        """The text as the rules of dates, times and counts match it; greetings, prices, phones blanked."""
        numbers = write(text).replace(self._number_words, self.digitised)
        ordinals = numbers.replace(
            re.compile(r"(?<=\d)(?:st|nd|rd|th|ter|ten|te)\b"), dict.fromkeys(ENDINGS, ".")
        )
        return ordinals.replace(self._blank, "~")

    @cached_property
    def member(self) -> str:
        """A pattern for one person in a list of people."""
        return fold(self.file.member_words).replace("{family}", self.file.family_words)

    @cached_property
    def macros(self) -> dict[str, str]:
        """Placeholder -> pattern with a named group."""
        one = alternation(self.file.one)
        endings = alternation(self.file.weekday_endings)
        months = alternation(w for words in self.file.months.values() for w in words)
        return {
            "h": r"(?P<h>2[0-4]|[01]?\d)(?![\d:])(?!\.\d)",
            "hh": r"(?P<h>2[0-4]|[01]?\d)",
            "h2": r"(?P<h2>2[0-4]|[01]?\d)(?![\d:])",
            "m": r"(?P<m>[0-5]?\d)(?![\d.])",
            "mm": r"(?P<m>[0-5]\d)(?!\d)",
            "mc": r"(?P<m>1[3-9]|[2-5]\d|00)(?!\d)",
            "mq": r"(?P<m>15|30|45)(?!\d)",
            "m1": r"(?P<m>\d)(?!\d)",
            "ap": r"(?P<ap>[ap])\.?\s?m\b\.?",
            "d": r"(?P<d>3[01]|[12]\d|0?[1-9])(?!\d)",
            "mo": rf"(?P<mo>{months})(?!\w)",
            "mon": r"(?P<mon>1[0-2]|0?[1-9])(?!\d)",
            "a": r"(?P<a>3[01]|[12]\d|0?[1-9])",
            "b": r"(?P<b>3[01]|[12]\d|0?[1-9])(?!\d)",
            "y": r"(?P<y>(?:19|20)\d\d|\d\d)(?![\d:]| ?uhr)(?!\.\d)",
            "yy": r"(?P<y>(?:19|20)\d\d)(?!\d)",
            "y4": r"(?P<y>(?:19|20)\d\d)",
            "w": rf"(?P<w>{alternation(self.weekday_words)})(?:{endings}|\.)?(?!\w)",
            "rel": rf"(?P<rel>{alternation(self.file.relative_days)})",
            "f": rf"(?P<f>{'|'.join(sorted(map(fold, self.file.feasts), key=len, reverse=True))})",
            "k": rf"(?P<k>\d\d?|{one})(?![\w.])",
            "k2": rf"(?P<k2>\d\d?|{one})(?![\w.])",
            "n": r"(?P<n>\d{1,3})(?![\d:])(?![.,]\d)",
            "n2": r"(?P<n2>\d{1,2})(?![\d:])(?![.,]\d)",
            "nw": rf"(?P<nw>{alternation(self.numbers)})",
            "people": self.file.people_words,
            "child": self.file.child_words,
            "family": self.file.family_words,
            "member": self.member,
        }

    def pattern(self, say: str) -> re.Pattern[str]:
        """A rule's words as a pattern over written text: placeholders filled in, any white space."""
        return re.compile(BOUNDED.format(self._filled(say)))

    def _filled(self, say: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda m: self.macros[m.group(1)], fold(say))

    @cached_property
    def weekday_words(self) -> dict[str, int]:
        """Weekday word -> 0 (Monday) to 6. Two-letter ones need a point or a date, see ``dates``."""
        return {fold(w): number for number, words in self.file.weekdays.items() for w in words}

    @cached_property
    def month_words(self) -> dict[str, int]:
        """Month word -> 1 to 12."""
        return {fold(w): number for number, words in self.file.months.items() for w in words}

    @cached_property
    def relative(self) -> dict[str, int]:
        """Relative day word -> days from today."""
        return {fold(w): days for w, days in self.file.relative_days.items()}

    @cached_property
    def feasts(self) -> dict[str, str]:
        """Pattern of a feast's name -> how its date is found."""
        return {fold(name): rule for name, rule in self.file.feasts.items()}

    @cached_property
    def date_rules(self) -> tuple[tuple[re.Pattern[str], DateRule], ...]:
        """Compiled rules for dates."""
        return tuple((self.pattern(rule.say), rule) for rule in self.file.dates)

    @cached_property
    def time_rules(self) -> tuple[tuple[re.Pattern[str], TimeRule], ...]:
        """Compiled rules for times of day."""
        return tuple((self.pattern(rule.say), rule) for rule in self.file.times)

    @cached_property
    def duration_rules(self) -> tuple[tuple[re.Pattern[str], DurationRule], ...]:
        """Compiled rules for times from now on."""
        return tuple((self.pattern(rule.say), rule) for rule in self.file.times_in)

    @cached_property
    def part_rules(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        """Compiled words for parts of the day."""
        return tuple((self.pattern(p), part) for part, says in self.file.parts_of_day.items() for p in says)

    @cached_property
    def count_rules(self) -> tuple[tuple[re.Pattern[str], CountRule], ...]:
        """Compiled rules for counts of people."""
        return tuple((self.pattern(rule.say), rule) for rule in self.file.people)

    @cached_property
    def not_hour(self) -> re.Pattern[str]:
        """What follows a number that is no hour."""
        return re.compile(r"[\s\-]*(?:" + fold(self.file.after_time) + r"|~)")

    @cached_property
    def not_count(self) -> re.Pattern[str]:
        """What follows a number that counts no people."""
        return re.compile(r"\s*(?:" + fold(self.file.after_count) + r"|:|/|[.,]\d)")

    @cached_property
    def not_after(self) -> re.Pattern[str]:
        """What leads a number that counts no people."""
        return re.compile(r"(?<!\w)(?:" + fold(self.file.before_count) + r"|\d)\s$")

    def negates(self, before: str) -> bool:
        """True when the text before a value says that it is not meant."""
        return self._negation.search(before) is not None

    def corrects(self, before: str) -> bool:
        """True when the folded text before a value says that it replaces another."""
        return self._correction.search(before) is not None

    @cached_property
    def introduced(self) -> re.Pattern[str]:
        """On the utterance as heard: an introduction and up to three capitalised words after or before it."""
        capital = r"[A-ZÀ-ÞĞİŞŁŚŻŹČŠŽ][\w'’\-]+"
        small = "|".join(map(re.escape, self.file.particles))
        name = rf"(?:(?:{small})\s+){{0,2}}{capital}(?:\s+(?:(?:{small})\s+){{0,2}}{capital}){{0,2}}"
        before, after = (
            "|".join(sorted(map(re.escape, says), key=len, reverse=True))
            for says in (self.file.name_intros, self.file.name_outros)
        )
        return re.compile(
            rf"(?<!\w)(?i:{before})\s+(?P<after>{name})|(?P<before>{name}),?\s+(?i:{after})(?!\w)"
        )

    @cached_property
    def _correction(self) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w)(?:{alternation(self.file.correction_words)})(?!\w)")

    def is_or(self, between: str) -> bool:
        """True when the text between two values says that either can be meant."""
        return self._either.fullmatch(between) is not None

    @cached_property
    def _negation(self) -> re.Pattern[str]:
        small = r"(?:\s+(?:am|um|fuer|auf|den|der|die|das|zu|at|for|on|the|gegen|in|an))?"
        return re.compile(rf"(?<!\w)(?:{alternation(self.file.negation)}){small}\s*$")

    @cached_property
    def _either(self) -> re.Pattern[str]:
        small = r"(?:\s*(?:um|am|fuer|auch|at|for|on|zu|der|den|the|gegen|vielleicht|maybe))*"
        return re.compile(rf"\s*,?\s*(?:{alternation(self.file.either)}|-|/){small}\s*")


ENDINGS = ("st", "nd", "rd", "th", "ter", "ten", "te")


def load_words(path: Path) -> Words:
    """A language's word file. Raises KnowledgeError that names file and key."""
    try:
        raw = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # "no" stays a word
        words = Words(WordFile.model_validate(raw))
        _ = words.date_rules, words.time_rules, words.duration_rules, words.part_rules, words.count_rules
        _ = words.not_hour, words.written("")
    except OSError as error:
        raise KnowledgeError(f"{path}: {error.strerror}. Every language needs a word file.") from error
    except yaml.YAMLError as error:
        raise KnowledgeError(f"{path}: not valid YAML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise KnowledgeError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except (re.error, KeyError) as error:
        raise KnowledgeError(
            f"{path}: a rule is no pattern: {error}. See the placeholders at its top."
        ) from error
    return words
