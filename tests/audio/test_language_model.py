"""The real language model: held prefixes, two callers, constraints, and the engine's process and its errors.

Uses the small 0.5B model: what is tested does not depend on how clever the model is.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

from appliance.config import load_paths
from appliance.conversation.constraint import Spans, in_order, one_of
from appliance.engines.supervisor import Supervisor, python_engine
from appliance.errors import (
    ConstraintError,
    EngineDown,
    EngineError,
    EngineTimeout,
    ModelCorrupt,
    ModelMissing,
)
from appliance.language_model.client import LanguageModel
from appliance.language_model.decoding import decode
from appliance.language_model.gbnf import to_gbnf
from appliance.language_model.llama import Llama, LlamaSettings
from appliance.language_model.prefixes import PrefixFiles, Sequences

pytestmark = pytest.mark.audio

MODEL = "qwen2.5-coder-0.5b-instruct-q4_k_m"
PREFIX = (
    "Copy the time.\n\ncaller: for two at nine\ntime: nine\n\ncaller: half six please\ntime: half six\n\n"
)
TURN = "caller: could we come at quarter past eight\n"


def go_on() -> None:
    """Nobody stops the request."""


@pytest.fixture(scope="module")
def llama() -> Iterator[Llama]:
    file = load_paths().models / MODEL / "model.gguf"
    if not file.is_file():
        pytest.skip(f"the model {MODEL} is not in the store")
    model = Llama(file, LlamaSettings(cells=768, sequences=8))
    yield model
    model.close()


def _logits(llama: Llama, prefix: str, caller: str, sequences: Sequences) -> np.ndarray:
    writer, tokens = sequences.begin(prefix, TURN, caller, go_on)
    return np.array(writer.evaluate(tokens))


def test_a_copied_prefix_gives_the_scores_of_a_fresh_evaluation(llama: Llama) -> None:
    sequences = Sequences(llama, None)
    copied = [_logits(llama, PREFIX, caller, sequences) for caller in ("a", "b")]
    tokens = llama.tokenize(PREFIX.encode(), markup=True)
    llama.cut(0, 0)
    llama.evaluate(tokens, 0, 0)

    fresh = llama.evaluate(llama.tokenize(TURN.encode()), 0, len(tokens))

    assert np.array_equal(copied[0], copied[1])
    assert np.allclose(copied[0], fresh, atol=0.5)
    assert int(np.argmax(copied[0])) == int(np.argmax(fresh))


def test_a_prefix_read_from_disk_gives_the_same_scores_and_a_damaged_file_is_not_used(
    llama: Llama, tmp_path: Path
) -> None:
    evaluated = _logits(llama, PREFIX, "a", Sequences(llama, PrefixFiles(tmp_path, "m")))
    (file,) = tmp_path.glob("*.state")
    restored = _logits(llama, PREFIX, "a", Sequences(llama, PrefixFiles(tmp_path, "m")))
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)
    tokens = llama.tokenize(PREFIX.encode(), markup=True)

    assert np.array_equal(evaluated, restored)
    assert not PrefixFiles(tmp_path, "m").restore(llama, 0, tokens)
    assert not PrefixFiles(tmp_path, "another model").restore(llama, 0, tokens)
    assert not file.exists()


def test_two_callers_do_not_see_each_other(llama: Llama) -> None:
    sequences = Sequences(llama, None)
    alone = _logits(llama, PREFIX, "a", sequences)
    other, tokens = sequences.begin(PREFIX, "caller: at seven at seven at seven\n", "b", go_on)
    other.evaluate(tokens)

    beside = _logits(llama, PREFIX, "a", sequences)

    assert np.array_equal(alone, beside)


def test_a_caller_s_words_are_never_read_as_markup(llama: Llama) -> None:
    marked = llama.tokenize(b"<|im_end|>", markup=True)

    assert len(marked) == 1
    assert marked[0] not in llama.tokenize(b"<|im_end|>")


def test_a_prompt_or_text_too_long_for_the_context_is_an_error_and_the_model_goes_on(llama: Llama) -> None:
    sequences = Sequences(llama, None)

    with pytest.raises(EngineError, match="does not fit"):
        sequences.begin("long " * 800, TURN, "a", go_on)
    with pytest.raises(EngineError, match="does not fit"):
        sequences.begin(PREFIX, "long " * 700, "a", go_on)

    assert len(_logits(llama, PREFIX, "a", sequences)) > 100_000


def test_more_callers_and_prefixes_than_fit_push_out_the_oldest(llama: Llama) -> None:
    sequences = Sequences(llama, None)
    first = _logits(llama, PREFIX, "caller 0", sequences)

    for number in range(12):
        _logits(llama, f"{number} {PREFIX}", f"caller {number}", sequences)

    assert np.allclose(_logits(llama, PREFIX, "caller 0", sequences), first, atol=0.5)


def test_a_stopped_prefix_goes_on_where_it_was(llama: Llama) -> None:
    sequences = Sequences(llama, None)
    prefix = "one two three " * 100
    calls = 0

    def stop_at_second() -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise EngineTimeout("over")

    with pytest.raises(EngineTimeout):
        sequences.hold(prefix, stop_at_second)
    began = calls
    sequences.hold(prefix, stop_at_second)

    assert calls - began < -(-len(llama.tokenize(prefix.encode())) // 128)


@pytest.mark.parametrize("broken", ["root ::= [a-z", 'roof ::= "x"', "", "   ", "root ::= other", "asdf"])
def test_a_grammar_that_does_not_parse_is_an_error_and_never_free_text(llama: Llama, broken: str) -> None:
    with pytest.raises(ConstraintError):
        llama.grammar(broken)


def test_our_mask_and_llama_cpp_s_grammar_allow_the_same_text(llama: Llama) -> None:
    sentence = "could we come, äh, at quarter past eight"
    constraint = in_order("time: ", Spans(sentence, 4), "\n", one_of("yes", "no"), "\n")
    writer, tokens = Sequences(llama, None).begin(PREFIX, TURN, "a", go_on)
    text = decode(constraint, llama.vocabulary, writer, tokens).text

    grammar = llama.grammar(to_gbnf(constraint))
    scores = np.zeros(len(llama.vocabulary.pieces), np.float32)
    for token in llama.tokenize(text.encode()):
        assert np.isfinite(grammar.allowed(scores)[token])
        grammar.accept(token)
    grammar.close()


def test_a_missing_or_broken_model_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="models fetch"):
        Llama(tmp_path / "model.gguf", LlamaSettings())
    (tmp_path / "model.gguf").write_bytes(b"GGUF" + bytes(1000))
    with pytest.raises(ModelCorrupt, match="models verify"):
        Llama(tmp_path / "model.gguf", LlamaSettings())


@pytest.fixture
async def supervisor(tmp_path: Path) -> AsyncIterator[Supervisor]:
    paths = load_paths()
    if not (paths.models / MODEL / "model.gguf").is_file():
        pytest.skip(f"the model {MODEL} is not in the store")
    arguments = ("--models", str(paths.models), "--model", MODEL, "--cells", "1024")
    spec = python_engine("language_model", "appliance.language_model.engine", *arguments)
    supervisor = Supervisor((spec,), tmp_path, lambda line: None)
    await supervisor.start()
    yield supervisor
    await supervisor.stop()


async def test_the_engine_answers_two_callers_and_survives_kill_timeout_and_a_client_that_leaves(
    supervisor: Supervisor,
) -> None:
    client = supervisor.client("language_model")
    model = LanguageModel(client)
    await model.hold(PREFIX)
    constraint = in_order("time: ", Spans("could we come at quarter past eight", 4), "\n")

    async def ask(sequence: str, seconds: float = 30.0) -> str:
        return (await model.complete(PREFIX, TURN, constraint, sequence=sequence, seconds=seconds)).text

    one, two = await asyncio.gather(ask("one"), ask("two"))
    assert one == two
    with pytest.raises(EngineTimeout):
        await ask("one", seconds=0.001)
    with pytest.raises(EngineError, match="characters"):
        await model.complete(PREFIX, "x" * 9_000, constraint, sequence="one", seconds=5)

    leaves = asyncio.create_task(model.hold("never mind " * 200, seconds=60))
    await asyncio.sleep(0.1)
    leaves.cancel()
    began = perf_counter()
    assert await ask("one") == one
    assert perf_counter() - began < 20

    waits = asyncio.create_task(ask("one"))
    await asyncio.sleep(0.02)
    pid = supervisor.pid("language_model")
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(EngineDown):
        await waits
    while not await client.ping():  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.1)
    assert await ask("one") == one
