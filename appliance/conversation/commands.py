"""What a caller's words can mean: a small set of typed commands. Readers propose them, code decides.

A turn may hold several. Values are canonical (``datetime.date``, ``datetime.time``, ``int``, ``str``);
``text`` is the span of the utterance that the value was read from, so that a slot can always be traced
to words that the caller said (R-22).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, time

SlotValue = str | int | date | time
"""A slot's canonical value: phones in E.164, names as spoken, dishes as on the menu."""


@dataclass(frozen=True)
class StartMatter:
    """The caller wants something that takes several turns, e.g. ``reservation``."""

    matter: str


@dataclass(frozen=True)
class SetSlot:
    """The caller gave a value. ``corrects``: said as a correction ("nein, fünf")."""

    slot: str
    value: SlotValue
    text: str
    confidence: float = 1.0
    corrects: bool = False


@dataclass(frozen=True)
class AmbiguousSlot:
    """The caller gave a value that can mean several; ``candidates`` are asked back, likeliest first."""

    slot: str
    candidates: tuple[SlotValue, ...]
    text: str


@dataclass(frozen=True)
class ClearSlot:
    """The caller took a value back without giving another ("der Name stimmt nicht")."""

    slot: str


@dataclass(frozen=True)
class AskFact:
    """The caller asks something that a tool answers.

    ``topic`` is one of ``hours``, ``menu``, ``allergens``, ``price``, ``services``, ``knowledge``;
    ``about`` holds what it is about (``day``, ``category``, ``item``, ``allergen``), ``text`` the question.
    """

    topic: str
    text: str
    about: tuple[tuple[str, SlotValue], ...] = ()


@dataclass(frozen=True)
class Affirm:
    """A clear yes."""


@dataclass(frozen=True)
class Deny:
    """A clear no."""


@dataclass(frozen=True)
class Cancel:
    """The caller drops the current matter."""


@dataclass(frozen=True)
class Repeat:
    """The caller wants the last answer again."""


@dataclass(frozen=True)
class AskPerson:
    """The caller wants, or needs, a person. ``reason``: asked, complaint, special_wish, emergency, …"""

    reason: str = "asked"
    text: str = ""


@dataclass(frozen=True)
class Greet:
    """The caller said hello, nothing else."""


@dataclass(frozen=True)
class Thank:
    """The caller said thanks, nothing else."""


@dataclass(frozen=True)
class Goodbye:
    """The caller ends the call."""


@dataclass(frozen=True)
class Wait:
    """The caller asks for a moment."""


@dataclass(frozen=True)
class Silence:
    """Nobody spoke for ``seconds`` since the assistant's last word."""

    seconds: float


@dataclass(frozen=True)
class NotUnderstood:
    """No reader was sure. ``reason``: low_confidence, unknown_words, nothing_said, other_language:<code>."""

    reason: str = "unknown_words"


Command = (
    StartMatter
    | SetSlot
    | AmbiguousSlot
    | ClearSlot
    | AskFact
    | Affirm
    | Deny
    | Cancel
    | Repeat
    | AskPerson
    | Greet
    | Thank
    | Goodbye
    | Wait
    | Silence
    | NotUnderstood
)


@dataclass(frozen=True)
class Reading:
    """What one reader (or the cascade) made of an utterance."""

    commands: tuple[Command, ...]
    reader: str
    """``lexicon``, ``tagger``, ``intents``, ``language_model``, ``cascade``, …"""
    confidence: float = 1.0
    """Calibrated probability that the commands are right, 0 to 1."""
    unexplained: tuple[str, ...] = ()
    """Words with content that no command accounts for."""
    seconds: float = 0.0
    notes: tuple[str, ...] = field(default=())
    """Why it went as it did, for the report: "model asked: tagger 0.62"."""
