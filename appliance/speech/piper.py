"""Piper voices, from their weights. Imported only inside the voice engine's process (piper-tts is GPL)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from appliance.errors import EngineError, ModelCorrupt
from appliance.speech.voices import Audio

MARKUP = re.compile(r"\[\[|\]\]")
"""Brackets between which Piper would take the text for phonemes."""


class PiperVoice:
    """One set of weights."""

    def __init__(self, folder: Path, language: str, threads: int) -> None:
        """``folder``: holds one ``.onnx`` and its ``.onnx.json``; ``threads``: of ONNX Runtime.

        Raises ModelCorrupt when the files can't be loaded or are made for another language.
        """
        self.name = folder.name
        remedy = f"Run: ./tresen models fetch {folder.name}"
        try:
            self._voice = _load(folder, threads)
        except Exception as cause:
            raise ModelCorrupt(f"The voice in {folder} can't be loaded ({cause}). {remedy}") from cause
        speaks = str(self._voice.config.espeak_voice)
        if speaks.partition("-")[0] != language:
            raise ModelCorrupt(f"The voice in {folder} speaks '{speaks}', not '{language}'. {remedy}")

    def synthesize(self, text: str) -> Audio:
        """Raises EngineError when nothing came out."""
        try:
            parts = [chunk.audio_int16_array for chunk in self._voice.synthesize(MARKUP.sub(" ", text))]
        except Exception as cause:
            raise EngineError(f"The voice {self.name} failed: {type(cause).__name__}.") from cause
        if not any(part.size for part in parts):
            raise EngineError(f"The voice {self.name} made no sound of a text of {len(text)} characters.")
        return Audio(np.concatenate(parts), int(self._voice.config.sample_rate))


def _load(folder: Path, threads: int) -> Any:
    """The weights in a session without spinning: waiting threads of one engine would slow the others."""
    import onnxruntime
    from piper import PiperVoice as Weights
    from piper.config import PiperConfig

    weights = next(iter(sorted(folder.glob("*.onnx"))))
    about = json.loads(weights.with_name(f"{weights.name}.json").read_text(encoding="utf-8"))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(
        str(weights), sess_options=options, providers=["CPUExecutionProvider"]
    )
    return Weights(session=session, config=PiperConfig.from_dict(about))
