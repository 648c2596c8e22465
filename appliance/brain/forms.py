"""Takes a matter forward: ask what is missing, check, offer, read back, write."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any

from appliance.brain.confirmation import is_in_time
from appliance.brain.desk import PHONE, Desk, arguments, check_slots, missing, slot_of
from appliance.brain.slots import forget
from appliance.conversation.commands import SlotValue
from appliance.conversation.models import Matter, Question, ToolResult
from appliance.conversation.state import Check, DialogueState, Offer, OfferKind, Refusal, Source, Write
from appliance.conversation.steps import Propose, Step

MOST_OFFERS = 2
TOO_LARGE = "party_size"
NOT_CHECKED = "could_not_check"
NOT_UNDERSTOOD = "unparsable"


def progress(desk: Desk, matter: Matter, step: Step, now: datetime) -> Step:
    """The next thing that the open matter needs."""
    state = step.state
    if _is_too_large(desk, state):
        return too_large(step, desk.profile.largest_party)
    if absent := [slot for slot in check_slots(matter) if slot not in state.slots]:
        return step.ask(f"{matter.name}.ask.{'_'.join(absent)}", *absent)
    wanted = arguments(matter, state, check_slots(matter))
    if matter.check_tool and wanted != state.checked:
        if state.refusal and state.refusal.arguments == wanted:
            return offer_other(matter, step)
        return step.ask_nothing().call(Check(), matter.check_tool, **wanted)
    if others := missing(matter, state):
        return _ask_one(matter, step, others[0])
    wanted = arguments(matter, state, matter.slots)
    if state.pending and state.pending.arguments == wanted and is_in_time(state.pending, now):
        return step.ask(f"{matter.name}.confirm_again", question=Question.YES_NO)
    return read_back(matter, step)


def read_back(matter: Matter, step: Step) -> Step:
    """Mint a pending action for exactly these values; the sentence follows when it is there."""
    return (
        step.ask_nothing()
        .having(pending=None)
        .do(Propose(matter.write_tool, arguments(matter, step.state, matter.slots)))
    )


def minted(matter: Matter, step: Step) -> Step:
    """Say all values in one sentence and ask for a yes."""
    values: dict[str, Any] = step.state.values
    return step.ask(
        f"{matter.name}.read_back",
        question=Question.YES_NO,
        again=f"{matter.name}.confirm_again",
        **values,
    )


def write(matter: Matter, step: Step, attempts: int = 1) -> Step:
    """Redeem the pending action."""
    pending = step.state.pending
    if pending is None:
        return read_back(matter, step)
    return step.ask_nothing().call(Write(attempts), matter.write_tool, pending.id, **pending.arguments)


def checked(desk: Desk, matter: Matter, step: Step, result: ToolResult, now: datetime) -> Step:
    """Go on with a wish that can be had; say why not, and what else, for one that can't."""
    wanted = arguments(matter, step.state, check_slots(matter))
    data = result.data
    reason = data.get("reason")
    if not result.ok:
        step = step.having(checked=wanted).say("check_failed")
        return progress(desk, matter, step, now)
    if data.get("available") or reason == NOT_CHECKED:
        step = step.having(checked=wanted, refusal=None)
        if reason == NOT_CHECKED:
            step = step.say(f"{matter.name}.unavailable.{NOT_CHECKED}")
        elif missing(matter, step.state):
            step = step.say(f"{matter.name}.available", **step.state.values)
        return progress(desk, matter, step, now)
    return refused(desk, matter, step, data, wanted)


def refused(
    desk: Desk, matter: Matter, step: Step, data: Mapping[str, Any], wanted: Mapping[str, Any]
) -> Step:
    """The wish can't be had: say why, offer what can."""
    reason = str(data.get("reason") or "full")
    if reason == TOO_LARGE:
        return too_large(step, int(data.get("limit") or desk.profile.largest_party))
    values = {**step.state.values, "ranges": data.get("ranges", ()), "holiday": data.get("holiday", "")}
    step = step.having(
        checked=None,
        pending=None,
        refusal=Refusal(wanted, reason, tuple(data.get("alternatives", ()))),
    ).say(f"{matter.name}.unavailable.{reason}", **values)
    return offer_other(matter, step)


