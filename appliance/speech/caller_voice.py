"""Makes recordings of callers for demos and tests: not the assistant's voice, and by telephone."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from appliance.errors import UsageError
from appliance.speech.audio import TELEPHONE_RATE, g711_decode, g711_encode, resample, write_wav
from appliance.speech.external_voices import EspeakVoice, PicoVoice
from appliance.speech.spoken import spoken
from appliance.speech.voices import PROGRAMS, Audio, Chain, Samples, Voice, choose_voice, on_this_box

CALLERS = {
    "de": ("pico:de-DE", "espeak:de"),
    "en": ("pico:en-GB", "espeak:en-gb"),
    "fr": ("pico:fr-FR", "espeak:fr"),
    "it": ("pico:it-IT", "espeak:it"),
    "es": ("pico:es-ES", "espeak:es"),
}
"""Voices of callers, best first; other languages by espeak-ng."""
PAUSE = 0.3
"""Seconds of silence before and after, as on a line on which nobody speaks yet."""


def caller_audio(text: str, language: str, voice: str | None = None) -> Audio:
    """``text`` as a caller says it, at 8 kHz through G.711 A-law (300 to 3400 Hz), with silence around.

    ``voice``: ``pico:<locale>`` or ``espeak:<voice>``, e.g. ``espeak:de+f3``; by default the best one
    that is installed. Raises UsageError, SetupError, EngineError.
    """
    words = spoken(text, language)
    if not words:
        raise UsageError(f"A caller can't say '{text}': there are no words in it.")
    made = _voice(language, voice).synthesize(words)
    quiet = np.zeros(int(PAUSE * TELEPHONE_RATE), np.int16)
    narrow = _band(resample(made.samples, made.rate, TELEPHONE_RATE))
    return Audio(g711_decode(g711_encode(np.concatenate([quiet, narrow, quiet]))), TELEPHONE_RATE)


def caller_wav(text: str, language: str, path: Path, voice: str | None = None) -> float:
    """Write :func:`caller_audio` to ``path`` as 16-bit WAV; returns its seconds. Raises also AudioError."""
    audio = caller_audio(text, language, voice)
    write_wav(path, audio.samples, audio.rate)
    return audio.seconds


def _voice(language: str, wanted: str | None) -> Voice:
    chain = (wanted,) if wanted else CALLERS.get(language, (f"espeak:{language}",))
    for entry in chain:
        if entry.partition(":")[0] not in PROGRAMS:
            raise UsageError(f"'{entry}' is no caller's voice. Give pico:<locale> or espeak:<voice>.")
    choice = choose_voice(language, {language: Chain(chain=chain)}, on_this_box(Path()))
    return PicoVoice(choice.name) if choice.kind == "pico" else EspeakVoice(choice.name)


def _band(samples: Samples) -> Samples:
    """What a telephone passes: without what lies below 300 or above 3400 Hz."""
    spectrum = np.fft.rfft(samples.astype(np.float64))
    frequencies = np.fft.rfftfreq(samples.size, 1 / TELEPHONE_RATE)
    spectrum[(frequencies < 300) | (frequencies > 3400)] = 0
    return np.clip(np.fft.irfft(spectrum, samples.size), -32768, 32767).astype(np.int16)
