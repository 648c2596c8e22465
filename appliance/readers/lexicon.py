"""Answers to an open question: yes, no, correct, cancel, repeat, wait, in ten languages. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

import yaml
from pydantic import Field, ValidationError

from appliance.config import Strict
from appliance.conversation.commands import (
    Affirm,
    Cancel,
    Command,
    Deny,
    NotUnderstood,
    Reading,
    Repeat,
    Wait,
)
from appliance.conversation.models import Context, Question
from appliance.errors import KnowledgeError
from appliance.readers.normalise.written import fold


class Answer(StrEnum):
    """What an utterance that answers an open question can be."""

    YES = "yes"
    NO = "no"
    CORRECT = "correct"
    CANCEL = "cancel"
    REPEAT = "repeat"
    WAIT = "wait"
    HESITATION = "hesitation"
    """Said something, but neither yes nor no."""
    MISHEARD = "misheard"
    """What a recogniser writes for a short yes or no that it did not hear well."""


COMMANDS: Mapping[Answer, Command] = {
    Answer.YES: Affirm(),
    Answer.NO: Deny(),
    Answer.CORRECT: Deny(),
    Answer.CANCEL: Cancel(),
    Answer.REPEAT: Repeat(),
    Answer.WAIT: Wait(),
    Answer.HESITATION: NotUnderstood(),
    Answer.MISHEARD: NotUnderstood("low_confidence"),
}
STRONGEST = (Answer.CANCEL, Answer.NO, Answer.CORRECT, Answer.REPEAT, Answer.WAIT)
"""Which answer an utterance is that holds several, none of them a yes: "nein, vergessen Sie's" cancels."""
LONGEST_ANSWER = 14
"""Words of the longest utterance that can be an answer and nothing else."""
LONGEST = 8
"""Words of the longest phrase."""


class LexiconFile(Strict):
    """The keys of ``knowledge/lexicon/<language>.yaml``; ``de.yaml`` explains them."""

    language: str = Field(pattern="^[a-z]{2}$")
    fillers: tuple[str, ...]
    yes: tuple[str, ...] = Field(min_length=1)
    no: tuple[str, ...] = Field(min_length=1)
    correct: tuple[str, ...] = Field(min_length=1)
    cancel: tuple[str, ...] = Field(min_length=1)
    repeat: tuple[str, ...] = Field(min_length=1)
    wait: tuple[str, ...] = Field(min_length=1)
    hesitation: tuple[str, ...] = Field(min_length=1)
    misheard: tuple[str, ...]
    ordinary: tuple[str, ...]

    def phrases(self, answer: Answer) -> tuple[str, ...]:
        """The phrases of one kind, as written."""
        said: tuple[str, ...] = getattr(self, answer.value)
        return said


def tokens(text: str) -> list[str]:
    """Words of a text, folded; apostrophes dropped ("so ist's" is "ists")."""
    return re.findall(r"\w+", fold(text).replace("'", ""))


@dataclass(frozen=True)
class Lexicon:
    """One language's answers, folded."""

    file: LexiconFile

    @cached_property
    def table(self) -> dict[tuple[str, ...], Answer]:
        """Phrase -> answer."""
        return {tuple(tokens(p)): answer for answer in Answer for p in self.file.phrases(answer)}

    @cached_property
    def fillers(self) -> frozenset[tuple[str, ...]]:
        """Phrases that change nothing."""
        return frozenset(tuple(tokens(p)) for p in self.file.fillers)

    def answer(self, text: str, *, exact: bool = False) -> Answer | None:
        """What the whole utterance is, or nothing if it holds anything else. A question is no yes (R-23).

        ``exact``: letters that are drawn out ("jaaa") are not forgiven, as in another language's words.
        """
        words = tokens(text)
        if len(words) > LONGEST_ANSWER:
            return None
        whole = self._known(tuple(words), exact)
        if whole is not None and (whole is not Answer.YES or "?" not in text):
            return whole
        answers = self._cover(words, exact)
        answer = None if answers is None else _together(answers)
        return Answer.HESITATION if answer is Answer.YES and "?" in text else answer

    def leading(self, text: str) -> Answer | None:
        """The answer at the start of an utterance that goes on: "ja, aber fünf" begins with yes."""
        words = tokens(text)
        while words and (words[0],) in self.fillers and (words[0],) not in self.table:
            words = words[1:]
        for length in range(min(LONGEST, len(words)), 0, -1):
            found = self.table.get(tuple(words[:length]))
            if found in (Answer.YES, Answer.NO, Answer.CORRECT):
                return found
        return None

    def _known(self, piece: tuple[str, ...], exact: bool) -> Answer | None:
        found = self.table.get(piece)
        return found if found or exact else self.table.get(tuple(map(_short, piece)))

    def _cover(self, words: Sequence[str], exact: bool) -> tuple[Answer, ...] | None:
        """The answers that the words are made of, few and long phrases first; nothing if a word is left."""
        best: list[tuple[Answer, ...] | None] = [()] + [None] * len(words)
        cost = [0.0] + [float("inf")] * len(words)
        for end in range(1, len(words) + 1):
            for start in range(max(0, end - LONGEST), end):
                piece = tuple(words[start:end])
                price, answer = self._price(piece, exact)
                so_far = best[start]
                if so_far is not None and cost[start] + price < cost[end]:
                    cost[end] = cost[start] + price
                    best[end] = so_far if answer is None else (*so_far, answer)
        return best[-1]

    def _price(self, piece: tuple[str, ...], exact: bool) -> tuple[float, Answer | None]:
        if piece in self.fillers:
            return 0.9, None
        answer = self._known(piece, exact)
        if answer is not None:
            return 1.0, answer
        return float("inf"), None


