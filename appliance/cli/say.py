"""``tresen say``: a text through the voice engine into a WAV file."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import click

from appliance.config import load_paths
from appliance.errors import UsageError


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
    click.echo(f"{result['spoken']}")
    over = f" (not here: {', '.join(result['passed_over'])})" if result["passed_over"] else ""
    click.echo(f"voice {result['voice']}{over}, first sound after {result['first_audio_s']:.2f} s")
    click.echo(f"{result['seconds']:.1f} s of speech in {out}")


async def _say(text: str, language: str, out: Path) -> dict[str, Any]:
    import numpy as np
    import soundfile

    from appliance.engines.supervisor import Supervisor, python_engine
    from appliance.speech.phrase_cache import PhraseCache
    from appliance.speech.spoken import spoken
    from appliance.speech.tts import TextToSpeech
    from appliance.speech.voices import choose_voice, load_chains, on_this_box

    paths = load_paths()
    chains = load_chains(paths.checkout / "models" / "voices.toml")
    choice = choose_voice(language, chains, on_this_box(paths.models))
    engine = python_engine("tts", "appliance.speech.tts_engine", "--languages", language)
    supervisor = Supervisor((engine,), paths.data / "logs", lambda line: None)
    await supervisor.start()
    try:
        voice = TextToSpeech(
            supervisor.client("tts"), PhraseCache(paths.data / "phrases"), {language: choice}
        )
        began = time.perf_counter()
        first, parts, rate = 0.0, [], 0
        async for audio in voice.synthesize(text, language, seconds=30.0):
            first = first or time.perf_counter() - began
            parts.append(audio.samples)
            rate = audio.rate
    finally:
        await supervisor.stop()
    samples = np.concatenate(parts)
    soundfile.write(out, samples, rate, subtype="PCM_16")
    return {
        "voice": f"{choice.kind}-{choice.name}",
        "passed_over": list(choice.passed_over),
        "spoken": spoken(text, language),
        "seconds": len(samples) / rate,
        "rate": rate,
        "first_audio_s": first,
        "file": str(out),
    }
