"""Hears one caller: finds the speech in the frames and has it recognised before the turn is over.

A pause of ``SPECULATE`` seconds is enough to begin recognising what was said so far. If the caller goes on,
that work is dropped; if not, the text is there when the turn ends. A turn that is continued after a pause
is recognised again as a whole, so no word is cut in two.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import numpy as np

from appliance.errors import EngineError
from appliance.speech.audio import RATE, Samples
from appliance.speech.segments import SegmentSettings, SegmentState, SpeechEnded, SpeechStarted, advance
from appliance.speech.transcript import Transcript, Voice
from appliance.speech.vad import FRAME, FRAME_SECONDS, VoiceModel, VoiceStream

SPECULATE = 0.13
"""Seconds of pause after which recognition begins."""
HANGOVER = 0.25
"""Seconds of pause after which a stretch of speech has ended; the turn may go on after it."""
LONGEST_TURN = 28.0
"""Seconds of a turn that are recognised: the last ones, for Whisper's window is 30 s."""
DOUBT = 1.5
"""Seconds for which a stretch that made no turn by itself may still be the beginning of one."""
SETTLE = 4.0
"""Longest wait for a recognition that is under way when the turn is taken."""
KEPT = 4.0
"""Seconds kept while nobody speaks: more than a beginning in doubt and the pre-roll before it."""

Recognise = Callable[[Samples, Voice], Awaitable[Transcript]]
"""(audio, how much of it is voice) -> transcript; may raise EngineError."""


@dataclass(frozen=True)
class Heard:
    """A caller's turn as far as it is known. Moments are seconds of the event loop's clock."""

    transcript: Transcript
    speech_ended: float
    recognition_began: float
    recognised: float


