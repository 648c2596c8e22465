"""Whisper (CTranslate2) with a window as short as the utterance: encode once, then decode, align and score.

faster-whisper pads everything to 30 s, and the encoder's time grows with the window. Here the log-mel matrix
is cut to the utterance and some space behind it; the decoder needs that space to see the end, timestamp
tokens and a token cap, or it goes round in circles. The figures are in docs/adr/0010.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from appliance.errors import ModelMissing, UsageError
from appliance.speech.audio import RATE, Samples, to_float
from appliance.speech.transcript import Word

FULL_WINDOW = 30.0
"""Seconds that Whisper was trained on; also the longest window."""
MEL_RATE = 100
"""Log-mel frames per second."""
PROMPT_TOKENS = 200
"""Most tokens of the caller's prompt words; Whisper takes 223 in front of the text."""
ECHO_TOKENS = 4
"""A shorter piece may be said twice: "Hallo? Hallo?"."""
ECHO_LIKENESS = 0.75
"""Share of equal tokens from which a piece is the piece before it over again."""
FILES = ("model.bin", "config.json", "tokenizer.json")


@dataclass(frozen=True)
class WhisperSettings:
    """How to decode. Times in seconds."""

    threads: int = 2
    beam: int = 5
    shortest_window: float = 8.0
    space_after: float = 2.0
    tokens_per_second: float = 10.0
    spare_tokens: int = 8


@dataclass(frozen=True)
class Decoded:
    """One decoding of one window."""

    text: str
    tokens: tuple[int, ...]
    mean_log_probability: float
    no_speech: float
    capped: bool
    """The token cap ended it, not the decoder."""
    window: float


@dataclass(frozen=True)
class Encoded:
    """An utterance after the encoder: ready for any number of decodings."""

    features: Any
    seconds: float
    window: float


