"""``tresen hear``: recordings to text, through the engine process that calls use."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from appliance.errors import AudioError

if TYPE_CHECKING:
    from appliance.config import Paths
    from appliance.speech.listen import Heard

SECONDS_PER_UTTERANCE = 60.0
"""Time limit; a machine that sets up other things at the same time is slow."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--lang", "language", default="de", show_default=True, help="Language that is spoken.")
@click.option("--word", "words", multiple=True, help="A name or dish whose spelling should be likelier.")
@click.option("--telephone", is_flag=True, help="Send the recording through an 8 kHz A-law line first.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line a file.")
def command(
    files: tuple[Path, ...], language: str, words: tuple[str, ...], telephone: bool, as_json: bool
) -> None:
    """Write down what is said in the FILES (WAV, FLAC, OGG, and what FFmpeg reads).

    A file in which nobody speaks to the telephone is reported as no speech, with the reason. Exit code 0 when
    every file was read, 1 when the engine failed, 2 when a file can't be used, 3 when the model is missing.
    """
    broken = asyncio.run(_hear(files, language, words, telephone, as_json))
    if broken:
        raise AudioError(f"{broken} of {len(files)} recordings can't be used.")


async def _hear(
    files: tuple[Path, ...], language: str, words: tuple[str, ...], telephone: bool, as_json: bool
) -> int:
    """Print every file's result; the number of files that can't be used."""
    from appliance.config import load_paths
    from appliance.engines.supervisor import Supervisor
    from appliance.speech.audio import RATE, read_audio, through_telephone
    from appliance.speech.listen import Listener
    from appliance.speech.stt import SpeechToText, stt_engine
    from appliance.speech.vad import VoiceModel

    paths = load_paths()
    supervisor = Supervisor((stt_engine(_model(paths)),), paths.data / "logs", lambda line: None)
    broken = 0
    await supervisor.start()
    try:
        listener = Listener(SpeechToText(supervisor.client("stt")), VoiceModel(), SECONDS_PER_UTTERANCE)
        for file in files:
            try:
                samples = read_audio(file)
            except AudioError as error:
                broken += 1
                _print(as_json, {"file": str(file), "error": error.message}, f"{file}: {error.message}")
                continue
            sound = through_telephone(samples) if telephone else samples
            heard = [one async for one in listener.listen(sound, language, words=words)]
            result = report(str(file), language, samples.size / RATE, heard)
            _print(as_json, result, readable(result))
    finally:
        await supervisor.stop()
    return broken


def _model(paths: Paths) -> str:
    """The recogniser of the chosen profile."""
    from appliance.model_store.choice import chosen_profile
    from appliance.model_store.manifest import load_manifest

    manifest = load_manifest(paths.checkout / "models" / "manifest.toml")
    return manifest.profile(chosen_profile(paths.data, manifest)).stt


def report(file: str, language: str, seconds: float, heard: list[Heard]) -> dict[str, Any]:
    """One file's result; keys in docs/reference/stt.md. Word times count from the start of the file."""
    from appliance.speech.transcript import to_data

    turns = [utterance for utterance in heard if utterance.transcript.is_speech]
    words = [
        [
            word.text,
            round(word.confidence, 3),
            round(turn.start + word.start, 2),
            round(turn.start + word.end, 2),
        ]
        for turn in turns
        for word in turn.transcript.words
    ]
    reasons = [utterance.transcript.judgement for utterance in heard]
    return {
        "file": file,
        "language": language,
        "speech": bool(turns),
        "text": " ".join(turn.transcript.text for turn in turns),
        "words": words,
        "audio_seconds": round(seconds, 3),
        "seconds": round(sum(utterance.transcript.seconds for utterance in heard), 3),
        "no_speech_reason": None
        if turns
        else "; ".join(f"{why.verdict.value}: {why.reason}" for why in reasons) or "silence: no voice found",
        "utterances": [
            {
                "start": round(utterance.start, 2),
                "end": round(utterance.end, 2),
                "turn": utterance.transcript.is_speech,
                **to_data(utterance.transcript),
            }
            for utterance in heard
        ],
    }


def readable(result: dict[str, Any]) -> str:
    """The same for people: the text, with doubtful words marked, and the times."""
    head = f"{result['file']} ({result['audio_seconds']:.1f} s, recognised in {result['seconds']:.2f} s)"
    if not result["speech"]:
        return f"{head}\n  no speech ({result['no_speech_reason']})"
    words = " ".join(f"{text}[{sure:.0%}]" if sure < 0.5 else text for text, sure, *_ in result["words"])
    return f"{head}\n  {words}"


def _print(as_json: bool, result: dict[str, Any], text: str) -> None:
    click.echo(json.dumps(result, ensure_ascii=False) if as_json else text)
