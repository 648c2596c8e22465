"""A llama.cpp model and one context with several sequences, at the lowest level that llama-cpp-python has.

All methods block and none may run at the same time as another: the engine calls them from one thread.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from appliance.errors import EngineError, ModelCorrupt, ModelMissing
from appliance.language_model.vocabulary import Vocabulary

CHUNK = 128
"""Most tokens in one evaluation; between two evaluations a request can be cancelled."""


@dataclass(frozen=True)
class LlamaSettings:
    """How the model runs. ``cells`` are the tokens that all sequences may hold together."""

    threads: int = 2
    cells: int = 6144
    sequences: int = 12


class Llama:
    """The model, its vocabulary and its context. Sequences are numbered from 0."""

    def __init__(self, file: Path, settings: LlamaSettings) -> None:
        """Load ``file`` (GGUF) into memory. Raises ModelMissing, ModelCorrupt."""
        if not file.is_file():
            raise ModelMissing(f"The language model is not there: {file}. Run './tresen models fetch'.")
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # see docs/adr/0015: spinning threads collapse
        import llama_cpp

        self._cpp: Any = llama_cpp
        self.settings = settings
        self.file = file
        self._log = _Log(llama_cpp)
        llama_cpp.llama_backend_init()
        try:
            self._model = self._load_model()
            self._context = self._open_context()
        except Exception:
            self._log.close()  # llama.cpp must not call a function that is about to be freed
            raise
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._vocab = llama_cpp.llama_model_get_vocab(self._model)
        self._words = int(llama_cpp.llama_vocab_n_tokens(self._vocab))
        self._batch = llama_cpp.llama_batch_init(CHUNK, 0, 1)
        self.vocabulary = Vocabulary(
            [self._piece(token) for token in range(self._words)],
            frozenset(t for t in range(self._words) if llama_cpp.llama_vocab_is_eog(self._vocab, t)),
        )

    @property
    def version(self) -> str:
        """Of the library."""
        return str(self._cpp.__version__)

    def fingerprint(self) -> str:
        """Names the file's content without reading all of it: a hash of its size, beginning and end."""
        size = self.file.stat().st_size
        with self.file.open("rb") as stream:
            head = stream.read(2**20)
            stream.seek(max(size - 2**20, 0))
            return hashlib.sha256(str(size).encode() + head + stream.read()).hexdigest()[:32]

    def tokenize(self, text: bytes, *, markup: bool = False) -> list[int]:
        """Token ids. Only with ``markup`` are control tokens such as ``<|im_end|>`` recognised."""
        room = len(text) + 8
        tokens = (self._cpp.llama_token * room)()
        count = self._cpp.llama_tokenize(self._vocab, text, len(text), tokens, room, False, markup)
        if count < 0:
            raise EngineError("The model's tokenizer refused a text.")
        return list(tokens[:count])

    def evaluate(self, tokens: Sequence[int], sequence: int, position: int) -> NDArray[np.float32]:
        """Append up to CHUNK ``tokens`` to ``sequence`` at ``position``; the logits after the last.

        Raises EngineError when the context is full; the sequence then ends where it did before.
        """
        batch = self._batch
        batch.n_tokens = len(tokens)
        for index, token in enumerate(tokens):
            batch.token[index] = token
            batch.pos[index] = position + index
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = sequence
            batch.logits[index] = index == len(tokens) - 1
        code = self._cpp.llama_decode(self._context, batch)
        if code:
            self.cut(sequence, position)
            raise EngineError(f"The language model could not evaluate {len(tokens)} tokens (code {code}).")
        pointer = self._cpp.llama_get_logits_ith(self._context, len(tokens) - 1)
        return np.array(np.ctypeslib.as_array(pointer, shape=(self._words,)))

    def copy(self, source: int, target: int, length: int) -> None:
        """Let ``target`` begin with the first ``length`` tokens of ``source``; nothing is computed."""
        self.cut(target, 0)
        self._cpp.llama_memory_seq_cp(self._memory, source, target, 0, length)

    def cut(self, sequence: int, length: int) -> None:
        """Forget all of ``sequence`` after its first ``length`` tokens."""
        self._cpp.llama_memory_seq_rm(self._memory, sequence, length, -1)

    def clear(self) -> None:
        """Forget all sequences."""
        self._cpp.llama_memory_clear(self._memory, True)

    def save(self, sequence: int, tokens: Sequence[int], file: Path) -> None:
        """Write the evaluated state of ``sequence``, which holds ``tokens``. Raises EngineError."""
        array = (self._cpp.llama_token * len(tokens))(*tokens)
        path = str(file).encode()
        if not self._cpp.llama_state_seq_save_file(self._context, path, sequence, array, len(tokens)):
            raise EngineError(f"The evaluated prompt could not be saved in {file.parent}.")

    def restore(self, sequence: int, tokens: Sequence[int], file: Path) -> bool:
        """Read what :meth:`save` wrote. False, and an empty sequence, when it holds other tokens."""
        self.cut(sequence, 0)
        array = (self._cpp.llama_token * len(tokens))()
        count = ctypes.c_size_t()
        path = str(file).encode()
        read = self._cpp.llama_state_seq_load_file(
            self._context, path, sequence, array, len(tokens), ctypes.byref(count)
        )
        if read and list(array[: count.value]) == list(tokens):
            return True
        self.cut(sequence, 0)
        return False

    def grammar(self, gbnf: str) -> Any:
        """llama.cpp's own grammar sampler. Raises ConstraintError when it does not parse."""
        from appliance.language_model.gbnf import GrammarSampler

        return GrammarSampler(self._cpp, self._vocab, gbnf)

    def close(self) -> None:
        """Free the context and the model."""
        self._cpp.llama_batch_free(self._batch)
        self._cpp.llama_free(self._context)
        self._cpp.llama_model_free(self._model)
        self._log.close()

    def _load_model(self) -> Any:
        parameters = self._cpp.llama_model_default_params()
        parameters.load_mode = self._cpp.LLAMA_LOAD_MODE_NONE  # mapped weights would lie twice
        parameters.n_gpu_layers = 0
        model = self._cpp.llama_model_load_from_file(str(self.file).encode(), parameters)
        if not model:
            raise ModelCorrupt(
                f"llama.cpp can't load {self.file} ({self._log.last or 'no reason given'}). "
                "Run './tresen models verify'."
            )
        return model

    def _open_context(self) -> Any:
        parameters = self._cpp.llama_context_default_params()
        parameters.n_ctx = self.settings.cells
        parameters.n_batch = parameters.n_ubatch = CHUNK
        parameters.n_seq_max = self.settings.sequences
        parameters.n_threads = parameters.n_threads_batch = self.settings.threads
        parameters.kv_unified = True  # else a prefix can't be shared without copying its tensors
        context = self._cpp.llama_init_from_model(self._model, parameters)
        if not context:
            raise EngineError(f"No memory for a context of {self.settings.cells} tokens ({self._log.last}).")
        return context

    def _piece(self, token: int) -> bytes:
        if self._cpp.llama_vocab_is_control(self._vocab, token):
            return b""
        room = 256
        buffer = ctypes.create_string_buffer(room)
        length = self._cpp.llama_token_to_piece(self._vocab, token, buffer, room, 0, False)
        return buffer.raw[: max(length, 0)]


class _Log:
    """Keeps llama.cpp's last error instead of letting it print hundreds of lines."""

    ERROR = 4

    def __init__(self, cpp: Any) -> None:
        self.last = ""
        self._cpp = cpp
        self._callback = cpp.llama_log_callback(self._hear)
        cpp.llama_log_set(self._callback, None)

    def close(self) -> None:
        self._cpp.llama_log_set(self._cpp.llama_log_callback(0), None)

    def _hear(self, level: int, text: bytes, _: object) -> None:
        if level == self.ERROR:
            self.last = text.decode(errors="replace").strip()
