"""Handing over to a person: reasons, how urgent each is, and what the caller hears (R-29)."""

from __future__ import annotations

from appliance.brain.desk import Desk, summary
from appliance.brain.slots import forget
from appliance.conversation.models import ToolResult
from appliance.conversation.state import HandOver
from appliance.conversation.steps import Step

URGENCY = {"emergency": "high", "complaint": "high"}
"""All others are normal."""
KEEPS_MATTER = frozenset({"special_wish", "question"})
"""Reasons after which the open matter goes on."""
OPENINGS = frozenset(
    {
        "asked",
        "complaint",
        "special_wish",
        "emergency",
        "slot_confusion",
        "order",
        "change_booking",
        "cancel_booking",
        "not_understood",
        "hard_to_hear",
        "write_failed",
    }
)
"""Reasons with a sentence of their own before it."""
SILENT = "silence"
LANGUAGE = "language_"
TOOL = "escalate_to_human"


def hand_over(desk: Desk, step: Step, reason: str, words: str = "") -> Step:
    """Give the matter to a person, with its slots. ``words``: what the caller said about it."""
    state = step.state
    parts = [part for part in (words, summary(desk, state)) if part]
    task = HandOver(reason, " | ".join(parts)[:1000], URGENCY.get(reason, "normal"))
    if reason not in KEEPS_MATTER:
        step = Step(forget(desk, state, state.matter), step.actions)
    step = step.ask_nothing().having(pending=None)
    return step.call(task, TOOL, reason=task.reason, summary=task.summary, urgency=task.urgency)


def handed_over(desk: Desk, step: Step, task: HandOver, result: ToolResult) -> Step:
    """Say how it goes on: a call back, or the number of the human line when nobody could be told."""
    data = result.data
    told = result.ok and data.get("way") == "callback"
    reachable = bool(step.state.caller or "phone" in step.state.slots)
    if task.reason.startswith(LANGUAGE):
        step = step.say("elsewhere", language=task.reason.removeprefix(LANGUAGE))
        return step.having(escalated=(*step.state.escalated, task.reason))
    if task.reason in OPENINGS:
        step = step.say(f"person.{task.reason}")
    phone = desk.profile.phone
    if not told:
        step = step.say("handed_over.human_line", phone=phone)
    elif reachable:
        step = step.say("handed_over.callback")
    else:
        step = step.say("handed_over.no_number", phone=phone)
    return step.having(escalated=(*step.state.escalated, task.reason) if result.ok else step.state.escalated)
