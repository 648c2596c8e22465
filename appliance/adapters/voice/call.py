"""One call by voice: joins a line, the ear, the conversation and the mouth in a LiveKit session."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from livekit.agents import (
    AgentSession,
    EndpointingOptions,
    InterruptionOptions,
    PreemptiveGenerationOptions,
    TurnHandlingOptions,
    inference,
)

from appliance.adapters.voice.agent import FrontDesk, Listening, NoModel, NoVoice, TurnMarks
from appliance.adapters.voice.ear import HANGOVER, Ear, Heard
from appliance.adapters.voice.hearing import Hearing
from appliance.adapters.voice.line import RATE, Line
from appliance.adapters.voice.mouth import Mouth
from appliance.adapters.voice.recognition import Recognition
from appliance.adapters.voice.turns import PLAIN, Patience, SilenceWatch, patience_after, watch_silence
from appliance.conversation.models import Question, Reply, Turn
from appliance.conversation.session import ConversationSession
from appliance.errors import EngineError
from appliance.speech.answers import Answers
from appliance.speech.transcript import Transcript
from appliance.speech.turn_gate import TurnGate
from appliance.speech.vad import VoiceModel

log = logging.getLogger(__name__)

MOST_WORDS = 3
"""Words of the tenant that the recogniser is told; more cost accuracy elsewhere (docs/adr/0012)."""
TICK = 0.05
"""Seconds between looks at who is silent."""


@dataclass
class VoiceCall:
    """A call from pick-up to hang-up. ``hang_up`` is called when the conversation has ended it."""

    conversation: ConversationSession
    recognition: Recognition
    mouth: Mouth
    line: Line
    voice_model: VoiceModel
    answers: Mapping[str, Answers]
    """Closed sets of short answers by language."""
    hang_up: Callable[[], None]
    timed: Callable[[TurnMarks], None]
    """Told each turn when the first sound of its answer is out."""
    words: tuple[str, ...] = ()
    """The tenant's words that callers are likely to say, likeliest first."""
    gate: TurnGate = field(default_factory=TurnGate)

    def __post_init__(self) -> None:
        self.listening = Listening()
        self.agent = FrontDesk(self.conversation, self.mouth, self.listening, self.timed)
        self.noises: list[Transcript] = []
        """What was heard and made no turn."""
        self._silence = SilenceWatch()
        self._patience = PLAIN
        self._session = self._make_session()

    @property
    def idle(self) -> bool:
        """True when the assistant has nothing to say and nothing to think about."""
        waiting = self._session.agent_state in ("listening", "idle") and self.listening.heard is None
        return waiting and not self.line.output.playing

    def say_moment(self, text: str) -> None:
        """Tell the caller that it takes a moment, unless the caller still speaks or it was said already."""
        if not self._caller_speaks and not self.line.output.playing:
            self._session.say(text, add_to_chat_ctx=False)

    @property
    def _caller_speaks(self) -> bool:
        return self.listening.ear is not None and self.listening.ear.speaking

    async def run(self) -> None:
        """The whole call: greets as soon as the line runs, ends when the line ends."""
        self._session.input.audio = self.line.input
        self._session.output.audio = self.line.output
        self._expect(None)
        await self._session.start(self.agent, record=False)
        watch = asyncio.create_task(self._watch())
        try:
            await self.line.run()
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
            await self._session.aclose()

    def _make_session(self) -> AgentSession[None]:
        return AgentSession(
            stt=Hearing(self._make_ear),
            llm=NoModel(),
            tts=NoVoice(RATE),
            vad=inference.VAD(model="silero", min_silence_duration=HANGOVER),
            turn_handling=TurnHandlingOptions(
                turn_detection=inference.TurnDetector(version="v1-mini"),
                endpointing=_endpointing(PLAIN),
                interruption=InterruptionOptions(
                    mode="vad", min_duration=0.5, min_words=0, resume_false_interruption=False
                ),
                preemptive_generation=PreemptiveGenerationOptions(enabled=False),
            ),
            aec_warmup_duration=None,
            user_away_timeout=None,
        )

    def _make_ear(self, pass_on: Callable[[Heard], None]) -> Ear:
        def heard(what: Heard) -> None:
            judgement = self.gate.decide(what.transcript, self._just_said())
            if not judgement.is_speech:
                self.noises.append(what.transcript.judged(judgement))
                return
            self.listening.heard = what
            if not self.listening.taking:
                pass_on(what)

        ear = Ear(self.voice_model, self.recognition, heard, self.noises.append, self._trouble)
        self.listening.ear = ear
        return ear

    def _just_said(self) -> tuple[str, ...]:
        """What the assistant is saying, when it is: a caller's own words are no echo in silence."""
        reply = self.agent.reply
        return (reply.text,) if reply is not None and self.line.output.playing else ()

    def _trouble(self, error: EngineError) -> None:
        log.warning("hearing failed: %s", error.code)

    async def _watch(self) -> None:
        """Owns idle time: patience for the next turn, the silence ladder, and the end of the call."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(TICK)
            reply = self.agent.reply
            self._expect(reply)
            speaking = self._caller_speaks
            if reply is not None and reply.end_call and self.idle:
                self.hang_up()
                return
            if speaking or self.listening.heard is not None:
                self._silence = SilenceWatch()
                continue
            steps = self.conversation.silence_steps()
            self._silence, quiet = watch_silence(self._silence, loop.time(), not self.idle, steps)
            if quiet is not None:
                record = await self.conversation.take(Turn(silence_seconds=quiet, language=""))
                self.agent.say(record.reply)

    def _expect(self, reply: Reply | None) -> None:
        """Listen for what the last question makes likely, and as long as its answer may take."""
        closed = reply is not None and reply.question is Question.YES_NO
        language = self.conversation.language
        self.recognition.language = language
        self.recognition.candidates = self.answers[language].yes_no if closed else {}
        known = self.answers[language]
        named = reply is not None and reply.asked == ("name",)
        self.recognition.words = known.names if named else (*known.words, *self.words[:MOST_WORDS])
        patience = patience_after(reply)
        if patience != self._patience:
            self._patience = patience
            self._session.update_options(endpointing_opts=_endpointing(patience))


def _endpointing(patience: Patience) -> EndpointingOptions:
    return EndpointingOptions(mode="fixed", min_delay=patience.finished, max_delay=patience.unfinished)
