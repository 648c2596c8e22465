"""The front desk as a LiveKit agent: what was heard goes to the conversation, what it answers is spoken."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Callable
from dataclasses import dataclass, field
from typing import Any

from livekit import rtc
from livekit.agents import Agent, ModelSettings, llm, tts
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, APIConnectOptions

from appliance.adapters.voice.ear import Ear, Heard
from appliance.adapters.voice.mouth import Mouth
from appliance.conversation.models import Reply, Turn, TurnRecord
from appliance.conversation.session import ConversationSession

CHOSEN = 0.9
"""Confidence of an answer that was chosen from a closed set by a clear margin."""
SHORT = 2
"""Words up to which an utterance can be nothing but an answer; a longer one brings something of its own."""
UNSURE = 0.6
"""Confidence of the words below which they fill nothing (R-28), so that the chosen answer loses nothing."""


@dataclass
class TurnMarks:
    """Moments of one turn, in seconds of the event loop's clock."""

    heard: Heard | None
    committed: float
    decided: float = 0.0
    first_audio: float = 0.0
    record: TurnRecord | None = None

    def parts(self) -> dict[str, float]:
        """How long each part of the answer took, in seconds; the parts of one turn, in order."""
        if self.heard is None or self.record is None:
            return {}
        ended = self.heard.speech_ended
        return {
            "pause": max(0.0, self.heard.recognition_began - ended),
            "recognise": self.heard.recognised - max(ended, self.heard.recognition_began),
            "endpoint": self.committed - self.heard.recognised,
            **self.record.seconds,
            "conversation": self.decided - self.committed,
            "speak": max(0.0, self.first_audio - self.decided),
        }


@dataclass
class Listening:
    """A call's ear, what it heard and was not answered yet, and the turns so far."""

    heard: Heard | None = None
    marks: list[TurnMarks] = field(default_factory=list)
    ear: Ear | None = None

    taking: bool = False
    """True while a turn is being taken: what is heard then belongs to it."""

    async def take(self) -> Heard | None:
        """The turn that was heard, its last words included; what comes now is the next one."""
        if self.ear is None:
            return None
        self.taking = True
        try:
            await self.ear.settle()
        finally:
            self.taking = False
        heard, self.heard = self.heard, None
        if heard is not None:
            self.ear.take_turn()
        return heard


class FrontDesk(Agent):
    """One call. Every rule lies in the conversation; this only carries words and sound."""

    def __init__(
        self,
        conversation: ConversationSession,
        mouth: Mouth,
        listening: Listening,
        timed: Callable[[TurnMarks], None],
    ) -> None:
        super().__init__(instructions="")
        self._timed = timed
        self._conversation = conversation
        self._mouth = mouth
        self._listening = listening
        self.reply: Reply | None = None
        """The last thing said."""

    async def on_enter(self) -> None:
        self.say(await self._conversation.greeting())

    def say(self, reply: Reply) -> None:
        """Speak a reply that no turn of the caller asked for."""
        self.reply = reply
        if reply.text:
            self.session.say(reply.text, add_to_chat_ctx=False)

    async def llm_node(
        self, chat_ctx: llm.ChatContext, tools: list[llm.Tool], model_settings: ModelSettings
    ) -> AsyncGenerator[str, None]:
        """Answer the turn that was just heard."""
        loop = asyncio.get_running_loop()
        heard = await self._listening.take()
        if heard is None:
            return
        marks = TurnMarks(heard, committed=loop.time())
        self._listening.marks.append(marks)
        record = await self._conversation.take(turn_of(heard))
        marks.decided, marks.record = loop.time(), record
        self.reply = record.reply
        if record.reply.text:
            yield record.reply.text

    async def tts_node(
        self, text: AsyncIterable[str], model_settings: ModelSettings
    ) -> AsyncGenerator[rtc.AudioFrame, None]:
        """Speak the text, first clause first."""
        words = "".join([part async for part in text])
        marks = self._waiting(words)
        async for frame in self._mouth.speak(words, self._language()):
            if marks is not None and not marks.first_audio:
                marks.first_audio = asyncio.get_running_loop().time()
                self._timed(marks)
            yield frame

    def _waiting(self, words: str) -> TurnMarks | None:
        """The turn that these words answer, if they answer one."""
        marks = self._listening.marks[-1] if self._listening.marks else None
        if marks is None or marks.record is None or marks.record.reply.text != words:
            return None
        return marks

    def _language(self) -> str:
        return self.reply.language if self.reply else self._conversation.language


def turn_of(heard: Heard) -> Turn:
    """What was heard, as a turn of the conversation."""
    transcript = heard.transcript
    nothing_else = len(transcript.text.split()) <= SHORT or transcript.confidence < UNSURE
    answer = transcript.answer if nothing_else else None
    return Turn(
        text=answer.answer if answer else transcript.text,
        language=transcript.language,
        confidence=max(transcript.confidence, CHOSEN) if answer else transcript.confidence,
        words=tuple((word.text, word.confidence) for word in transcript.words),
    )


class NoModel(llm.LLM[str]):
    """The session wants a model before it asks for answers; answers come from the conversation."""

    def chat(
        self,
        *,
        chat_ctx: llm.ChatContext,
        tools: list[llm.Tool] | None = None,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
        **options: Any,
    ) -> llm.LLMStream:
        raise TypeError("The conversation answers, not a model of the session.")


class NoVoice(tts.TTS[str]):
    """The session wants a voice before it speaks; speech comes from the mouth, through ``tts_node``."""

    def __init__(self, rate: int) -> None:
        super().__init__(capabilities=tts.TTSCapabilities(streaming=False), sample_rate=rate, num_channels=1)

    def synthesize(
        self, text: str, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> tts.ChunkedStream:
        raise TypeError("The mouth speaks, not a voice of the session.")
