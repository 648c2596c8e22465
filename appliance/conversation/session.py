"""One conversation: a turn is read, decided, acted on and answered, and all of it is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter

from appliance.clock import Clock
from appliance.conversation.clauses import clauses
from appliance.conversation.commands import AskPerson, NotUnderstood, Reading, Silence
from appliance.conversation.events import (
    AssistantSaid,
    CallEnded,
    CallerSaid,
    CallStarted,
    Event,
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
from appliance.conversation.state import DialogueState
from appliance.conversation.steps import (
    CallTool,
    End,
    Evidence,
    Happening,
    Heard,
    Minted,
    NotRead,
    NotTaken,
    Propose,
    Refused,
    Returned,
)
from appliance.errors import TresenError, UsageError, WriteRefused

MOST_STEPS = 20
"""Steps of one turn before it is broken off: a decision that runs in circles must not cost the call."""
LOWEST_CONFIDENCE = 0.6
"""Mean word confidence below which a turn fills nothing (R-28)."""
READ_SECONDS = 6.0
"""Time that the readers have together; then the caller hears a bridge sentence."""
PERSON_KEY = "0"
OTHER_LANGUAGE = "other_language:"


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


@dataclass(frozen=True)
class _Running:
    """A tool that was begun and whose result did not come back into the conversation yet."""

    state: DialogueState
    call: ToolCall
    task: asyncio.Task[ToolResult]


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
        self._phrases = phrasebook
        self._journal = journal
        self._clock = clock
        self._call_id = call_id
        self._channel = channel
        self._versions = versions or {}
        self._state = DialogueState(language or profile.languages[0], caller)
        self._results: list[ToolResult] = []
        self._running: _Running | None = None
        self._unanswered = ""
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

    async def greeting(self) -> Reply:
        """Pick up: opens the record. The same words every time, so that their audio can be made before."""
        self._tools.language = self.language
        self._write(
            CallStarted(
                self._call_id, self._started, self._profile.id, self._channel, self.language, self._versions
            )
        )
        text = greeting_text(self._profile, self._phrases, self.language)
        self._write(AssistantSaid(self._clock.now(), text, self.language))
        return Reply(text, self.language, clauses=clauses(text))

    async def take(self, turn: Turn) -> TurnRecord:
        """Answer one turn of the caller: words, silence or a key."""
        if self._state.ended:
            return TurnRecord(turn, Reading((), "none"), (), Reply("", self.language, end_call=True))
        self._write(
            CallerSaid(
                self._clock.now(), turn.text, turn.language or self.language, turn.confidence,
                turn.silence_seconds, turn.key,
            )
        )  # fmt: skip
        work = _Turn()
        if self._running is not None:
            self._state = await self._land(self._state, work)
            self._unanswered = ""
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
        self._state = await self._land(self._state, _Turn())
        now = self._clock.now()
        duration = (now - self._started).total_seconds()
        self._write(CallEnded(now, (outcome or self.outcome).value, duration))

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
        self._write(
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

    @property
    def _spoken(self) -> tuple[str, ...]:
        return tuple(one for one in self._profile.languages if one in self._phrases.languages)

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
                        pending = await self._propose(tool, arguments, work)
                    case End():
                        pass
        return state

    async def _act(self, state: DialogueState, call: ToolCall, work: _Turn) -> Happening:
        """Run a tool. One that writes is not stopped by a cancelled turn: its result is kept for the next."""
        with work.timed("act"):
            task = asyncio.ensure_future(self._run(call))
            self._running = _Running(state, call, task)
            try:
                result = await asyncio.shield(task)
            except WriteRefused:
                self._running = None
                return Refused()
            except asyncio.CancelledError:
                if call.pending_action is None:
                    task.cancel()
                    self._running = None
                raise
        self._running = None
        return self._returned(call, result, work)

    def _returned(self, call: ToolCall, result: ToolResult, work: _Turn) -> Returned:
        work.calls.append((call, result))
        self._results.append(result)
        return Returned(result)

    async def _run(self, call: ToolCall) -> ToolResult:
        """The tool's result; a fault of the tool is a result that is not ok."""
        try:
            return await self._tools.run(call)
        except WriteRefused:
            raise
        except Exception as error:  # a tool's fault is told honestly, never costs the call
            self._failed(f"tool {call.tool}", error)
            return ToolResult(call.tool, False, {}, "failed")

    async def _propose(self, tool: str, arguments: Mapping[str, object], work: _Turn) -> Happening:
        with work.timed("act"):
            try:
                return Minted(await self._tools.propose(tool, arguments, self._clock.now()), arguments)
            except UsageError as error:
                return NotTaken(error.message)
            except Exception as error:  # idem
                self._failed(f"propose {tool}", error)
                return NotTaken("failed")

    async def _land(self, state: DialogueState, work: _Turn) -> DialogueState:
        """Take in the result of a write that an interrupted turn had begun."""
        if self._running is None:
            return state
        running, self._running = self._running, None
        try:
            result = await asyncio.shield(running.task)
        except WriteRefused:
            return replace(state, pending=None)
        except asyncio.CancelledError:
            self._running = running
            raise
        return await self._settle(running.state, self._returned(running.call, result, work), work)

    async def _answer(self, turn: Turn, reading: Reading, state: DialogueState, work: _Turn) -> TurnRecord:
        with work.timed("say"):
            says = _worded(work.says, state.used)
            text, language = self._rendered(says, state)
            replaced = self._unfounded(says, text, language, state)
        if replaced is not None:
            call = ToolCall(
                "escalate_to_human", {"reason": "unfounded_reply", "summary": turn.text, "urgency": "normal"}
            )
            work.calls.append((call, await self._run(call)))
            says = (Say("not_certain", {"phone": self._profile.phone}, 0), *self._prompt(state))
            text = self._phrases.render(says, language, state.turn)
        used = dict(state.used)
        for say in says:
            used[say.phrase] = used.get(say.phrase, 0) + 1
        last = tuple(replace(say, variant=None) for say in says) or state.last
        self._state = replace(state, used=used, last=last)
        reply = Reply(text, language, state.question, state.asked, state.ended, clauses=clauses(text))
        now = self._clock.now()
        self._write(StateChanged(now, self._state.to_data()))
        if text:
            self._write(AssistantSaid(now, text, language, dict(work.seconds), replaced))
        return TurnRecord(turn, reading, tuple(work.calls), reply, dict(work.seconds))

    def _prompt(self, state: DialogueState) -> tuple[Say, ...]:
        return (replace(state.prompt, variant=0),) if state.prompt else ()

    def _rendered(self, says: tuple[Say, ...], state: DialogueState) -> tuple[str, str]:
        """The text, and the language that it is in."""
        for say in says:
            if say.phrase == "elsewhere":
                code = str(say.values["language"])
                if sentence := self._phrases.elsewhere(code):
                    return sentence, code
        says = tuple(
            Say("handed_over.callback", {}, say.variant) if say.phrase == "elsewhere" else say for say in says
        )
        return self._phrases.render(says, state.language, state.turn), state.language

    def _unfounded(self, says: tuple[Say, ...], text: str, language: str, state: DialogueState) -> str | None:
        """The reply with its unfounded claims, when it has some (R-21)."""
        if language not in self._phrases.languages:
            return None
        found = self._brain.unfounded(text, language, self._evidence(says, language, state))
        return f"{text} [{'; '.join(found)}]" if found else None

    def _evidence(self, says: tuple[Say, ...], language: str, state: DialogueState) -> Evidence:
        profile = self._profile
        weekdays, months = self._phrases.calendar(language)
        given = [one.value for one in (*self._state.slots.values(), *state.slots.values())]
        return Evidence(
            results=tuple(self._results),
            values=(*given, profile.phone, profile.name, profile.largest_party),
            fixed=(*self._phrases.fixed(says, language), profile.notice),
            dishes=profile.vocabulary.dishes,
            allergens=profile.allergens,
            weekdays=weekdays,
            months=months,
        )

    def _failed(self, stage: str, error: Exception) -> None:
        code = error.code if isinstance(error, TresenError) else type(error).__name__
        self._write(SomethingFailed(self._clock.now(), stage, code, type(error).__name__))

    def _write(self, event: Event) -> None:
        self._journal.write(event)


