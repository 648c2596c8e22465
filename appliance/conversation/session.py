"""One conversation: a turn is read, decided, acted on and answered, and all of it is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter

from appliance.clock import Clock
from appliance.conversation.acting import Hands
from appliance.conversation.clauses import clauses
from appliance.conversation.commands import AskPerson, NotUnderstood, Reading, Silence
from appliance.conversation.events import (
    AssistantSaid,
    CallEnded,
    CallerSaid,
    CallStarted,
    SomethingFailed,
    StateChanged,
    Understood,
)
from appliance.conversation.models import (
    Context,
    Outcome,
    Reply,
    Say,
    TenantProfile,
    ToolCall,
    ToolResult,
    Turn,
    TurnRecord,
)
from appliance.conversation.plain import named
from appliance.conversation.ports import Brain, Journal, Phrasebook, Reader, ToolRunner
from appliance.conversation.speaking import Speaker, Spoken
from appliance.conversation.state import DialogueState
from appliance.conversation.steps import CallTool, Happening, Heard, NotRead, Propose, Returned
from appliance.errors import TresenError, UsageError

MOST_STEPS = 20
"""Steps of one turn before it is broken off: a decision that runs in circles must not cost the call."""
LOWEST_CONFIDENCE = 0.6
"""Mean word confidence below which a turn fills nothing (R-28)."""
READ_SECONDS = 6.0
"""Time that the readers have together; then the caller hears a bridge sentence."""
PERSON_KEY = "0"
OTHER_LANGUAGE = "other_language:"
ESCALATE = "escalate_to_human"
UNFOUNDED = "unfounded_reply"
"""Reason for which a person hears of a reply that claimed what nobody knows."""


@dataclass
class _Turn:
    """What one turn has done so far."""

    calls: list[tuple[ToolCall, ToolResult]] = field(default_factory=list)
    says: list[Say] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    steps: int = 0

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        began = perf_counter()
        try:
            yield
        finally:
            self.seconds[part] = self.seconds.get(part, 0.0) + perf_counter() - began


class ConversationSession:
    """One call. Turns are taken one at a time; the state changes only when a turn is complete.

    A turn may be cancelled at any moment (barge-in, hang-up). Words that were not answered are read together
    with the next ones; a write that was begun is finished, and its result is told with the next answer.
    """

    def __init__(
        self,
        profile: TenantProfile,
        brain: Brain,
        reader: Reader,
        tools: ToolRunner,
        phrasebook: Phrasebook,
        journal: Journal,
        clock: Clock,
        caller: str | None = None,
        *,
        call_id: str = "call",
        channel: str = "text",
        language: str | None = None,
        versions: Mapping[str, str] | None = None,
    ) -> None:
        self._profile = profile
        self._brain = brain
        self._reader = reader
        self._tools = tools
        self._speaker = Speaker(profile, phrasebook, brain)
        self._hands = Hands(tools, clock, self._failed)
        self._spoken = tuple(one for one in profile.languages if one in phrasebook.languages)
        self._journal = journal
        self._clock = clock
        self._call_id = call_id
        self._channel = channel
        self._versions = versions or {}
        self._state = DialogueState(language or profile.languages[0], caller)
        self._unanswered = ""
        self._said = ""
        self._started = clock.now()
        self._closed = False

    @property
    def state(self) -> DialogueState:
        return self._state

    @property
    def language(self) -> str:
        """In which the assistant speaks now."""
        return self._state.language

    @property
    def context(self) -> Context:
        """What a reader may know at this moment."""
        state = self._state
        return Context(
            language=state.language,
            now=self._clock.now(),
            question=state.question,
            asked=state.asked,
            matter=state.matter,
            slots=state.values,
            offered=state.offer.slots if state.offer else {},
            vocabulary=self._profile.vocabulary,
        )

    @property
    def outcome(self) -> Outcome:
        """How the call stands: what it would be called if it ended now."""
        state = self._state
        if state.booked:
            return Outcome.BOOKED
        if state.escalated:
            return Outcome.ESCALATED
        unfinished = state.matter is not None
        return Outcome.ANSWERED if state.answered and not unfinished else Outcome.NOT_DONE

    def silence_steps(self) -> tuple[float, ...]:
        """Seconds of silence, each from the assistant's last word on, at which it wants to be told."""
        return () if self._state.ended else self._brain.silence_steps(self._state)

    def cut_short(self, heard: str) -> None:
        """The caller spoke into the last reply when only ``heard`` of it had been spoken.

        A read-back whose values were not all heard is worth nothing: a yes has it read again.
        """
        values = "".join(clauses(self._said)[:-1]).strip()
        if self._state.pending is not None and len(heard.strip()) < len(values):
            self._state = replace(self._state, pending=None)

    async def greeting(self) -> Reply:
        """Pick up: opens the record. The same words every time, so that their audio can be made before."""
        self._tools.language = self.language
        self._journal.write(
            CallStarted(
                self._call_id, self._started, self._profile.id, self._channel, self.language, self._versions
            )
        )
        text = self._speaker.greeting(self.language)
        self._journal.write(AssistantSaid(self._clock.now(), text, self.language))
        return Reply(text, self.language, clauses=clauses(text))

    async def take(self, turn: Turn) -> TurnRecord:
        """Answer one turn of the caller: words, silence or a key."""
        if self._state.ended:
            return TurnRecord(turn, Reading((), "none"), (), Reply("", self.language, end_call=True))
        self._journal.write(
            CallerSaid(
                self._clock.now(), turn.text, turn.language or self.language, turn.confidence,
                turn.silence_seconds, turn.key,
            )
        )  # fmt: skip
        work = _Turn()
        await self._finish(work)
        if turn.text:
            self._unanswered = f"{self._unanswered} {turn.text}".strip()
        with work.timed("understand"):
            reading, happening = await self._understand(turn)
        state = await self._settle(self._state, happening, work)
        record = await self._answer(turn, reading, state, work)
        self._unanswered = ""
        return record

    async def close(self, outcome: Outcome | None = None) -> None:
        """Hang up: finishes a write that was begun, and closes the record. Twice does nothing."""
        if self._closed:
            return
        self._closed = True
        await self._finish(_Turn())
        now = self._clock.now()
        duration = (now - self._started).total_seconds()
        self._journal.write(CallEnded(now, (outcome or self.outcome).value, duration))

    async def _understand(self, turn: Turn) -> tuple[Reading, Happening]:
        if turn.silence_seconds is not None:
            reading = Reading((Silence(turn.silence_seconds),), "silence")
        elif turn.key is not None:
            pressed = AskPerson("asked", f"key {turn.key}")
            reading = Reading((pressed if turn.key == PERSON_KEY else NotUnderstood("unknown_key"),), "keys")
        else:
            try:
                reading = await self._read(turn)
            except Exception as error:  # a reader's fault costs a sentence, never the call
                self._failed("understand", error)
                return Reading((), "none", 0.0, notes=("the readers failed",)), NotRead()
        self._journal.write(
            Understood(
                self._clock.now(), tuple(named(one) for one in reading.commands), reading.reader,
                reading.confidence, reading.notes,
            )
        )  # fmt: skip
        return reading, Heard(reading.commands, turn.confidence >= LOWEST_CONFIDENCE)

    async def _read(self, turn: Turn) -> Reading:
        """Read the words; in another language that is spoken here, once more in that one (R-32)."""
        async with asyncio.timeout(READ_SECONDS):
            context = replace(self.context, confidence=turn.confidence)
            reading = await self._reader.read(self._unanswered, context)
            language = _other_language(reading)
            if language is None or language not in self._spoken or turn.confidence < LOWEST_CONFIDENCE:
                return reading
            again = await self._reader.read(self._unanswered, replace(context, language=language))
        self._state = replace(self._state, language=language)
        self._tools.language = language
        return again

    async def _settle(self, state: DialogueState, happening: Happening, work: _Turn) -> DialogueState:
        """Decide and act until nothing is waited for."""
        pending: Happening | None = happening
        while pending is not None:
            work.steps += 1
            if work.steps > MOST_STEPS:
                self._failed("decide", UsageError("the decisions of this turn ran in circles"))
                work.says = [Say("bridge")]
                return replace(self._state, agenda=(), doing=None)
            with work.timed("decide"):
                step = self._brain.step(state, pending, self._clock.now())
            state, pending = step.state, None
            for action in step.actions:
                match action:
                    case Say():
                        work.says.append(action)
                    case CallTool(call):
                        pending = await self._act(state, call, work)
                    case Propose(tool, arguments):
                        with work.timed("act"):
                            pending = await self._hands.propose(tool, arguments)
        return state

    async def _act(self, state: DialogueState, call: ToolCall, work: _Turn) -> Happening:
        with work.timed("act"):
            happening = await self._hands.run(state, call)
        if isinstance(happening, Returned):
            work.calls.append((call, happening.result))
        return happening

    async def _finish(self, work: _Turn) -> None:
        """Take in the write that an interrupted turn left behind; its answer goes before the next."""
        left = await self._hands.finish()
        if left is None:
            return
        state, call, happening = left
        if isinstance(happening, Returned):
            work.calls.append((call, happening.result))
        self._state = await self._settle(state, happening, work)
        self._unanswered = ""

    async def _answer(self, turn: Turn, reading: Reading, state: DialogueState, work: _Turn) -> TurnRecord:
        with work.timed("say"):
            spoken = self._speaker.speak(work.says, self._state, state, self._hands.results)
        if spoken.refused is not None:
            reason = {"reason": UNFOUNDED, "summary": turn.text[:1000], "urgency": "normal"}
            await self._act(state, ToolCall(ESCALATE, reason), work)
        self._state = _having_said(state, spoken)
        self._said = spoken.text
        reply = Reply(
            spoken.text, spoken.language, state.question, state.asked, state.ended,
            clauses=clauses(spoken.text),
        )  # fmt: skip
        now = self._clock.now()
        self._journal.write(StateChanged(now, self._state.to_data()))
        if spoken.text:
            self._journal.write(
                AssistantSaid(now, spoken.text, spoken.language, dict(work.seconds), spoken.refused)
            )
        return TurnRecord(turn, reading, tuple(work.calls), reply, dict(work.seconds))

    def _failed(self, stage: str, error: Exception) -> None:
        code = error.code if isinstance(error, TresenError) else type(error).__name__
        self._journal.write(SomethingFailed(self._clock.now(), stage, code, type(error).__name__))


def _having_said(state: DialogueState, spoken: Spoken) -> DialogueState:
    used = dict(state.used)
    for say in spoken.says:
        used[say.phrase] = used.get(say.phrase, 0) + 1
    last = tuple(replace(say, variant=None) for say in spoken.says)
    repeatable = tuple(say for say in last if not say.aside)
    return replace(state, used=used, last=last or state.last, repeatable=repeatable or state.repeatable)


def _other_language(reading: Reading) -> str | None:
    reasons = [one.reason for one in reading.commands if isinstance(one, NotUnderstood)]
    found = (one.removeprefix(OTHER_LANGUAGE) for one in reasons if one.startswith(OTHER_LANGUAGE))
    return next(found, None)
