"""Is a transcript a caller's speech, or what Whisper makes of noise? One pure decision with its reason.

The order matters and follows what can be believed most: voiced sound first, then the structure of the text,
then the recogniser's own figures, and a list of well-known inventions only at the end.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from appliance.speech.transcript import Judgement, Verdict, Voice

NO_WORDS = "no words"
"""The reason for silence when somebody did speak but nothing came out."""


@dataclass(frozen=True)
class GateSettings:
    """Thresholds; docs/adr/0011 holds the figures that they come from."""

    least_voiced: float = 0.15
    """Seconds of voiced sound below which nobody spoke."""
    least_certain: float = 0.09
    """Seconds of certain voice below which it was people in the room, a television, music."""
    most_letters_per_second: float = 30.0
    """Letters and digits per voiced second that nobody exceeds."""
    spare_letters: int = 12
    """Letters that are free of that limit: the edges of a short word are unvoiced."""
    slow_after: float = 4.0
    """Voiced seconds from which a text must have at least one letter per second."""
    unlikely: float = -1.2
    """Mean log probability below which the words are a guess."""
    weak: float = -0.8
    """Mean log probability below which a high no-speech probability or a known phrase decides."""
    no_speech: float = 0.6
    other_language: float = 0.9
    """Probability of another language from which the utterance is not in the call's."""
    language_after: float = 2.0
    """Voiced seconds below which the spoken language can't be told."""
    language_below: float = -0.3
    """Mean log probability from which the words are so good that the language needs no look."""


@dataclass(frozen=True)
class Evidence:
    """What the decision needs. Times in seconds, log probability per token, probabilities 0 … 1."""

    text: str
    mean_log_probability: float
    no_speech: float
    voice: Voice
    language: str = ""
    spoken: tuple[str, float] = ("", 0.0)


def judge(
    evidence: Evidence, known_phrases: Collection[str] = (), settings: GateSettings | None = None
) -> Judgement:
    """The verdict on one transcript. ``known_phrases`` are plain (see ``plain``)."""
    limits = settings or GateSettings()
    text = plain(evidence.text)
    letters = sum(letter.isalnum() for letter in text)
    voice = evidence.voice
    if voice.voiced < limits.least_voiced or voice.certain < limits.least_certain:
        reason = f"{voice.voiced:.2f} s voiced, {voice.certain:.2f} s of it certain"
        return Judgement(Verdict.SILENCE, reason)
    if letters == 0:
        return Judgement(Verdict.SILENCE, NO_WORDS)
    return (
        _by_structure(text, letters, evidence, limits)
        or _by_figures(text, evidence, known_phrases, limits)
        or Judgement(Verdict.SPEECH, f"mean log probability {evidence.mean_log_probability:.2f}")
    )


def _by_structure(text: str, letters: int, evidence: Evidence, limits: GateSettings) -> Judgement | None:
    repeated = repetition(text)
    if repeated:
        return Judgement(Verdict.REPETITION, f"goes round in circles: '{repeated}'")
    if letters > limits.spare_letters + limits.most_letters_per_second * evidence.voice.voiced:
        return Judgement(
            Verdict.OUT_OF_PROPORTION, f"{letters} letters in {evidence.voice.voiced:.1f} voiced seconds"
        )
    if evidence.voice.voiced >= limits.slow_after and letters < evidence.voice.voiced:
        return Judgement(
            Verdict.OUT_OF_PROPORTION, f"only {letters} letters in {evidence.voice.voiced:.1f} voiced seconds"
        )
    return None


def _by_figures(
    text: str, evidence: Evidence, known_phrases: Collection[str], limits: GateSettings
) -> Judgement | None:
    mean = evidence.mean_log_probability
    language, probability = evidence.spoken
    if (
        language not in ("", evidence.language)
        and probability >= limits.other_language
        and evidence.voice.voiced >= limits.language_after
    ):
        return Judgement(Verdict.OTHER_LANGUAGE, f"'{language}' with probability {probability:.2f}")
    if mean < limits.unlikely:
        return Judgement(Verdict.UNLIKELY, f"mean log probability {mean:.2f}")
    if mean < limits.weak and evidence.no_speech > limits.no_speech:
        return Judgement(Verdict.NO_SPEECH, f"no-speech probability {evidence.no_speech:.2f}")
    if mean < limits.weak and text in known_phrases:
        return Judgement(Verdict.KNOWN_PHRASE, f"'{text}' is invented on noise")
    return None


def plain(text: str) -> str:
    """Lower case, words only, one space between them."""
    return " ".join(re.findall(r"[^\W_]+(?:['’][^\W_]+)?", text.lower()))


def repetition(text: str) -> str | None:
    """The words that a plain text repeats without end, or None.

    One word must come five times in a row ("nein nein nein" is what people say), more words three times;
    digits may repeat: telephone numbers do.
    """
    words = text.split()
    for length in range(1, len(words) // 3 + 1):
        needed = 5 if length == 1 else 3
        for start in range(len(words) - needed * length + 1):
            unit = words[start : start + length]
            if all(word.isdigit() for word in unit):
                continue
            if words[start : start + needed * length] == unit * needed:
                return " ".join(unit)
    return None