def greeting_text(profile: TenantProfile, phrases: Phrasebook, language: str) -> str:
    """What a caller hears first: the business, that this is an AI, the notice, an open question (R-20)."""
    notice = profile.notices.get(language)
    if notice is None and language == profile.languages[0]:
        notice = profile.notice
    values = {
        "business": profile.name,
        "notice": notice or phrases.render([Say("notice", {}, 0)], language, 0),
    }
    own = profile.greetings.get(language)
    return own.format(**values) if own else phrases.render([Say("greeting", values, 0)], language, 0)


def _worded(says: list[Say], used: Mapping[str, int]) -> tuple[Say, ...]:
    """Each phrase in the wording after the one that it had last; said twice in a row it is said once."""
    counted = dict(used)
    worded: list[Say] = []
    for say in says:
        if worded and (worded[-1].phrase, worded[-1].values) == (say.phrase, say.values):
            continue
        worded.append(replace(say, variant=counted.get(say.phrase, 0)))
        counted[say.phrase] = counted.get(say.phrase, 0) + 1
    return tuple(worded)


def _other_language(reading: Reading) -> str | None:
    reasons = [one.reason for one in reading.commands if isinstance(one, NotUnderstood)]
    found = (one.removeprefix(OTHER_LANGUAGE) for one in reasons if one.startswith(OTHER_LANGUAGE))
    return next(found, None)
