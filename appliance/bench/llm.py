"""``tresen bench llm``: how long the language model takes, and what each way of constraining it costs.

The model runs in this process, without the engine's socket: what is measured is the model.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TypeVar

import click
import numpy as np
import yaml
from numpy.typing import NDArray

from appliance.config import CHECKOUT, load_paths
from appliance.conversation.constraint import Choice, Constraint, Literal, Spans, in_order, one_of
from appliance.conversation.models import Context, Matter
from appliance.language_model.client import MODEL
from appliance.language_model.decoding import decode
from appliance.language_model.gbnf import to_gbnf
from appliance.language_model.llama import Llama, LlamaSettings
from appliance.language_model.matcher import Matcher
from appliance.language_model.prefixes import PrefixFiles, Sequences
from appliance.readers.candidates import SlotCandidates
from appliance.readers.normalise.values import Normalisers
from appliance.readers.second_opinion import Scope, turn_constraint
from appliance.readers.understanding_prompt import EXAMPLES_NOW, load_prompt

T = TypeVar("T")
SCOPE = Scope(
    {"book": Matter("reservation", ("people", "date", "time", "name", "phone"), {}, None, (), "book")},
    ("hours", "menu", "allergens", "price", "knowledge"),
)
"""What a restaurant's callers may do."""
LETTERS = "ABCDEFGHIJKL"
SLOTS = ("people", "date", "time", "name")
LONGEST = 6
COPIES = 50
GENERATED = 24
"""Tokens generated for the rate."""


@dataclass(frozen=True)
class LlmResult:
    """What the benchmark says; the keys of ``--json``. Times in the unit of the name, memory in MiB."""

    model: str
    threads: int
    load_s: float
    rss_mib: float
    prefix_tokens: int
    prefix_cold_s: float
    prefix_restored_s: float
    """The same prefix read from disk instead of evaluated."""
    prefix_copy_ms: float
    llm_prompt_tokens_per_s: float
    llm_tokens_per_s: float
    llm_choice_p50_s: float
    """One of twelve letters after a sentence."""
    llm_choice_p95_s: float
    llm_slots_p50_s: float
    """A turn of the second opinion: wishes and slots."""
    llm_slots_p95_s: float
    mask_ms_per_token: float
    """Our constraint: find the allowed tokens and choose."""
    grammar_ms_per_token: float
    """llama.cpp's grammar for the same language over the whole vocabulary."""
    grammar_checked_ms_per_token: float
    """Choose first, have the grammar look at that token, filter all only if it refuses."""
    grammar_refused: float
    """Share of tokens where it refused."""


@dataclass(frozen=True)
class _Step:
    """One choice of a decoding: what the model scored, and what was taken."""

    logits: NDArray[np.float32]
    token: int


def run(
    file: Path,
    name: str,
    threads: int,
    sentences: Sequence[str],
    turns: Sequence[Constraint],
    prefix: str,
) -> LlmResult:
    """Measure everything once over; ``turns`` are the second opinion's constraints for ``sentences``."""
    began = perf_counter()
    llama = Llama(file, LlamaSettings(threads=threads))
    load = perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        files = PrefixFiles(Path(folder), llama.fingerprint())
        tokens, cold = _timed(lambda: Sequences(llama, files).hold(prefix, _go_on))
        llama.cut(llama.settings.sequences - 1, 0)
        sequences = Sequences(llama, files)
        restored = _timed(lambda: sequences.hold(prefix, _go_on))[1]
    llama.evaluate(llama.tokenize(b"warm"), 0, 0)
    memory = _rss()
    choices = [_turn(sequences, llama, prefix, one, _letters())[0] for one in sentences]
    slots = [_turn(sequences, llama, prefix, *one) for one in zip(sentences, turns, strict=True)]
    costs = [_grammar_costs(llama, _slots(one), prefix, one) for one in sentences[:8]]
    per_step = {key: [cost for each in costs for cost in each[key]] for key in costs[0]}
    prompt_rate, rate = _rates(llama, prefix)
    result = LlmResult(
        model=name,
        threads=threads,
        load_s=load,
        rss_mib=memory,
        prefix_tokens=tokens,
        prefix_cold_s=cold,
        prefix_restored_s=restored,
        prefix_copy_ms=median(
            _timed(lambda: llama.copy(llama.settings.sequences - 1, 1, tokens))[1] * 1e3
            for _ in range(COPIES)
        ),
        llm_prompt_tokens_per_s=prompt_rate,
        llm_tokens_per_s=rate,
        llm_choice_p50_s=median(choices),
        llm_choice_p95_s=float(np.percentile(choices, 95)),
        llm_slots_p50_s=median(seconds for seconds, _ in slots),
        llm_slots_p95_s=float(np.percentile([seconds for seconds, _ in slots], 95)),
        mask_ms_per_token=1e3 * float(np.mean([mask for _, mask in slots])),
        grammar_ms_per_token=1e3 * float(np.mean(per_step["grammar"])),
        grammar_checked_ms_per_token=1e3 * float(np.mean(per_step["checked"])),
        grammar_refused=float(np.mean(per_step["refused"])),
    )
    llama.close()
    return result


