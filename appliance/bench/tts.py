"""``tresen bench tts``: how soon the voices speak, made now and from the cache; how well numbers are said.

The engine runs as it does in a call, as a process behind its socket, with a phrase cache of its own that is
empty at first. Every text is new to the cache when it is measured as "made now".
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import click
import numpy as np

from appliance.bench.stt import resident_mib
from appliance.config import CHECKOUT, Paths, load_paths
from appliance.engines.supervisor import Supervisor, python_engine
from appliance.errors import UsageError
from appliance.speech.phrase_cache import PhraseCache
from appliance.speech.spoken import spoken
from appliance.speech.tts import TextToSpeech
from appliance.speech.voices import choose_voices, load_chains, on_this_box

WORDS = (2, 5, 20)
"""Lengths of the texts, each one clause."""
VOCABULARY = {
    "de": "gern heute morgen freitags samstags abends mittags draußen drinnen zusammen wieder bestimmt",
    "en": "gladly today tomorrow evenings mornings outside inside together again certainly always daily",
}
"""Words of the measured texts; other languages take the English ones, as only the time is measured."""
PATIENCE = 30.0


@dataclass(frozen=True)
class LanguageResult:
    """One language; times in seconds."""

    language: str
    voice: str
    fallback_reason: str
    tts_first_audio_p50_s: float
    """From the request to the first piece, made now, over texts of all lengths."""
    tts_first_audio_p95_s: float
    first_audio_2_words_p50_s: float
    first_audio_5_words_p50_s: float
    first_audio_20_words_p50_s: float
    tts_rtf: float
    """Time to make all of the speech, divided by its length."""
    cached_first_audio_p50_s: float


@dataclass(frozen=True)
class TtsResult:
    """What the benchmark says: the keys of ``--json``."""

    languages: tuple[LanguageResult, ...]
    rss_mib: float
    """Resident memory of the engine with all these voices loaded."""
    spoken_german_exact: float | None
    """Share of NeMo's German table that is said just so, without spaces and case; None without it."""


@dataclass(frozen=True)
class Take:
    """One text, spoken once."""

    words: int
    first: float
    whole: float
    speech: float


def text_of(words: int, turn: int, language: str) -> str:
    """A text of so many words in one clause; another one for each turn."""
    known = VOCABULARY.get(language, VOCABULARY["en"]).split()
    picked = [known[(turn * 5 + place * (1 + turn % 4)) % len(known)] for place in range(words)]
    return " ".join(picked).capitalize() + "."


async def take(voice: TextToSpeech, text: str, language: str) -> Take:
    """Speak a text and time it."""
    began = perf_counter()
    first: float | None = None
    speech = 0.0
    async for audio in voice.synthesize(text, language, seconds=PATIENCE):
        first = perf_counter() - began if first is None else first
        speech += audio.seconds
    if first is None:
        raise UsageError(f"'{text}' has no words.")
    return Take(len(text.split()), first, perf_counter() - began, speech)


async def measure(
    languages: tuple[str, ...], turns: int, paths: Paths, tell: Callable[[str], None]
) -> TtsResult:
    """Run an engine for these languages and measure each. Raises as ``choose_voices`` does."""
    chains = load_chains(paths.checkout / "models" / "voices.toml")
    choices = choose_voices(languages, chains, on_this_box(paths.models))
    with tempfile.TemporaryDirectory(prefix="tresen-bench-") as folder:
        cache = Path(folder) / "phrases"
        options = ("--languages", ",".join(languages), "--cache", str(cache))
        engine = python_engine("tts", "appliance.speech.tts_engine", *options)
        supervisor = Supervisor((engine,), paths.data / "logs", tell)
        await supervisor.start()
        try:
            results = []
            for language in languages:
                voice = TextToSpeech(supervisor.client("tts"), PhraseCache(cache), choices)
                texts = [text_of(words, turn, language) for turn in range(turns) for words in WORDS]
                fresh = [await take(voice, text, language) for text in dict.fromkeys(texts)]
                again = [await take(voice, text, language) for text in dict.fromkeys(texts)]
                results.append(
                    summary(language, choices[language].id, choices[language].reason, fresh, again)
                )
                tell(f"{language} measured: {len(fresh)} texts")
            memory = resident_mib(supervisor.pid("tts"))
        finally:
            await supervisor.stop()
    return TtsResult(tuple(results), memory, german_exact(CHECKOUT.parent / "shared" / "data" / "text"))


def summary(language: str, voice: str, reason: str, fresh: list[Take], again: list[Take]) -> LanguageResult:
    """The figures of one language."""
    firsts = [one.first for one in fresh]
    two, five, twenty = (float(np.median([t.first for t in fresh if t.words == words])) for words in WORDS)
    return LanguageResult(
        language=language,
        voice=voice,
        fallback_reason=reason,
        tts_first_audio_p50_s=float(np.median(firsts)),
        tts_first_audio_p95_s=float(np.percentile(firsts, 95)),
        first_audio_2_words_p50_s=two,
        first_audio_5_words_p50_s=five,
        first_audio_20_words_p50_s=twenty,
        tts_rtf=sum(one.whole for one in fresh) / sum(one.speech for one in fresh),
        cached_first_audio_p50_s=float(np.median([one.first for one in again])),
    )


def german_exact(folder: Path) -> float | None:
    """How much of NeMo's written German is said as its table says; None when the table is not there."""
    path = folder / "nemo_de_tn.jsonl"
    if not path.is_file():
        return None
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = [(spoken(row["out"][0], "de"), row["inp"]) for row in rows if row["inp"]]
    return sum(_folded(ours) == _folded(theirs) for ours, theirs in pairs) / len(pairs)


def _folded(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def markdown(result: TtsResult) -> str:
    """The result as a table, times in milliseconds."""
    lines = [
        "| language | voice | first sound p50 | p95 | 2 words | 5 words | 20 words | RTF | cached |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in result.languages:
        times = [
            one.tts_first_audio_p50_s,
            one.tts_first_audio_p95_s,
            one.first_audio_2_words_p50_s,
            one.first_audio_5_words_p50_s,
            one.first_audio_20_words_p50_s,
        ]
        shown = " | ".join(f"{1000 * seconds:.0f} ms" for seconds in times)
        cached = f"{1000 * one.cached_first_audio_p50_s:.1f} ms"
        lines.append(f"| {one.language} | {one.voice} | {shown} | {one.tts_rtf:.3f} | {cached} |")
    lines.append(f"\nMemory of the engine: {result.rss_mib:.0f} MiB.")
    if result.spoken_german_exact is not None:
        lines.append(f"NeMo's German table said exactly so: {result.spoken_german_exact:.1%}.")
    return "\n".join(lines)


@click.command("tts")
@click.option("--languages", default="de,en", show_default=True, help="Comma-separated.")
@click.option("--turns", default=10, show_default=True, type=click.IntRange(1), help="Texts of each length.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the figures to this file.")
def command(languages: str, turns: int, json_file: Path | None) -> None:
    """Time to the first sound of each voice, made now and from the phrase cache."""
    chosen = tuple(languages.split(","))
    result = asyncio.run(measure(chosen, turns, load_paths(), lambda line: click.echo(line, err=True)))
    click.echo(markdown(result))
    if json_file:
        json_file.write_text(json.dumps(asdict(result), indent=2) + "\n", encoding="utf-8")