@dataclass
class Ear:
    """One caller's ear. Push frames; ``on_heard`` is called with each text, ``on_trouble`` with failures."""

    model: VoiceModel
    recognise: Recognise
    on_heard: Callable[[Heard], None]
    on_noise: Callable[[Transcript], None]
    on_trouble: Callable[[EngineError], None]
    settings: SegmentSettings = field(default_factory=lambda: SegmentSettings(hangover=HANGOVER))

    def __post_init__(self) -> None:
        self._stream = VoiceStream(self.model)
        self._rest: Samples = np.zeros(0, np.int16)
        self._kept: list[Samples] = []
        self._first = 0
        """Number of the first kept frame."""
        self._next = 0
        """Number of the next frame."""
        self._state = SegmentState()
        self._turn_start: int | None = None
        self._before = self._so_far = Voice(0.0, 0.0)
        self._accepted = False
        """A stretch of this turn was recognised as speech."""
        self._work: asyncio.Task[Transcript] | None = None
        self._work_for = -1.0
        self._work_began = 0.0
        self._delivery: asyncio.Task[None] | None = None
        self._faint: SegmentState | None = None
        """A voice too faint to begin a turn, which a clearer one may go on with: a first group of digits."""
        self._doubtful: float | None = None
        """End of the last stretch that made no turn by itself, while it may still begin one."""

    @property
    def speaking(self) -> bool:
        """True while the caller speaks."""
        return self._state.begun

    def push(self, samples: Samples) -> None:
        """Hear (n,) int16 at 16 kHz, just now."""
        samples = np.concatenate([self._rest, samples])
        whole = len(samples) - len(samples) % FRAME
        for start in range(0, whole, FRAME):
            self._frame(samples[start : start + FRAME])
        self._rest = samples[whole:]

    def take_turn(self) -> None:
        """The turn was taken: what comes now is the next one."""
        self._before = self._so_far = Voice(0.0, 0.0)
        self._accepted = False
        self._doubtful = None
        self._turn_start = self._frame_of(self._state.first) if self._state.begun else None

    async def settle(self) -> None:
        """Wait until what was said so far is recognised, within reason."""
        if self._delivery is not None and not self._delivery.done():
            await asyncio.wait({self._delivery}, timeout=SETTLE)

    def close(self) -> None:
        """Stop all work."""
        for task in (self._work, self._delivery):
            if task is not None:
                task.cancel()

    def _frame(self, frame: Samples) -> None:
        self._kept.append(frame)
        at = self._next * FRAME_SECONDS
        self._next += 1
        before = self._state
        self._state, event = advance(
            before, at, FRAME_SECONDS, self._stream.probability(frame), self.settings
        )
        if before.first is not None and not before.begun and self._state.first is None:
            earlier = self._faint
            goes_on = earlier is not None and before.first - earlier.last <= DOUBT
            self._faint = replace(before, first=earlier.first) if earlier and goes_on else before
        if isinstance(event, SpeechStarted):
            self._started(event)
        elif isinstance(event, SpeechEnded):
            self._ended(event)
        elif self._state.begun:
            self._pause(at + FRAME_SECONDS)
        self._forget()

    def _started(self, event: SpeechStarted) -> None:
        self._drop_work()
        if self._doubtful is not None and event.at - self._doubtful > DOUBT:
            self.take_turn()
            self._turn_start = None
        self._doubtful = None
        self._before = self._so_far
        if self._turn_start is None:
            faint, start = self._faint, event.at
            if faint is not None and faint.first is not None and event.at - faint.last <= DOUBT:
                start = faint.first
            self._turn_start = max(self._first, self._frame_of(start - self.settings.pre_roll))
        self._faint = None

    def _pause(self, now: float) -> None:
        """Inside speech: begin recognition in a pause, drop it when the voice comes back."""
        last = self._state.last
        if self._work is not None and last > self._work_for:
            self._drop_work()
        if self._work is None and now - last >= SPECULATE:
            self._begin_work(last, Voice(self._state.voiced, self._state.certain))

    def _ended(self, event: SpeechEnded) -> None:
        voice = Voice(event.voiced, event.certain)
        self._so_far = _both(self._before, voice)
        if self._work is None or event.end > self._work_for:
            self._drop_work()
            self._begin_work(event.end, voice)
        now = asyncio.get_running_loop().time()
        ended = now - (self._next * FRAME_SECONDS - event.end)
        if self._work is not None:
            self._delivery = asyncio.create_task(self._deliver(self._work, ended, event.end))

    def _begin_work(self, end: float, voice: Voice) -> None:
        start = self._turn_start if self._turn_start is not None else self._first
        last = min(self._next, self._frame_of(end + self.settings.post_roll) + 1)
        frames = self._kept[max(0, start - self._first) : last - self._first]
        audio = np.concatenate(frames)[-int(LONGEST_TURN * RATE) :]
        self._work_for = end
        self._work_began = asyncio.get_running_loop().time()
        self._work = asyncio.ensure_future(self.recognise(audio, _both(self._before, voice)))

    def _drop_work(self) -> None:
        if self._work is not None:
            self._work.cancel()
        if self._delivery is not None and not self._delivery.done():
            self._delivery.cancel()
        self._work = self._delivery = None
        self._work_for = -1.0

    async def _deliver(self, work: asyncio.Task[Transcript], ended: float, end: float) -> None:
        began = self._work_began
        try:
            transcript = await work
        except EngineError as error:
            self.on_trouble(error)
            return
        if not transcript.is_speech:
            if not self._accepted:
                self._doubtful = end
            self.on_noise(transcript)
            return
        self._accepted = True
        self.on_heard(Heard(transcript, ended, began, asyncio.get_running_loop().time()))

    def _forget(self) -> None:
        """Drop frames that belong to no turn."""
        now = self._next * FRAME_SECONDS
        if self._doubtful is not None and self._state.first is None and now - self._doubtful > DOUBT:
            self.take_turn()
        if self._turn_start is None and not self._state.begun:
            surplus = len(self._kept) - int(KEPT / FRAME_SECONDS)
            if self._state.first is not None:  # perhaps a turn that has just begun
                begun = self._frame_of(self._state.first - self.settings.pre_roll)
                surplus = min(surplus, begun - self._first)
            if surplus > 0:
                del self._kept[:surplus]
                self._first += surplus

    def _frame_of(self, seconds: float | None) -> int:
        return max(0, int((seconds or 0.0) / FRAME_SECONDS))


def _both(first: Voice, second: Voice) -> Voice:
    return Voice(first.voiced + second.voiced, first.certain + second.certain)
