"""Writes a text that satisfies a constraint, asking the model only where the constraint leaves a choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from appliance.conversation.constraint import Choice, Constraint, Literal
from appliance.errors import ConstraintError
from appliance.language_model.matcher import Matcher, State
from appliance.language_model.vocabulary import Vocabulary

MOST_TOKENS = 256


class Evaluator(Protocol):
    """The model, as decoding sees it: appends tokens to one sequence."""

    def evaluate(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Append ``tokens`` (at least one); logits over the vocabulary, shape (tokens of the vocabulary,)."""
        ...

    def tokenize(self, text: bytes) -> list[int]:
        """The model's usual tokens of a text, none of them a control token."""
        ...


@dataclass(frozen=True)
class Decision:
    """One place where the model chose."""

    at: int
    """Bytes of output before it."""
    probability: float
    """Of the chosen token, among the allowed ones."""


@dataclass(frozen=True)
class Decoded:
    """A text that satisfies its constraint."""

    text: str
    decisions: tuple[Decision, ...]
    options: tuple[tuple[str, float], ...]
    """For a choice of literals that differ in their first token: each with its probability."""
    first_token_seconds: float
    mask_seconds: float
    """Spent on finding the allowed tokens and choosing among them."""

    @property
    def confidence(self) -> float:
        """Probability of the whole text among those that the constraint allows."""
        return float(np.prod([decision.probability for decision in self.decisions]))


def decode(
    constraint: Constraint,
    vocabulary: Vocabulary,
    evaluator: Evaluator,
    prompt: Sequence[int],
    check: Callable[[], None] = lambda: None,
) -> Decoded:
    """The greedy text under ``constraint`` after ``prompt`` (token ids not yet evaluated, at least one).

    ``check`` is called before each evaluation and raises to stop. Raises ConstraintError when nothing
    satisfies the constraint, or when the finished text does not.
    """
    run = _Run(constraint, vocabulary, evaluator, list(prompt))
    while run.advance_forced():
        check()
        run.choose()
    return run.finish()


class _Run:
    def __init__(
        self, constraint: Constraint, vocabulary: Vocabulary, evaluator: Evaluator, prompt: list[int]
    ) -> None:
        self._constraint = constraint
        self._matcher = Matcher(constraint)
        self._vocabulary = vocabulary
        self._evaluator = evaluator
        self._pending = prompt
        self._state: State | None = self._matcher.start
        self._text = bytearray()
        self._decisions: list[Decision] = []
        self._options: tuple[tuple[str, float], ...] = ()
        self._began = perf_counter()
        self._first = 0.0
        self._mask = 0.0

    def advance_forced(self) -> bool:
        """Write what must follow. False when the text is finished.

        The last token of a forced run is held back: its bytes and those of the choice after it may belong
        to one token, and the model must be free to take that one.
        """
        if self._state is None:
            return False
        forced, after = self._matcher.forced(self._state)
        if after == {None}:
            self._text += forced
            return False
        kept = self._evaluator.tokenize(forced)[:-1] if forced else []
        written = b"".join(self._vocabulary.pieces[token] for token in kept)
        self._state = self._matcher.run(self._state, written)
        if self._state is None:
            raise ConstraintError("The model's tokens do not spell the text that the constraint asks for.")
        self._text += written
        self._pending += kept
        return True

    def choose(self) -> None:
        """Evaluate what is pending and take the likeliest of the allowed tokens."""
        assert self._state is not None
        logits = self._evaluator.evaluate(self._pending)
        began = perf_counter()
        if not self._decisions:
            self._first = began - self._began
        allowed: dict[int, State | None] = {**self._vocabulary.allowed(self._matcher, self._state)}
        if self._matcher.accepts(self._state):
            allowed.update(dict.fromkeys(self._vocabulary.ends, None))
        if not allowed or len(self._decisions) >= MOST_TOKENS:
            raise ConstraintError("No token of the model fits the constraint, or the text grows too long.")
        tokens = list(allowed)
        probabilities = _softmax(logits[tokens])
        best = int(np.argmax(probabilities))
        if not self._decisions:
            starts = {token: self._after(token) for token in tokens}
            self._options = _options(self._constraint, starts, probabilities)
        self._decisions.append(Decision(len(self._text), float(probabilities[best])))
        self._state = allowed[tokens[best]]
        self._pending = [tokens[best]]
        if self._state is not None:
            self._text += self._vocabulary.pieces[tokens[best]]
        self._mask += perf_counter() - began

    def _after(self, token: int) -> bytes:
        ends = token in self._vocabulary.ends
        return bytes(self._text) + (b"" if ends else self._vocabulary.pieces[token])

    def finish(self) -> Decoded:
        """Check the text against the constraint once more, from the start."""
        data = bytes(self._text)
        if not self._matcher.matches(data):
            raise ConstraintError("The model's output does not satisfy the constraint.")
        return Decoded(data.decode(), tuple(self._decisions), self._options, self._first, self._mask)


def _softmax(scores: NDArray[np.float32]) -> NDArray[np.float64]:
    """Probabilities; a score that is no number counts as impossible, all of them as equally likely."""
    scores64 = np.nan_to_num(scores.astype(np.float64), nan=-1e30, posinf=1e30, neginf=-1e30)
    weights = np.exp(scores64 - scores64.max())
    return np.asarray(weights / weights.sum())


def _options(
    constraint: Constraint, starts: dict[int, bytes], probabilities: NDArray[np.float64]
) -> tuple[tuple[str, float], ...]:
    """Probability of each option of a plain choice; empty when the first token does not tell them apart.

    ``starts``: the output that each allowed token leads to, in the order of ``probabilities``.
    """
    literals = (
        [o for o in constraint.options if isinstance(o, Literal)] if isinstance(constraint, Choice) else []
    )
    if not isinstance(constraint, Choice) or len(literals) < len(constraint.options):
        return ()
    shares = dict.fromkeys((literal.text for literal in literals), 0.0)
    for start, probability in zip(starts.values(), probabilities, strict=True):
        owners = {literal.text for literal in literals if literal.data.startswith(start)}
        if len(owners) == 1:
            shares[owners.pop()] += float(probability)
    total = sum(shares.values())
    if not total or not all(shares.values()):
        return ()
    return tuple(sorted(((text, share / total) for text, share in shares.items()), key=lambda one: -one[1]))
