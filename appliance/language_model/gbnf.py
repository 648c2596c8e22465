"""The same constraints through llama.cpp's own grammars, for comparison in ``tresen bench llm``.

A grammar that does not parse is an error here: llama.cpp only returns a null pointer for it, and a sampler
chain to which that pointer is added crashes or writes unconstrained text, depending on the version.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from appliance.conversation.constraint import (
    AnyOrder,
    Choice,
    Constraint,
    Literal,
    Optional,
    Repeat,
    Sequence,
    Spans,
    is_impossible,
)
from appliance.errors import ConstraintError

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


def to_gbnf(constraint: Constraint) -> str:
    """A grammar for the same language. Raises ConstraintError when nothing satisfies ``constraint``."""
    if is_impossible(constraint):
        raise ConstraintError("Nothing satisfies the constraint: there is no grammar for it.")
    return f"root ::= {_rule(constraint)}\n"


def _rule(constraint: Constraint) -> str:
    match constraint:
        case Literal(text):
            return _quoted(text)
        case Choice(options):
            return "(" + " | ".join(_rule(option) for option in options if not is_impossible(option)) + ")"
        case Sequence(parts):
            return "(" + " ".join(map(_rule, parts)) + ")" if parts else '""'
        case Optional(of):
            return '""' if is_impossible(of) else f"({_rule(of)})?"
        case Repeat(of, least, most):
            return '""' if most == 0 or is_impossible(of) else f"({_rule(of)}){{{least},{most}}}"
        case AnyOrder():
            raise ConstraintError("llama.cpp's grammars have no form for parts in any order.")
        case Spans():
            return _spans(constraint)


def _spans(spans: Spans) -> str:
    starts = []
    for index, (start, _) in enumerate(spans.words):
        rule, begin = "", start
        for _, end in spans.words[index : index + spans.longest]:
            piece = _quoted(spans.data[begin:end].decode())
            rule = f"{rule} ({piece}" if rule else piece
            begin = end
        starts.append(rule + ")?" * (min(spans.longest, len(spans.words) - index) - 1))
    return "(" + " | ".join(starts) + ")"


def _quoted(text: str) -> str:
    escaped = (c if (c.isascii() and c.isalnum()) or c == " " else f"\\U{ord(c):08X}" for c in text)
    return '"' + "".join(escaped) + '"'


class GrammarSampler:
    """llama.cpp's grammar over one text."""

    def __init__(self, cpp: Any, vocab: Any, gbnf: str) -> None:
        """Raises ConstraintError when ``gbnf`` does not parse."""
        self._cpp = cpp
        self._sampler = (
            cpp.llama_sampler_init_grammar(vocab, gbnf.encode(), b"root") if gbnf.strip() else None
        )
        if not self._sampler:
            raise ConstraintError("llama.cpp could not parse the grammar; nothing is written without one.")

    def allowed(self, logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """``logits`` with minus infinity for what the grammar forbids; filters the whole vocabulary."""
        return self._apply(np.arange(len(logits), dtype=np.int32), logits)

    def checked(self, logits: NDArray[np.float32]) -> int:
        """The likeliest token if the grammar allows it, else the likeliest of the allowed ones."""
        best = int(np.argmax(logits))
        if np.isfinite(self._apply(np.array([best], np.int32), logits[[best]])[0]):
            return best
        return int(np.argmax(self.allowed(logits)))

    def accept(self, token: int) -> None:
        """Go on after ``token``, which must be allowed."""
        self._cpp.llama_sampler_accept(self._sampler, token)

    def close(self) -> None:
        self._cpp.llama_sampler_free(self._sampler)

    def _apply(self, ids: NDArray[np.int32], logits: NDArray[np.float32]) -> NDArray[np.float32]:
        candidates = np.zeros(len(ids), _CANDIDATE)
        candidates["id"], candidates["logit"] = ids, logits
        data = candidates.ctypes.data_as(ctypes.POINTER(self._cpp.llama_token_data))
        array = self._cpp.llama_token_data_array(data=data, size=len(ids), selected=-1, sorted=False)
        self._cpp.llama_sampler_apply(self._sampler, ctypes.byref(array))
        return np.array(candidates["logit"])
