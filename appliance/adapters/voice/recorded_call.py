"""Holds a call with a recorded caller, in real time, and says what it was like."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from appliance.adapters.voice.agent import TurnMarks
from appliance.adapters.voice.call import VoiceCall
from appliance.adapters.voice.caller_folder import CallerFolder
from appliance.adapters.voice.line import Line, Recording
from appliance.adapters.voice.mouth import Mouth
from appliance.adapters.voice.recognition import Recognition
from appliance.adapters.voice.recorded_caller import RecordedCaller, SpokenTurn
from appliance.conversation.session import ConversationSession
from appliance.errors import EngineError
from appliance.speech.answers import Answers
from appliance.speech.stt import SpeechToText
from appliance.speech.transcript import Transcript
from appliance.speech.tts import TextToSpeech
from appliance.speech.vad import VoiceModel


@dataclass(frozen=True)
class Senses:
    """What a voice call needs beside the conversation; shared by all calls of a box."""

    hearing: SpeechToText
    voice: TextToSpeech
    voice_model: VoiceModel
    answers: Mapping[str, Answers]
    words: tuple[str, ...]
    """The tenant's words that callers are likely to say, likeliest first."""
    moment: Callable[[str], str]
    """By language: what is said while an engine comes back."""
    recovered: Callable[[str], Awaitable[bool]]
    """Waits until the engine of this name answers again."""
    failed: Callable[[str, EngineError], None]
    """Told which engine failed, and how."""


@dataclass(frozen=True)
class HeldCall:
    """A call that is over."""

    recording: Recording
    spoken: tuple[SpokenTurn, ...]
    marks: tuple[TurnMarks, ...]
    opened: float
    """The event loop's clock when the line opened."""
    late_frames: int
    noises: tuple[Transcript, ...]
    """What was heard and made no turn."""


def voice_call(
    session: ConversationSession,
    senses: Senses,
    line: Line,
    hang_up: Callable[[], None],
    timed: Callable[[TurnMarks], None],
) -> VoiceCall:
    """A voice call over ``line``, ready to run."""
    mouth = Mouth(
        senses.voice,
        bridge=lambda language: senses.voice.cached(senses.moment(language), language),
        recovered=lambda: senses.recovered("tts"),
        failed=lambda error: senses.failed("tts", error),
    )

    def bridge(error: EngineError) -> None:
        senses.failed("stt", error)
        call.say_moment(senses.moment(session.language))

    recognition = Recognition(senses.hearing, lambda: senses.recovered("stt"), bridge, session.language)
    call = VoiceCall(session, recognition, mouth, line, senses.voice_model, senses.answers, hang_up, timed)
    return call


async def hold_call(
    session: ConversationSession,
    senses: Senses,
    caller: CallerFolder,
    timed: Callable[[TurnMarks], None],
    told: Callable[[VoiceCall], None] = lambda _: None,
) -> HeldCall:
    """Play the caller against the conversation until one of them hangs up.

    ``timed``: told each answered turn; ``told``: given the call when it has begun.
    """
    source = RecordedCaller(caller.recordings, idle=lambda: call.idle)
    line = Line(source, record=True)
    call = voice_call(session, senses, line, source.hang_up, timed)
    told(call)
    await call.run()
    return HeldCall(
        line.recording(),
        tuple(source.turns),
        tuple(call.listening.marks),
        line.opened,
        line.late,
        tuple(call.noises),
    )
