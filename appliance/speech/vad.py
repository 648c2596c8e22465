"""Voice detection: Silero over frames of 32 ms, as a stream or over a whole recording."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from appliance.errors import SetupError
from appliance.speech.audio import RATE, Samples, to_float
from appliance.speech.segments import SegmentSettings, segments
from appliance.speech.transcript import Voice

FRAME = 512
"""Samples per frame at 16 kHz."""
FRAME_SECONDS = FRAME / RATE
DEFAULT_SEGMENTS = SegmentSettings()
_CONTEXT = 64
"""Samples of the frame before that the network also gets."""


def model_path() -> Path:
    """Silero's weights (MIT), found inside the installed wheel without importing it.

    Raises SetupError when the wheel is not installed.
    """
    try:
        wheel = distribution("livekit-plugins-silero")
    except PackageNotFoundError as cause:
        raise SetupError("Voice detection is not installed. Run './tresen setup'.") from cause
    path = Path(str(wheel.locate_file("livekit/plugins/silero/resources/silero_vad.onnx")))
    if not path.is_file():
        raise SetupError(f"Voice detection's weights are not at '{path}'. Run './tresen setup'.")
    return path


class VoiceModel:
    """The network, shared by all streams; holds no audio."""

    def __init__(self) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            str(model_path()), sess_options=options, providers=["CPUExecutionProvider"]
        )

    def run(
        self, block: NDArray[np.float32], state: NDArray[np.float32]
    ) -> tuple[float, NDArray[np.float32]]:
        """Voice probability of ``block`` (1, 64 + 512), float -1 … 1, and the next state (2, 1, 128)."""
        output, following = self._session.run(
            None, {"input": block, "state": state, "sr": np.array(RATE, np.int64)}
        )
        return float(output.item()), following


class VoiceStream:
    """One call's audio, frame after frame."""

    def __init__(self, model: VoiceModel) -> None:
        self._model = model
        self.reset()

    def reset(self) -> None:
        """Forget what was heard."""
        self._state = np.zeros((2, 1, 128), np.float32)
        self._context = np.zeros(_CONTEXT, np.float32)

    def probability(self, frame: Samples) -> float:
        """The probability that somebody speaks in these 512 samples (int16, 16 kHz)."""
        sound = to_float(frame)
        block = np.concatenate([self._context, sound])[np.newaxis]
        self._context = sound[-_CONTEXT:]
        probability, self._state = self._model.run(block, self._state)
        return probability


@dataclass(frozen=True)
class Utterance:
    """A stretch of speech with its surroundings; times in seconds of the recording."""

    samples: Samples
    start: float
    end: float
    voice: Voice


def probabilities(model: VoiceModel, samples: Samples) -> list[float]:
    """Voice probability of every frame; the last one is filled up with silence."""
    stream = VoiceStream(model)
    padded = np.pad(samples, (0, -samples.size % FRAME))
    return [stream.probability(frame) for frame in padded.reshape(-1, FRAME)]


def voice_in(model: VoiceModel, samples: Samples, settings: SegmentSettings = DEFAULT_SEGMENTS) -> Voice:
    """How much voice is in ``samples``."""
    found = probabilities(model, samples)
    return Voice(
        voiced=FRAME_SECONDS * sum(p >= settings.start for p in found),
        certain=FRAME_SECONDS * sum(p >= settings.certain for p in found),
    )


def utterances(
    model: VoiceModel, samples: Samples, settings: SegmentSettings = DEFAULT_SEGMENTS
) -> tuple[Utterance, ...]:
    """The utterances of a whole recording, each with its pre-roll and post-roll."""
    found = []
    for speech in segments(probabilities(model, samples), FRAME_SECONDS, settings):
        start = max(0.0, speech.start - settings.pre_roll)
        end = min(samples.size / RATE, speech.end + settings.post_roll)
        piece = samples[int(start * RATE) : int(end * RATE)]
        found.append(Utterance(piece, start, end, Voice(speech.voiced, speech.certain)))
    return tuple(found)
