"""Keeps evaluated prompts: each once in the context for all callers, and on disk for the next start."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from appliance.errors import EngineError
from appliance.language_model.decoding import MOST_TOKENS
from appliance.language_model.llama import CHUNK, Llama

MOST_PREFIXES = 6
MOST_FILES = 8

Check = Callable[[], None]
"""Raises when the request must stop."""


class PrefixFiles:
    """Evaluated prefixes on disk, named by model, library, prompt and their own hash."""

    def __init__(self, folder: Path, model: str) -> None:
        """``model``: names model and library exactly; states of another one are never read."""
        self._folder = folder
        self._model = model

    def restore(self, llama: Llama, sequence: int, tokens: Sequence[int]) -> bool:
        """True when ``sequence`` now holds ``tokens``. A damaged file is removed and not used."""
        for file in self._folder.glob(f"{self._key(tokens)}-*.state"):
            if _hash(file.read_bytes()) == file.stem.rpartition("-")[2] and llama.restore(
                sequence, tokens, file
            ):
                file.touch()
                return True
            file.unlink(missing_ok=True)
        return False

    def save(self, llama: Llama, sequence: int, tokens: Sequence[int]) -> None:
        """Write, whole or not at all; a full or read-only disk only costs time at the next start."""
        key = self._key(tokens)
        draft = self._folder / f"{key}.draft"
        with contextlib.suppress(OSError, EngineError):
            self._folder.mkdir(parents=True, exist_ok=True)
            llama.save(sequence, tokens, draft)
            draft.replace(self._folder / f"{key}-{_hash(draft.read_bytes())}.state")
            self._remove_old()
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)

    def _key(self, tokens: Sequence[int]) -> str:
        return _hash(f"{self._model} {' '.join(map(str, tokens))}".encode())

    def _remove_old(self) -> None:
        files = sorted(self._folder.glob("*.state"), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in files[MOST_FILES:]:
            file.unlink(missing_ok=True)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


@dataclass
class _Held:
    """What one sequence of the context holds."""

    sequence: int
    tokens: list[int] = field(default_factory=list)
    shared: int = 0
    """How many of the first tokens belong to a prefix and take no room of their own."""
    prefix: str = ""


class Sequences:
    """Shares out a whole context: some sequences hold prefixes, the others callers. Oldest use goes first."""

    def __init__(self, llama: Llama, files: PrefixFiles | None) -> None:
        self._llama = llama
        self._files = files
        self._prefixes: dict[str, _Held] = {}
        self._callers: dict[str, _Held] = {}
        self._free = list(range(llama.settings.sequences))
        llama.clear()

    def hold(self, prefix: str, check: Check) -> int:
        """Evaluate ``prefix`` unless it is held; its length in tokens.

        When ``check`` stops it, what was done is kept and the next call goes on from there. Raises
        EngineError when it is too long for the context.
        """
        tokens = self._llama.tokenize(prefix.encode(), markup=True)
        held = self._prefixes.pop(prefix, None) or self._new_prefix(prefix, len(tokens))
        self._prefixes[prefix] = held
        if not held.tokens and self._files and self._files.restore(self._llama, held.sequence, tokens):
            held.tokens = tokens
        if len(held.tokens) < len(tokens):
            self._extend(held, tokens[len(held.tokens) :], check)
            if self._files:
                self._files.save(self._llama, held.sequence, tokens)
        return len(tokens)

    def begin(self, prefix: str, text: str, caller: str, check: Check) -> tuple[Writer, list[int]]:
        """A writer at the end of ``prefix``, in the caller's own sequence, and the tokens of ``text``.

        Control tokens are recognised in ``prefix`` only: ``text`` holds the caller's words.
        """
        length = self.hold(prefix, check)
        tokens = self._llama.tokenize(text.encode())
        self._make_room(len(tokens) + MOST_TOKENS, keep=prefix)
        held = self._callers.pop(caller, None) or _Held(self._take())
        self._callers[caller] = held
        self._llama.copy(self._prefixes[prefix].sequence, held.sequence, length)
        held.tokens, held.shared, held.prefix = list(self._prefixes[prefix].tokens), length, prefix
        return Writer(self._llama, held, check), tokens

    def forget(self, caller: str) -> None:
        """Drop what a caller's sequence holds, when the call has ended."""
        if held := self._callers.pop(caller, None):
            self._drop(held)

    def _new_prefix(self, prefix: str, length: int) -> _Held:
        if length + MOST_TOKENS + CHUNK > self._llama.settings.cells:
            raise EngineError(
                f"A prompt of {length} tokens does not fit into a context of {self._llama.settings.cells}; "
                "use fewer examples."
            )
        while len(self._prefixes) >= MOST_PREFIXES:
            self._drop_prefix(next(iter(self._prefixes)))
        self._make_room(length, keep=prefix)
        return _Held(self._take(), prefix=prefix)

    def _extend(self, held: _Held, tokens: Sequence[int], check: Check) -> None:
        for begin in range(0, len(tokens), CHUNK):
            check()
            chunk = tokens[begin : begin + CHUNK]
            self._llama.evaluate(chunk, held.sequence, len(held.tokens))
            held.tokens += chunk

    def _take(self) -> int:
        if not self._free:
            oldest = next(iter(self._callers))
            self._drop(self._callers.pop(oldest))
        return self._free.pop()

    def _make_room(self, length: int, keep: str) -> None:
        """Drop callers, then prefixes other than ``keep``, until ``length`` more tokens fit."""
        while self._used() + length > self._llama.settings.cells:
            others = [prefix for prefix in self._prefixes if prefix != keep]
            if self._callers:
                self._drop(self._callers.pop(next(iter(self._callers))))
            elif others:
                self._drop_prefix(others[0])
            else:
                raise EngineError(f"A text of {length - MOST_TOKENS} tokens does not fit beside its prompt.")

    def _used(self) -> int:
        held = [*self._prefixes.values(), *self._callers.values()]
        return sum(len(one.tokens) - one.shared for one in held)

    def _drop_prefix(self, prefix: str) -> None:
        for caller in [name for name, held in self._callers.items() if held.prefix == prefix]:
            self._drop(self._callers.pop(caller))
        self._drop(self._prefixes.pop(prefix))

    def _drop(self, held: _Held) -> None:
        self._llama.cut(held.sequence, 0)
        self._free.append(held.sequence)


class Writer:
    """Appends to one caller's sequence; what :func:`appliance.language_model.decoding.decode` writes with."""

    def __init__(self, llama: Llama, held: _Held, check: Check) -> None:
        self._llama = llama
        self._held = held
        self._check = check
        self.tokens = 0
        """Evaluated so far."""

    def evaluate(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Append ``tokens``, in chunks between which the request can be stopped; logits after the last."""
        for begin in range(0, len(tokens), CHUNK):
            self._check()
            chunk = tokens[begin : begin + CHUNK]
            logits = self._llama.evaluate(chunk, self._held.sequence, len(self._held.tokens))
            self._held.tokens += chunk
            self.tokens += len(chunk)
        return logits

    def tokenize(self, text: bytes) -> list[int]:
        """The model's usual tokens of a text; no control token among them."""
        return self._llama.tokenize(text)