def _short(word: str) -> str:
    """ "Jaaa" as "ja": a letter drawn out at the end or doubled by the recogniser."""
    return re.sub(r"(.)\1+", r"\1", word)


def _together(answers: Sequence[Answer]) -> Answer | None:
    """Several answers as one. A yes beside anything but a yes is no clear yes."""
    kinds = set(answers)
    if not kinds:
        return Answer.HESITATION
    if len(kinds) == 1:
        return answers[0]
    if Answer.YES in kinds:
        rest = kinds - {Answer.YES}
        if rest <= {Answer.CANCEL}:
            return Answer.CANCEL
        return rest.pop() if len(rest) == 1 and rest <= {Answer.REPEAT, Answer.WAIT} else Answer.HESITATION
    return next((kind for kind in STRONGEST if kind in kinds), Answer.HESITATION)


@dataclass(frozen=True)
class Lexicons:
    """All languages' answers; a :class:`appliance.conversation.ports.Reader` for open questions."""

    by_language: Mapping[str, Lexicon]

    @classmethod
    def load(cls, folder: Path) -> Lexicons:
        """Every ``<language>.yaml`` of ``knowledge/lexicon``. Raises KnowledgeError that names the file."""
        files = sorted(folder.glob("*.yaml"))
        if not files:
            raise KnowledgeError(f"{folder} holds no lexicon; it needs one <language>.yaml at least.")
        return cls({path.stem: load_lexicon(path) for path in files})

    def answer(self, text: str, language: str) -> tuple[Answer, str] | None:
        """The answer and its language: the call's language first, then another that knows every word."""
        own = self.by_language.get(language)
        if own is not None:
            answer = own.answer(text)
            if answer is not None:
                return answer, language
            ordinary = {fold(word) for word in own.file.ordinary}
            if any(word in ordinary for word in tokens(text)):
                return None
        for other, lexicon in self.by_language.items():
            answer = lexicon.answer(text, exact=True) if other != language and tokens(text) else None
            if answer is not None and answer is not Answer.HESITATION:
                return answer, other
        return None

    def leading(self, text: str, language: str) -> Answer | None:
        """The yes or no that an utterance begins with, in the call's language."""
        own = self.by_language.get(language)
        return own.leading(text) if own is not None else None

    async def read(self, text: str, context: Context) -> Reading:
        """The answer as a command; no command if the utterance is more than an answer or none was open."""
        found = self.answer(text, context.language)
        if found is None or (found[0] is Answer.MISHEARD and context.question is not Question.YES_NO):
            return Reading((), "lexicon", 0.0)
        answer, language = found
        notes = (f"lexicon: {answer.value} ({language})",)
        return Reading((COMMANDS[answer],), "lexicon", 0.99, notes=notes)


def load_lexicon(path: Path) -> Lexicon:
    """One language's file, checked: keys known, named as its language, no phrase with two meanings."""
    try:
        raw = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # "no" stays a word
        file = LexiconFile.model_validate(raw)
    except OSError as error:
        raise KnowledgeError(f"{path}: {error.strerror}.") from error
    except yaml.YAMLError as error:
        raise KnowledgeError(f"{path}: not valid YAML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise KnowledgeError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    if file.language != path.stem:
        raise KnowledgeError(f"{path}: language is '{file.language}', but the file is named {path.name}.")
    _refuse_doubles(file, path)
    return Lexicon(file)


def _refuse_doubles(file: LexiconFile, path: Path) -> None:
    seen: dict[tuple[str, ...], Answer] = {}
    for answer in Answer:
        for phrase in file.phrases(answer):
            words = tuple(tokens(phrase))
            if not words or len(words) > LONGEST:
                raise KnowledgeError(f"{path}: {answer.value}: '{phrase}' must have 1 to {LONGEST} words.")
            if seen.get(words, answer) is not answer:
                raise KnowledgeError(
                    f"{path}: '{phrase}' is both {seen[words].value} and {answer.value}. Keep it in one."
                )
            seen[words] = answer
