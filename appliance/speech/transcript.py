"""What the recogniser heard in one utterance: frozen values that cross the engine's socket as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from appliance.speech.closed_set import Choice


class Verdict(StrEnum):
    """Is this the speech of a caller? Names are stable: they stand in journals and in ``hear --json``."""

    SPEECH = "speech"
    SILENCE = "silence"
    """Hardly any voiced sound, or no words came out."""
    REPETITION = "repetition"
    """The decoder went round in circles."""
    OUT_OF_PROPORTION = "out_of_proportion"
    """More text than anyone can say in the voiced time, or next to none for a long one."""
    UNLIKELY = "unlikely"
    """The recogniser itself hardly believes its words."""
    NO_SPEECH = "no_speech"
    """The recogniser says that nobody speaks, and its words are weak."""
    KNOWN_PHRASE = "known_phrase"
    """A sentence that the recogniser invents on noise, said with little confidence."""
    OTHER_LANGUAGE = "other_language"
    """Speech, but in another language than the call's; ``spoken`` of the transcript names it."""
    ECHO = "echo"
    """The assistant's own words, come back through the line."""


@dataclass(frozen=True)
class Judgement:
    """A verdict and the figures that led to it, as one English phrase for journals."""

    verdict: Verdict
    reason: str

    @property
    def is_speech(self) -> bool:
        return self.verdict is Verdict.SPEECH


@dataclass(frozen=True)
class Voice:
    """What voice detection found in an utterance, in seconds: voiced, and voiced without any doubt."""

    voiced: float
    certain: float


@dataclass(frozen=True)
class Word:
    """One word with its punctuation; ``start`` and ``end`` are seconds in the utterance, confidence 0 … 1."""

    text: str
    confidence: float
    start: float
    end: float


@dataclass(frozen=True)
class Transcript:
    """One utterance as text, and everything that says how far it can be believed.

    ``mean_log_probability`` and ``no_speech`` are Whisper's own; ``spoken`` is the language that it hears and
    its probability (empty when it was not looked at); ``answer`` is the one of a closed set that was said
    (None: no set was given, or none of it was said), ``scores`` the mean log probability of each, best first,
    and ``free_score`` that of the free text on the same scale;
    ``window``: seconds that were encoded, ``seconds``: the work, ``audio_seconds``: the utterance.
    """

    text: str
    language: str
    words: tuple[Word, ...]
    confidence: float
    mean_log_probability: float
    no_speech: float
    judgement: Judgement
    audio_seconds: float
    voice: Voice
    window: float
    seconds: float
    spoken: tuple[str, float] = ("", 0.0)
    answer: Choice | None = None
    scores: tuple[tuple[str, float], ...] = ()
    free_score: float = 0.0

    @property
    def is_speech(self) -> bool:
        return self.judgement.is_speech

    def judged(self, judgement: Judgement) -> Transcript:
        """The same with another judgement."""
        return replace(self, judgement=judgement)


def to_data(transcript: Transcript) -> dict[str, Any]:
    """A transcript as the data of a ``transcript`` event and as one line of ``hear --json``."""
    return {
        "text": transcript.text,
        "language": transcript.language,
        "words": [[w.text, round(w.confidence, 3), w.start, w.end] for w in transcript.words],
        "confidence": round(transcript.confidence, 3),
        "mean_log_probability": round(transcript.mean_log_probability, 3),
        "no_speech": round(transcript.no_speech, 3),
        "verdict": transcript.judgement.verdict.value,
        "reason": transcript.judgement.reason,
        "audio_seconds": round(transcript.audio_seconds, 3),
        "voiced_seconds": round(transcript.voice.voiced, 3),
        "certain_seconds": round(transcript.voice.certain, 3),
        "window": round(transcript.window, 2),
        "seconds": round(transcript.seconds, 4),
        "spoken": [transcript.spoken[0], round(transcript.spoken[1], 3)],
        "answer": transcript.answer and [transcript.answer.answer, round(transcript.answer.margin, 3)],
        "scores": [[answer, round(score, 3)] for answer, score in transcript.scores],
        "free_score": round(transcript.free_score, 3),
    }


def from_data(data: Mapping[str, Any]) -> Transcript:
    """The inverse of ``to_data``. Raises KeyError or ValueError on other data."""
    return Transcript(
        text=data["text"],
        language=data["language"],
        words=tuple(Word(*word) for word in data["words"]),
        confidence=data["confidence"],
        mean_log_probability=data["mean_log_probability"],
        no_speech=data["no_speech"],
        judgement=Judgement(Verdict(data["verdict"]), data["reason"]),
        audio_seconds=data["audio_seconds"],
        voice=Voice(data["voiced_seconds"], data["certain_seconds"]),
        window=data["window"],
        seconds=data["seconds"],
        spoken=(data["spoken"][0], data["spoken"][1]),
        answer=data["answer"] and Choice(*data["answer"]),
        scores=tuple((answer, score) for answer, score in data["scores"]),
        free_score=data["free_score"],
    )
