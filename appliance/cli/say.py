"""``tresen say``: a text through the voice engine into a WAV file."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from appliance.config import load_paths
from appliance.errors import UsageError

if TYPE_CHECKING:
    from appliance.speech.tts import TextToSpeech

PATIENCE = 30.0
"""Seconds in which the engine must send the next piece; nobody is on the line."""


@click.command()
@click.argument("text")
@click.option("--lang", "language", default="de", show_default=True)
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), default=Path("say.wav"), show_default=True
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
def command(text: str, language: str, out: Path, as_json: bool) -> None:
    """Speak TEXT; writes a WAV and tells voice, spoken form and seconds."""
    if not text.strip():
        raise UsageError('There is nothing to say. Give a text: ./tresen say "Guten Tag" --lang de')
    result = asyncio.run(_say(text, language, out))
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False))
        return
    over = f" ({result['fallback_reason']})" if result["fallback_reason"] else ""
    click.echo(result["spoken"])
    click.echo(f"Voice {result['voice']}{over}.")
    how = "from the phrase cache" if result["cached"] else "made now"
    click.echo(f"First sound after {result['first_audio_s']:.3f} s ({how}).")
    click.echo(f"Wrote {result['seconds']:.1f} s of speech to {out}")


async def _say(text: str, language: str, out: Path) -> dict[str, Any]:
    """Speak with an engine of its own and write the WAV; returns what ``--json`` prints."""
    from appliance.engines.supervisor import Supervisor, python_engine
    from appliance.speech.phrase_cache import PhraseCache
    from appliance.speech.tts import TextToSpeech
    from appliance.speech.voices import choose_voices, load_chains, on_this_box

    paths = load_paths()
    chains = load_chains(paths.checkout / "models" / "voices.toml")
    voices = choose_voices([language], chains, on_this_box(paths.models))
    engine = python_engine("tts", "appliance.speech.tts_engine", "--languages", language)
    supervisor = Supervisor((engine,), paths.data / "logs", lambda line: None)
    await supervisor.start()
    try:
        speech = TextToSpeech(supervisor.client("tts"), PhraseCache(paths.data / "phrases"), voices)
        return await _written(speech, text, language, out)
    finally:
        await supervisor.stop()


async def _written(speech: TextToSpeech, text: str, language: str, out: Path) -> dict[str, Any]:
    import numpy as np

    from appliance.speech.audio import resample, write_wav
    from appliance.speech.spoken import spoken
    from appliance.speech.tts import Audio, Spoken

    began = time.perf_counter()
    first: float | None = None
    pieces: list[Audio] = []
    reports: list[Spoken] = []
    async for audio in speech.synthesize(text, language, seconds=PATIENCE, report=reports.append):
        first = time.perf_counter() - began if first is None else first
        pieces.append(audio)
    if first is None:
        raise UsageError(f"There is nothing to say in '{text}'.")
    rate = pieces[0].rate
    samples = np.concatenate([resample(piece.samples, piece.rate, rate) for piece in pieces])
    write_wav(out, samples, rate)
    return {
        "voice": reports[0].voice,
        "fallback_reason": reports[0].fallback_reason,
        "spoken": spoken(text, language),
        "seconds": round(len(samples) / rate, 3),
        "rate": rate,
        "first_audio_s": round(first, 4),
        "cached": reports[0].cached,
        "file": str(out),
    }
