"""One utterance to one judged transcript: window, decoding, second try, words, closed set, verdict."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from appliance.errors import AudioError
from appliance.speech.audio import RATE, Samples
from appliance.speech.closed_set import Choice, choose
from appliance.speech.hallucination import NO_WORDS, Evidence, GateSettings, judge
from appliance.speech.transcript import Judgement, Transcript, Verdict, Voice
from appliance.speech.vad import VoiceModel, voice_in
from appliance.speech.whisper import FULL_WINDOW, Decoded, Encoded, Whisper

DOUBTFUL = frozenset({Verdict.REPETITION, Verdict.OUT_OF_PROPORTION, Verdict.UNLIKELY})
"""Verdicts after which the full window gets a try: they may be the short window's fault."""


@dataclass(frozen=True)
class Request:
    """What to hear. ``candidates``: answer -> spellings; ``voice``: what voice detection found, if it ran."""

    language: str
    words: tuple[str, ...] = ()
    candidates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    full_window: bool = False
    voice: Voice | None = None


LONGEST_ANSWER = 2.0
"""Voiced seconds above which an utterance is no bare answer of a closed set."""
ANSWER_WINDOW = 3.0
"""Seconds that are enough to score short answers; scoring many in a long window is slow."""


@dataclass(frozen=True)
class _ClosedSet:
    scores: tuple[tuple[str, float], ...] = ()
    free_score: float = 0.0
    choice: Choice | None = None


@dataclass(frozen=True)
class _Attempt:
    encoded: Encoded
    decoded: Decoded
    spoken: tuple[str, float]
    judgement: Judgement


class Recogniser:
    """Whisper, the voice detector and the gate together. One utterance at a time."""

    def __init__(
        self,
        whisper: Whisper,
        voice: VoiceModel,
        known_phrases: Mapping[str, Collection[str]],
        gate: GateSettings | None = None,
    ) -> None:
        """``known_phrases`` by language, plain."""
        self._whisper = whisper
        self._voice = voice
        self._known = known_phrases
        self._gate = gate or GateSettings()

    def recognise(self, samples: Samples, request: Request) -> Transcript:
        """The transcript of one utterance (16 kHz int16, at most 30 s); blocking.

        Raises AudioError when it is empty or too long, UsageError for an unknown language.
        """
        if samples.size == 0:
            raise AudioError("The utterance holds no audio.")
        if samples.size > FULL_WINDOW * RATE:
            raise AudioError(
                f"An utterance lasts {FULL_WINDOW:.0f} s at most, this one {samples.size / RATE:.0f} s. "
                "Cut it with voice detection."
            )
        began = perf_counter()
        voice = request.voice or voice_in(self._voice, samples)
        best = self._attempt(samples, request, voice, FULL_WINDOW if request.full_window else None)
        answer = self._closed_set(samples, request, voice, best.decoded.text)
        if answer.choice is None and best.judgement.verdict in DOUBTFUL and not request.full_window:
            second = self._attempt(samples, request, voice, FULL_WINDOW)
            best = max(best, second, key=_credibility)
        words = self._whisper.words(best.encoded, best.decoded, request.language)
        return Transcript(
            text=best.decoded.text,
            language=request.language,
            words=words,
            confidence=float(np.mean([word.confidence for word in words])) if words else 0.0,
            mean_log_probability=best.decoded.mean_log_probability,
            no_speech=best.decoded.no_speech,
            judgement=_with_choice(best.judgement, answer.choice),
            audio_seconds=samples.size / RATE,
            voice=voice,
            window=best.decoded.window,
            seconds=perf_counter() - began,
            spoken=best.spoken,
            answer=answer.choice,
            scores=answer.scores,
            free_score=answer.free_score,
        )

    def _attempt(self, samples: Samples, request: Request, voice: Voice, shortest: float | None) -> _Attempt:
        encoded = self._whisper.encode(samples, shortest)
        decoded = self._whisper.decode(encoded, request.language, request.words)
        questionable = (
            voice.voiced >= self._gate.language_after
            and decoded.mean_log_probability < self._gate.language_below
        )
        spoken = self._whisper.spoken_language(encoded) if questionable else ("", 0.0)
        evidence = Evidence(
            text=decoded.text,
            mean_log_probability=decoded.mean_log_probability,
            no_speech=decoded.no_speech,
            voice=voice,
            language=request.language,
            spoken=spoken,
        )
        known = self._known.get(request.language, ())
        return _Attempt(encoded, decoded, spoken, judge(evidence, known, self._gate))

    def _closed_set(self, samples: Samples, request: Request, voice: Voice, text: str) -> _ClosedSet:
        """Each candidate's best spelling, best first, and the free text, all on one scale."""
        if not request.candidates or voice.voiced > LONGEST_ANSWER:
            return _ClosedSet()
        encoded = self._whisper.encode(samples, ANSWER_WINDOW)
        spellings = [(answer, text) for answer, texts in request.candidates.items() for text in texts]
        texts = [*(spelling for _, spelling in spellings), text or "."]
        *values, free = self._whisper.score(encoded, request.language, texts)
        best: dict[str, float] = {}
        for (answer, _), value in zip(spellings, values, strict=True):
            best[answer] = max(value, best.get(answer, value))
        scores = tuple(sorted(best.items(), key=lambda item: -item[1]))
        return _ClosedSet(scores, free, choose(scores, free))


def _with_choice(judgement: Judgement, choice: Choice | None) -> Judgement:
    """A clear answer of a closed set is speech, whatever the free text is like; silence stays silence."""
    if choice is None or judgement.verdict is Verdict.SPEECH:
        return judgement
    if judgement.verdict is Verdict.SILENCE and judgement.reason != NO_WORDS:
        return judgement
    return Judgement(Verdict.SPEECH, f"answer '{choice.answer}' with margin {choice.margin:.1f}")


def _credibility(attempt: _Attempt) -> tuple[bool, float]:
    looped = attempt.judgement.verdict in (Verdict.REPETITION, Verdict.OUT_OF_PROPORTION)
    return not looped, attempt.decoded.mean_log_probability
