"""Decides what happens next: a pure function of the state, what happened and the time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from appliance.brain import answers, forms, repair
from appliance.brain.desk import Desk
from appliance.brain.handover import hand_over, handed_over
from appliance.brain.output_check import unfounded
from appliance.brain.said import Said
from appliance.brain.slots import forget
from appliance.brain.turns import hear
from appliance.conversation.models import Matter, TenantProfile, ToolResult
from appliance.conversation.state import (
    Answer,
    Check,
    Clarify,
    DialogueState,
    HandOver,
    HangUp,
    Pending,
    Task,
    Write,
)
from appliance.conversation.steps import (
    CallTool,
    End,
    Evidence,
    Happening,
    Heard,
    Minted,
    NotRead,
    NotTaken,
    Refused,
    Returned,
    Step,
)

MOST_ATTEMPTS = 2
"""Tries to store what a yes allowed; the same pending action can't write twice."""
MOST_REFUSALS = 2
"""Read-backs after a refused write before a person takes over."""


@dataclass(frozen=True)
class FrontDeskBrain:
    """Implements :class:`appliance.conversation.ports.Brain` over the matters that a pack declares."""

    profile: TenantProfile
    matters: tuple[Matter, ...]

    def step(self, state: DialogueState, happening: Happening, now: datetime) -> Step:
        """The state after what happened, and what to do. A step that waits for nothing ends the turn."""
        desk = Desk(self.profile, self.matters)
        match happening:
            case Heard(commands, confident):
                step = hear(desk, state, Said(commands), now, confident=confident)
            case NotRead():
                return repair.ask_again(Step(state).aside("bridge"))
            case Returned(result):
                step = _returned(desk, state, result, now)
            case Minted(id, arguments):
                matter = desk.open_matter(state)
                step = Step(replace(state, pending=Pending(id, arguments, now)))
                return forms.minted(matter, step) if matter else step
            case NotTaken(problem):
                step = _not_taken(desk, state, problem, now)
            case Refused():
                step = _refused(desk, state)
        return advance(desk, step, now)

    def silence_steps(self, state: DialogueState) -> tuple[float, ...]:
        return repair.silence_steps(state)

    def unfounded(self, text: str, language: str, evidence: Evidence) -> tuple[str, ...]:
        return unfounded(text, language, evidence)


def advance(desk: Desk, step: Step, now: datetime) -> Step:
    """Begin what is next: the agenda first, then what the open matter needs."""
    if step.waits:
        return step
    state = step.state
    if state.agenda:
        return _begin(desk, step.having(agenda=state.agenda[1:]), state.agenda[0], now)
    matter = desk.open_matter(state)
    if matter is None or step.settled or state.ended:
        return step
    return forms.progress(desk, matter, step, now)


def _begin(desk: Desk, step: Step, task: Task, now: datetime) -> Step:
    matter = desk.open_matter(step.state)
    match task:
        case Answer():
            call = answers.call_for(task, step.state.topic)
            if call is None:
                return advance(desk, step.say("menu.which"), now)
            return step.having(doing=task).do(CallTool(call))
        case Clarify(slot, candidates) if matter is not None and slot in matter.slots:
            return step.ask(f"{matter.name}.which.{slot}", slot, candidates=candidates)
        case Write(attempts) if matter is not None:
            return forms.write(matter, step, attempts)
        case HangUp(silent):
            unfinished = matter is not None and not silent
            key = "silence.goodbye" if silent else "goodbye.unfinished" if unfinished else "goodbye.plain"
            return step.say(key).call(task, "end_call")
        case _:
            return advance(desk, step, now)


def _returned(desk: Desk, state: DialogueState, result: ToolResult, now: datetime) -> Step:
    task = state.doing
    step = Step(replace(state, doing=None))
    matter = desk.open_matter(state)
    match task:
        case Answer(fact, searched):
            is_search = fact.topic == "menu" and result.tool == "search_knowledge"
            if is_search and not searched and not answers.is_about_dishes(result, _dishes(desk)):
                return step.having(agenda=(Answer(fact, True), *state.agenda))
            alone = matter is None and not state.agenda
            return answers.answer(step, fact, result, alone=alone)
        case Check() if matter is not None:
            return forms.checked(desk, matter, step, result, now)
        case Write(attempts) if matter is not None:
            return _written(desk, matter, step, result, attempts)
        case HandOver():
            step = handed_over(desk, step, task, result)
            goes_on = step.state.matter is not None or step.state.agenda
            return step if goes_on else step.having(closing=True).say("anything_else")
        case HangUp():
            return step.having(ended=True, agenda=()).do(End())
        case _:
            return step


def _dishes(desk: Desk) -> tuple[str, ...]:
    return desk.profile.vocabulary.dishes


def _written(desk: Desk, matter: Matter, step: Step, result: ToolResult, attempts: int) -> Step:
    if result.ok:
        step = forms.written(desk, matter, step, result)
        return step if step.state.agenda else step.having(closing=True).say("anything_else")
    if "alternatives" in result.data:
        return forms.written(desk, matter, step, result)
    if result.error == "too_many_reservations":
        step = Step(forget(desk, step.state, matter.name), step.actions)
        step = step.say(f"{matter.name}.too_many", phone=desk.profile.phone)
        return step.having(closing=True).say("anything_else")
    if result.error == "failed" and attempts < MOST_ATTEMPTS:
        return forms.write(matter, step, attempts + 1)
    return hand_over(desk, step, "write_failed")


def _not_taken(desk: Desk, state: DialogueState, problem: str, now: datetime) -> Step:
    matter = desk.open_matter(state)
    asked = forms.not_taken(desk, matter, Step(state), problem, now) if matter else None
    return asked or hand_over(desk, Step(state), "write_failed")


def _refused(desk: Desk, state: DialogueState) -> Step:
    """Nothing was written. Read the values back again, which mints a new pending action."""
    matter = desk.open_matter(state)
    step = Step(replace(state, doing=None, pending=None, refusals=state.refusals + 1))
    if matter is None or step.state.refusals > MOST_REFUSALS:
        return hand_over(desk, step, "write_failed")
    return forms.read_back(matter, step.say("read_again"))
