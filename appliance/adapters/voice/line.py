"""A duplex audio line in real time: every 20 ms one frame from the caller and one to the caller.

The line is the session's audio input and output. Both directions are laid on one clock, so that the
recording of a call is also its measurement: what the caller heard stands at the sample where it was heard.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import soundfile
from livekit import rtc
from livekit.agents import utils
from livekit.agents.voice.io import AudioInput, AudioOutput, AudioOutputCapabilities

Samples = npt.NDArray[np.int16]

RATE = 16_000
"""Samples a second on the line, both ways."""
FRAME = 320
"""Samples of one frame: 20 ms."""


class Source(Protocol):
    """The caller's side: gives the next 20 ms, silence included; None when the caller has hung up."""

    def next_frame(self, position: int) -> Samples | None:
        """``position``: samples since the line opened. Returns (FRAME,) int16."""
        ...


class LineInput(AudioInput):
    """What the session hears."""

    def __init__(self) -> None:
        super().__init__(label="line")
        self._frames: utils.aio.Chan[rtc.AudioFrame] = utils.aio.Chan()

    def push(self, samples: Samples) -> None:
        self._frames.send_nowait(rtc.AudioFrame(samples.tobytes(), RATE, 1, len(samples)))

    def end(self) -> None:
        self._frames.close()

    async def __anext__(self) -> rtc.AudioFrame:
        return await self._frames.__anext__()


class LineOutput(AudioOutput):
    """What the session says: queued here, taken 20 ms at a time by the line's clock."""

    def __init__(self) -> None:
        super().__init__(label="line", capabilities=AudioOutputCapabilities(pause=False), sample_rate=RATE)
        self._queue: deque[Samples] = deque()
        self._queued = 0
        self._played = 0
        self._flushed = False
        self._open = False

    @property
    def playing(self) -> bool:
        """True while audio of an utterance is left to play."""
        return self._open

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        await super().capture_frame(frame)
        samples = np.frombuffer(frame.data, dtype=np.int16)
        if not self._open:
            self._open, self._played, self._flushed = True, 0, False
        self._queue.append(samples)
        self._queued += len(samples)

    def flush(self) -> None:
        super().flush()
        self._flushed = True

    def clear_buffer(self) -> None:
        if self._open:
            self._finish(interrupted=True)

    def take(self) -> Samples:
        """The next frame to play, (FRAME,) int16; silence when there is nothing to say."""
        frame = np.zeros(FRAME, dtype=np.int16)
        filled = 0
        while filled < FRAME and self._queue:
            head = self._queue[0]
            count = min(FRAME - filled, len(head))
            frame[filled : filled + count] = head[:count]
            filled += count
            if count == len(head):
                self._queue.popleft()
            else:
                self._queue[0] = head[count:]
        self._advance(filled)
        return frame

    def _advance(self, filled: int) -> None:
        if filled and not self._played:
            self.on_playback_started(created_at=time.time())
        self._played += filled
        self._queued -= filled
        if self._open and self._flushed and not self._queue:
            self._finish(interrupted=False)

    def _finish(self, *, interrupted: bool) -> None:
        position = self._played / RATE
        self._queue.clear()
        self._queued, self._open, self._flushed = 0, False, False
        self.on_playback_finished(playback_position=position, interrupted=interrupted)


@dataclass(frozen=True)
class Recording:
    """Both sides of a call on one time axis; each (n,) int16 at RATE."""

    caller: Samples
    assistant: Samples

    def write(self, path: str) -> None:
        """Write a stereo WAV: caller left, assistant right."""
        soundfile.write(path, np.stack([self.caller, self.assistant], axis=1), RATE, subtype="PCM_16")


class Line:
    """Runs the clock: moves frames both ways and keeps both sides when told to record."""

    def __init__(self, source: Source, *, record: bool) -> None:
        self._source = source
        self._record = record
        self._caller: list[Samples] = []
        self._assistant: list[Samples] = []
        self.input = LineInput()
        self.output = LineOutput()
        self.position = 0
        """Samples since the line opened."""
        self.opened = 0.0
        """The event loop's clock when the line opened."""
        self.late = 0
        """Frames that left more than 20 ms after their time."""

    async def run(self) -> None:
        """Move frames until the source ends; then the input ends too."""
        loop = asyncio.get_running_loop()
        began = self.opened = loop.time()
        try:
            while (frame := self._source.next_frame(self.position)) is not None:
                self.input.push(frame)
                spoken = self.output.take()
                if self._record:
                    self._caller.append(frame)
                    self._assistant.append(spoken)
                self.position += FRAME
                wait = began + self.position / RATE - loop.time()
                self.late += wait < -FRAME / RATE
                await asyncio.sleep(max(0.0, wait))
        finally:
            self.input.end()

    def recording(self) -> Recording:
        """What was recorded so far."""
        empty = np.zeros(0, dtype=np.int16)
        return Recording(np.concatenate([empty, *self._caller]), np.concatenate([empty, *self._assistant]))