def offer_other(matter: Matter, step: Step) -> Step:
    """Offer the next alternative; ask openly when there is none left or two were not wanted."""
    refusal = step.state.refusal
    if refusal is None:
        return step
    if refusal.offered < min(MOST_OFFERS, len(refusal.alternatives)):
        values = _values(matter, refusal.alternatives[refusal.offered])
        offer = Offer(OfferKind.SLOTS, values)
        key = "offer_same_day" if _same_day(step.state, values) else "offer"
        shown: dict[str, Any] = {**step.state.values, **values}
        return step.ask(f"{matter.name}.{key}", question=Question.YES_NO, offer=offer, **shown)
    return step.ask(f"{matter.name}.ask_other", "date", "time")


def too_large(step: Step, limit: int) -> Step:
    """More guests than may be booked by phone: offer the team."""
    offer = Offer(OfferKind.TEAM, reason="special_wish")
    return step.ask("offer_team.party_size", question=Question.YES_NO, offer=offer, limit=limit)


def written(desk: Desk, matter: Matter, step: Step, result: ToolResult) -> Step:
    """Tell exactly what happened to the write."""
    state = step.state
    pending = state.pending
    arguments_written = dict(pending.arguments) if pending else {}
    if result.ok:
        values = state.values
        key = "noted" if result.data.get("status") == "needs_confirmation" else "done"
        step = Step(forget(desk, state, matter.name), step.actions)
        step = step.having(booked=(*state.booked, arguments_written), refusals=0)
        step = step.say(f"{matter.name}.{key}", **values)
        return step.say(f"{matter.name}.team_confirms") if result.data.get("team_confirms") else step
    step = step.having(pending=None, checked=None)
    if "alternatives" in result.data:
        wanted = arguments(matter, state, check_slots(matter))
        return refused(desk, matter, step.say(f"{matter.name}.gone"), result.data, wanted)
    return step


def not_taken(desk: Desk, matter: Matter, step: Step, problem: str, now: datetime) -> Step | None:
    """Ask anew for the values that the tool does not take; None when the problem names none of them."""
    named = [slot for slot, argument in matter.arguments.items() if re.search(rf"\b{argument}: ", problem)]
    wrong = [slot for slot in named if slot in step.state.slots]
    if not wrong:
        return None
    slots = {slot: one for slot, one in step.state.slots.items() if slot not in wrong}
    step = step.having(slots=slots, declined=(*step.state.declined, *wrong)).say("value_not_taken")
    return progress(desk, matter, step, now)


def _ask_one(matter: Matter, step: Step, slot: str) -> Step:
    """One question at a time: names and numbers are heard best alone."""
    state = step.state
    if slot == PHONE and state.caller and PHONE not in state.declined:
        offer = Offer(OfferKind.SLOTS, {PHONE: state.caller}, Source.LINE)
        return step.ask(f"{matter.name}.ask.phone_from_line", PHONE, question=Question.YES_NO, offer=offer)
    return step.ask(f"{matter.name}.ask.{slot}", slot)


def _is_too_large(desk: Desk, state: DialogueState) -> bool:
    people = state.values.get("people")
    return isinstance(people, int) and people > desk.profile.largest_party


def _values(matter: Matter, alternative: Mapping[str, Any]) -> dict[str, SlotValue]:
    """An alternative's tool arguments as slot values."""
    found: dict[str, SlotValue] = {}
    for argument, value in alternative.items():
        slot = slot_of(matter, argument)
        if slot == "date":
            found[slot] = date.fromisoformat(str(value))
        elif slot == "time":
            found[slot] = time.fromisoformat(str(value))
        elif slot is not None:
            found[slot] = value
    return found


def _same_day(state: DialogueState, values: Mapping[str, SlotValue]) -> bool:
    return values.get("date") == state.values.get("date")
