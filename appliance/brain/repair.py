"""When it does not go smoothly: not understood, heard badly, silence, a moment, once more (R-26, R-28)."""

from __future__ import annotations

from dataclasses import replace

from appliance.brain.desk import Desk
from appliance.brain.handover import SILENT, hand_over
from appliance.conversation.models import Question
from appliance.conversation.state import DialogueState, HangUp
from appliance.conversation.steps import Step

MOST_IN_A_ROW = 3
"""Turns that were not understood, or heard badly, before a person takes over."""
AT_START = (8.0, 7.0)
"""Ask; goodbye 15 s after the greeting."""
AFTER_READ_BACK = (5.0, 10.0)
"""Ask; hand over with the slots."""
AFTER_QUESTION = (8.0, 12.0)
AFTER_ANSWER = (10.0, 8.0)
WHEN_WAITING = (30.0, 30.0)
CLOSING = (8.0,)


def silence_steps(state: DialogueState) -> tuple[float, ...]:
    """Seconds of silence, each from the assistant's last word on, at which something is said."""
    if not state.spoke:
        return AT_START
    if state.waiting:
        return WHEN_WAITING
    if is_read_back(state):
        return AFTER_READ_BACK
    if state.closing and state.question is Question.NONE:
        return CLOSING
    return AFTER_ANSWER if state.question is Question.NONE else AFTER_QUESTION


def silent(desk: Desk, step: Step, seconds: float) -> Step:
    """The next step of the ladder, when so many seconds have passed. Never books anything."""
    state = step.state
    ladder = silence_steps(state)
    if state.silences >= len(ladder) or seconds < ladder[state.silences]:
        return step.settle()
    is_last = state.silences == len(ladder) - 1
    step = step.having(silences=state.silences + 1)
    if is_last and is_read_back(state):
        return hand_over(desk, step, SILENT).queue(HangUp())
    if is_last:
        return step.queue(HangUp(silent=True))
    if not state.spoke:
        return step.aside("silence.start").settle()
    step = step.aside("silence.still_there")
    return step.settle() if is_read_back(state) else ask_again(step)


def is_read_back(state: DialogueState) -> bool:
    """A yes would book."""
    return state.pending is not None and state.offer is None and state.question is Question.YES_NO


def not_understood(desk: Desk, step: Step, *, heard_badly: bool) -> Step:
    """Ask again, each time in more detail; the third time a person takes over."""
    state = step.state
    if heard_badly:
        step = step.having(unclear=state.unclear + 1)
        if step.state.unclear >= MOST_IN_A_ROW:
            return hand_over(desk, step, "hard_to_hear")
        return ask_again(step.aside("unclear"))
    step = step.having(not_understood=state.not_understood + 1)
    if step.state.not_understood >= MOST_IN_A_ROW:
        return hand_over(desk, step, "not_understood")
    if state.prompt is not None or state.matter is not None:
        return ask_again(step.aside("not_understood.first"))
    if state.not_understood:
        return step.say("not_understood.help").settle()
    question = "anything_else" if state.closing else "what_can_i_do"
    return step.aside("not_understood.first").say(question).settle()


def say_again(step: Step) -> Step:
    """The last answer once more, in other words where there are some."""
    if not step.state.repeatable:
        return ask_again(step)
    for one in step.state.repeatable:
        step = step.do(one)
    return step.settle()


def wait(step: Step) -> Step:
    return step.having(waiting=True).aside("wait").settle()


def ask_again(step: Step) -> Step:
    """The open question once more, if there is one."""
    prompt = step.state.prompt
    return (step.do(replace(prompt, aside=True)) if prompt else step).settle()
