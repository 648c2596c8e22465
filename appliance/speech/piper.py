"""Piper voices, from their weights. Imported only inside the voice engine's process (piper-tts is GPL)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from appliance.errors import EngineError, ModelCorrupt
from appliance.speech.voices import Audio


class PiperVoice:
    """One set of weights."""

    def __init__(self, folder: Path, threads: int) -> None:
        """``folder``: holds one ``.onnx`` and its ``.onnx.json``. Raises ModelCorrupt."""
        import onnxruntime
        from piper import PiperVoice as Weights

        self.name = folder.name
        weights = next(iter(sorted(folder.glob("*.onnx"))))
        try:
            self._voice: Any = Weights.load(weights)
        except Exception as cause:
            raise ModelCorrupt(
                f"The voice {weights} can't be loaded ({cause}). Run: ./tresen models fetch {folder.name}"
            ) from cause
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._voice.session = onnxruntime.InferenceSession(
            str(weights), sess_options=options, providers=["CPUExecutionProvider"]
        )

    def synthesize(self, text: str) -> Audio:
        """Raises EngineError when nothing came out."""
        parts = [chunk.audio_int16_array for chunk in self._voice.synthesize(text)]
        if not parts:
            raise EngineError(f"The voice {self.name} made no sound of a text of {len(text)} characters.")
        return Audio(np.concatenate(parts), int(self._voice.config.sample_rate))