def markdown(result: LlmResult) -> str:
    """A table of the figures."""
    rows = [
        f"| {key} | {value:.3g} |" if isinstance(value, float) else f"| {key} | {value} |"
        for key, value in asdict(result).items()
    ]
    return "\n".join(["| figure | value |", "| --- | --- |", *rows])


def _turn(
    sequences: Sequences, llama: Llama, prefix: str, sentence: str, constraint: Constraint
) -> tuple[float, float]:
    """Seconds for one completion, and seconds of masking for each of its choices."""
    began = perf_counter()
    writer, tokens = sequences.begin(prefix, f"asked: -\ncaller: {sentence}\n", "bench", _go_on)
    decoded = decode(constraint, llama.vocabulary, writer, tokens)
    return perf_counter() - began, decoded.mask_seconds / max(len(decoded.decisions), 1)


def _letters() -> Constraint:
    return in_order(one_of(*LETTERS))


def _slots(sentence: str) -> Constraint:
    value = Spans(sentence, LONGEST)
    return in_order(*(in_order(f"{slot}: ", Choice((Literal("-"), value)), "\n") for slot in SLOTS))


def _grammar_costs(
    llama: Llama, constraint: Constraint, prefix: str, sentence: str
) -> dict[str, list[float]]:
    """Seconds per token of both ways through llama.cpp's grammar, on one and the same decoding.

    The grammar sees every token, the forced ones too, as it must when llama.cpp does the sampling.
    """
    steps = _steps(llama, constraint, prefix, sentence)
    grammar = llama.grammar(to_gbnf(constraint))
    costs: dict[str, list[float]] = {"grammar": [], "checked": [], "refused": []}
    for step in steps:
        allowed, seconds = _timed(partial(grammar.allowed, step.logits))
        filtered = int(np.argmax(allowed))
        chosen, checked = _timed(partial(grammar.checked, step.logits))
        assert chosen == filtered == step.token, "both ways must choose what our mask chooses"
        grammar.accept(step.token)
        costs["grammar"].append(seconds)
        costs["checked"].append(checked)
        costs["refused"].append(float(int(np.argmax(step.logits)) != chosen))
    grammar.close()
    return costs


def _steps(llama: Llama, constraint: Constraint, prefix: str, sentence: str) -> list[_Step]:
    """A decoding with an evaluation for every token, and all scores kept."""
    matcher, sequence = Matcher(constraint), 0
    tokens = llama.tokenize(f"{prefix[-400:]}asked: -\ncaller: {sentence}\n".encode())[-100:]
    llama.cut(sequence, 0)
    logits, at, steps = llama.evaluate(tokens, sequence, 0), len(tokens), list[_Step]()
    state = matcher.start
    while state != {None}:
        allowed = llama.vocabulary.allowed(matcher, state)
        ids = list(allowed)
        token = ids[int(np.argmax(logits[ids]))]
        steps.append(_Step(logits, token))
        state = allowed[token]
        logits = llama.evaluate([token], sequence, at)
        at += 1
    return steps


def _rates(llama: Llama, prefix: str) -> tuple[float, float]:
    """Tokens a second of reading a prompt of 100 tokens and of writing one token after the other."""
    tokens = llama.tokenize(prefix.encode())[:100]
    llama.cut(0, 0)
    reading = _timed(lambda: llama.evaluate(tokens, 0, 0))[1]
    writing = [_timed(partial(llama.evaluate, tokens[:1], 0, len(tokens) + at))[1] for at in range(GENERATED)]
    llama.cut(0, 0)
    return len(tokens) / reading, 1 / median(writing)


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    began = perf_counter()
    return work(), perf_counter() - began


def _rss() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def _go_on() -> None:
    """The check of a benchmark that nobody stops."""


@click.command("llm")
@click.option("--model", default=MODEL, show_default=True, help="Id of the model in the store.")
@click.option("--threads", default=2, show_default=True, type=click.IntRange(1))
@click.option("--language", default="de", show_default=True, help="Whose prompt and sentences to use.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the figures to this file.")
def command(model: str, threads: int, language: str, json_file: Path | None) -> None:
    """Measure the language model: loading, prompt, choice, slots and the cost of constraints."""
    folder = CHECKOUT / "knowledge" / "prompts"
    candidates = SlotCandidates(Normalisers.load(CHECKOUT / "knowledge" / "normalise"))
    prompt = load_prompt(folder, language, candidates)
    data = yaml.safe_load((folder / language / "understand.yaml").read_text(encoding="utf-8"))
    sentences = [example["say"] for example in data["examples"]][:20]
    context = Context(language, EXAMPLES_NOW)
    turns = [turn_constraint(one, context, SCOPE, candidates(one, context)) for one in sentences]
    result = run(load_paths().models / model / "model.gguf", model, threads, sentences, turns, prompt.prefix)
    click.echo(markdown(result))
    if json_file:
        json_file.write_text(json.dumps(asdict(result), indent=2) + "\n", encoding="utf-8")