class Whisper:
    """The model. Not for two threads at once: callers queue before it."""

    def __init__(self, folder: Path, settings: WhisperSettings | None = None) -> None:
        """Load from ``folder``. Raises ModelMissing."""
        for name in FILES:
            if not (folder / name).is_file():
                raise ModelMissing(f"'{folder / name}' is missing. Run 'tresen models fetch'.")
        from faster_whisper import WhisperModel

        self.settings = settings or WhisperSettings()
        self._model: Any = WhisperModel(
            str(folder),
            device="cpu",
            compute_type="int8",
            cpu_threads=self.settings.threads,
            local_files_only=True,
        )
        self._tokenizers: dict[str, Any] = {}

    def encode(self, samples: Samples, shortest: float | None = None) -> Encoded:
        """Run the encoder over 16 kHz samples of at most 30 s.

        The window is the utterance and the space after it, but at least ``shortest`` seconds.
        """
        import ctranslate2

        seconds = samples.size / RATE
        least = self.settings.shortest_window if shortest is None else shortest
        window = min(FULL_WINDOW, max(least, seconds + self.settings.space_after))
        frames = 2 * int(window * MEL_RATE / 2)
        mel: NDArray[np.float32] = self._model.feature_extractor(to_float(samples))
        spoken = min(frames, int(seconds * MEL_RATE), mel.shape[1])
        padded = np.zeros((1, mel.shape[0], frames), np.float32)
        padded[0, :, :spoken] = mel[:, :spoken]
        features = self._model.model.encode(ctranslate2.StorageView.from_array(padded))
        return Encoded(features, seconds, window)

    def decode(self, encoded: Encoded, language: str, words: Sequence[str] = ()) -> Decoded:
        """Free text, with timestamp tokens; ``words`` (names, dishes) make their spelling likelier.

        Raises UsageError for a language that Whisper does not know.
        """
        tokenizer = self._tokenizer(language)
        prompt = [*self._prompt(tokenizer, words), *tokenizer.sot_sequence]
        cap = int(self.settings.tokens_per_second * encoded.seconds) + self.settings.spare_tokens
        result = self._model.model.generate(
            encoded.features,
            [prompt],
            beam_size=self.settings.beam,
            return_scores=True,
            return_no_speech_prob=True,
            max_length=min(len(prompt) + cap, 448),
        )[0]
        tokens = result.sequences_ids[0]
        text = _without_echo(_split_at_timestamps(tokens, tokenizer.eot))
        return Decoded(
            text=tokenizer.decode(text).strip(),
            tokens=text,
            mean_log_probability=result.scores[0] * len(tokens) / (len(tokens) + 1),
            no_speech=result.no_speech_prob,
            capped=len(tokens) >= cap,
            window=encoded.window,
        )

    def words(self, encoded: Encoded, decoded: Decoded, language: str) -> tuple[Word, ...]:
        """The words of a decoding with confidence and time, from one teacher-forced pass."""
        if not decoded.tokens:
            return ()
        tokenizer = self._tokenizer(language)
        aligned = self._align(encoded, tokenizer, [list(decoded.tokens)])[0]
        texts, groups = tokenizer.split_to_word_tokens([*decoded.tokens, tokenizer.eot])
        edges = np.cumsum([0, *(len(group) for group in groups[:-1])])
        times = _token_times(aligned.alignments, len(decoded.tokens))
        probabilities = aligned.text_token_probs
        found: list[Word] = []
        for text, begin, end in zip(texts, edges[:-1], edges[1:], strict=False):
            if found and not any(letter.isalnum() for letter in text):
                found[-1] = _with_punctuation(found[-1], text)
                continue
            confidence = float(np.exp(np.mean(np.log(np.maximum(probabilities[begin:end], 1e-6)))))
            found.append(Word(text.strip(), confidence, times[begin], times[end]))
        return tuple(found)

    def score(self, encoded: Encoded, language: str, texts: Sequence[str]) -> list[float]:
        """Mean log probability per token of each text, as if the caller had said it; one batched pass."""
        import ctranslate2

        tokenizer = self._tokenizer(language)
        stop = tokenizer.encode(".")
        sequences = [[*tokenizer.encode(" " + text.strip(" .")), *stop] for text in texts]
        once = np.array(encoded.features)
        features = ctranslate2.StorageView.from_array(np.repeat(once, len(sequences), axis=0))
        results = self._align(Encoded(features, encoded.seconds, encoded.window), tokenizer, sequences)
        return [
            float(np.mean(np.log(np.maximum(result.text_token_probs[: -len(stop)], 1e-9))))
            for result in results
        ]

    def spoken_language(self, encoded: Encoded) -> tuple[str, float]:
        """The language that is most likely spoken, and its probability."""
        token, probability = self._model.model.detect_language(encoded.features)[0][0]
        return token.strip("<|>"), float(probability)

    def _align(self, encoded: Encoded, tokenizer: Any, sequences: list[list[int]]) -> list[Any]:
        frames = [int(encoded.seconds * MEL_RATE)] * len(sequences)
        aligned: list[Any] = self._model.model.align(
            encoded.features, list(tokenizer.sot_sequence), sequences, frames
        )
        return aligned

    def _tokenizer(self, language: str) -> Any:
        if language not in self._tokenizers:
            from faster_whisper.tokenizer import Tokenizer

            try:
                made = Tokenizer(self._model.hf_tokenizer, True, task="transcribe", language=language)
            except ValueError as cause:
                raise UsageError(
                    f"Whisper knows no language '{language}'. Give a code such as 'de'."
                ) from cause
            self._tokenizers[language] = made
        return self._tokenizers[language]

    @staticmethod
    def _prompt(tokenizer: Any, words: Sequence[str]) -> list[int]:
        if not words:
            return []
        tokens = tokenizer.encode(" " + ", ".join(words) + ".")
        return [tokenizer.sot_prev, *tokens[:PROMPT_TOKENS]]


def _split_at_timestamps(tokens: Sequence[int], specials: int) -> list[tuple[int, ...]]:
    """The text tokens between timestamps; from ``specials`` on, tokens are no text."""
    pieces: list[list[int]] = [[]]
    for token in tokens:
        if token < specials:
            pieces[-1].append(token)
        elif pieces[-1]:
            pieces.append([])
    return [tuple(piece) for piece in pieces if piece]


def _without_echo(pieces: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """All tokens, without a piece that begins the piece before it anew.

    In a short window the decoder, at the end of the speech, likes to start over with what it just wrote.
    """
    kept: list[tuple[int, ...]] = []
    for piece in pieces:
        before = kept[-1][: len(piece)] if kept else ()
        same = sum(one == other for one, other in zip(piece, before, strict=False))
        if len(piece) < ECHO_TOKENS or same < ECHO_LIKENESS * len(piece):
            kept.append(piece)
    return tuple(token for piece in kept for token in piece)


def _token_times(alignments: Sequence[tuple[int, int]], tokens: int) -> list[float]:
    """Start of each token in seconds, and the end of the last one, from pairs (token, encoder frame)."""
    starts = [0.0] * (tokens + 1)
    seen = -1
    for token, frame in alignments:
        if token != seen and token <= tokens:
            starts[token] = round(frame / (MEL_RATE / 2), 2)
            seen = token
    starts[tokens] = max(starts[tokens], round(alignments[-1][1] / (MEL_RATE / 2), 2) if alignments else 0.0)
    return starts


def _with_punctuation(word: Word, mark: str) -> Word:
    return Word(word.text + mark.strip(), word.confidence, word.start, word.end)
