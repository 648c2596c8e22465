"""What a turn of the caller does: values first, then questions, then yes and no."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from appliance.brain import repair
from appliance.brain.confirmation import Verdict, verdict
from appliance.brain.desk import Desk, arguments, missing
from appliance.brain.handover import LANGUAGE, hand_over
from appliance.brain.offers import accept, decline
from appliance.brain.said import Said
from appliance.brain.slots import fill, forget
from appliance.conversation.commands import (
    AmbiguousSlot,
    Cancel,
    Goodbye,
    Greet,
    Repeat,
    SetSlot,
    Silence,
    Thank,
    Wait,
)
from appliance.conversation.models import Question
from appliance.conversation.state import (
    Answer,
    Clarify,
    DialogueState,
    HangUp,
    Offer,
    OfferKind,
    Pending,
    Write,
)
from appliance.conversation.steps import Step

MOST_QUESTIONS = 3
"""Questions of one turn that are answered."""


def hear(desk: Desk, state: DialogueState, said: Said, now: datetime, *, confident: bool) -> Step:
    """Apply a turn. What it leaves to do stands on the agenda."""
    if said.only(Silence):
        seconds = max(one.seconds for one in said.all(Silence))
        return repair.silent(desk, Step(state), seconds)
    step = Step(replace(state, turn=state.turn + 1, spoke=True, silences=0, waiting=False, agenda=()))
    if handed := _wants_a_person(desk, step, said):
        return handed
    if not confident:
        return repair.not_understood(desk, step, heard_badly=True)
    if said.is_nothing:
        return repair.not_understood(desk, step, heard_badly=False)
    step = step.having(not_understood=0, unclear=0)
    if said.only(Repeat):
        step = repair.say_again(step)
    elif said.only(Wait):
        step = repair.wait(step)
    else:
        step = _understood(desk, step, said, now)
    goes_on = step.says or step.waits or step.state.agenda or step.state.matter
    return step if goes_on else step.say("what_can_i_do")


def _wants_a_person(desk: Desk, step: Step, said: Said) -> Step | None:
    """Hand over what only a person can do (R-29, R-32)."""
    if (person := said.person) is not None:
        return hand_over(desk, step, person.reason, person.text)
    if (language := said.other_language) is not None:
        return hand_over(desk, step, f"{LANGUAGE}{language}")
    unknown = [name for name in said.starts if desk.named(name) is None]
    if unknown:
        return hand_over(desk, step, unknown[0])
    return None


def _understood(desk: Desk, step: Step, said: Said, now: datetime) -> Step:
    before = step.state
    said = said.resolved({**before.values, **(before.offer.slots if before.offer else {})})
    if before.matter is None and said.facts and not said.starts:
        said = Said(tuple(one for one in said.commands if not isinstance(one, SetSlot | AmbiguousSlot)))
    if before.matter is None and before.booked and not said.starts and _changes_a_booking(desk, said):
        return hand_over(desk, step, "change_booking", " ".join(one.text for one in said.slots))
    step = _begin(desk, step, said)
    filling = fill(desk, step.state, said)
    if filling.is_confused:
        return hand_over(desk, Step(filling.state), "slot_confusion")
    step = replace(step, state=filling.state).queue(*(Answer(fact) for fact in said.facts[:MOST_QUESTIONS]))
    if said.has(Cancel):
        return _cancelled(desk, step, said)
    read_back = before.pending if repair.is_read_back(before) else None
    if read_back is not None:
        step = _after_read_back(desk, step, said, read_back, now, changed=bool(filling.changed))
    elif before.offer is not None:
        step = _after_offer(desk, step, said, before.offer, changed=bool(filling.changed))
    elif not filling.changed:
        step = _without_question(step, said)
    step = _clarify(step, said) if step.state.matter else step
    return step.queue(HangUp()) if said.has(Goodbye) else step


def _begin(desk: Desk, step: Step, said: Said) -> Step:
    """Open the matter that was named, or that two of its values imply."""
    if step.state.matter is not None:
        return step
    if said.starts:
        return step.ask_nothing().having(matter=said.starts[0], closing=False)
    named = [*(one.slot for one in said.slots), *(one.slot for one in said.ambiguous)]
    implied = next(filter(None, map(desk.with_slot, named)), None)
    if implied is None:
        return step
    is_offered = step.state.offer is not None and step.state.offer.kind is OfferKind.START
    if len(named) > 1 or is_offered:
        return step.ask_nothing().having(matter=implied.name, closing=False)
    if named[0] in implied.check_slots and not said.affirms:
        offer = Offer(OfferKind.START, matter=implied.name)
        return step.ask(f"{implied.name}.offer_start", question=Question.YES_NO, offer=offer)
    return step


def _after_read_back(
    desk: Desk, step: Step, said: Said, pending: Pending, now: datetime, *, changed: bool
) -> Step:
    matter = desk.open_matter(step.state)
    if matter is None:
        return step
    complete = not missing(matter, step.state)
    wanted = arguments(matter, step.state, matter.slots) if complete else None
    match verdict(pending, said, wanted, now, changed=changed):
        case Verdict.REDEEM:
            return step.queue(Write())
        case Verdict.READ_AGAIN:
            late = said.affirms and not changed and not said.facts
            step = step.ask_nothing().having(pending=None)
            return step.say("read_again") if late else step
        case Verdict.NO if not said.has(Goodbye):
            return step.having(pending=None).ask(f"{matter.name}.what_to_change")
        case Verdict.UNCLEAR if not said.has(Goodbye):
            return repair.ask_again(_politely(step, said))
    return step


def _after_offer(desk: Desk, step: Step, said: Said, offer: Offer, *, changed: bool) -> Step:
    if step.state.offer is not offer:  # what was said took it up already, or led to another one
        return step
    if said.affirms:
        return accept(desk, step)
    if said.denies and not changed:
        return decline(desk, step)
    if changed or said.facts or said.starts or said.ambiguous or said.has(Goodbye):
        return step.ask_nothing()
    return repair.ask_again(_politely(step, said))


def _without_question(step: Step, said: Said) -> Step:
    """Nothing that a yes could take is open."""
    state = step.state
    if said.has(Goodbye) or said.facts or said.starts or said.ambiguous:
        return step
    if state.matter is not None and said.affirms and not state.asked:
        return step.ask_nothing()
    if state.matter is not None:
        return repair.ask_again(_politely(step, said)) if state.prompt else step
    if said.denies and (state.closing or state.answered or state.escalated):
        return step.queue(HangUp())
    if said.has(Thank):
        return _anything_else(step.say("welcome"))
    if said.has(Greet) and not said.has(SetSlot):
        return step.say("greet_back")
    if state.offer is None:
        return step.having(closing=False).say("what_can_i_do")
    return step


def _politely(step: Step, said: Said) -> Step:
    return step.aside("welcome") if said.has(Thank) else step


def _clarify(step: Step, said: Said) -> Step:
    """Ask back for a value that can mean several, after everything else."""
    return step.queue(*(Clarify(one.slot, one.candidates) for one in said.ambiguous[:1]))


def _cancelled(desk: Desk, step: Step, said: Said) -> Step:
    """Drop the open matter; what was written already is for a person to undo."""
    state = step.state
    bye = (HangUp(),) if said.has(Goodbye) else ()
    if state.matter is not None:
        step = Step(forget(desk, state, state.matter), step.actions).ask_nothing().say("cancelled")
        return step.queue(*bye) if bye else _anything_else(step)
    if state.booked:
        return hand_over(desk, step, "cancel_booking")
    return step.queue(*bye) if bye else _anything_else(step.ask_nothing().say("alright"))


def _anything_else(step: Step) -> Step:
    return step.having(closing=True).say("anything_else")


def _changes_a_booking(desk: Desk, said: Said) -> bool:
    """A value of a wish that was written already: a change, which a person makes."""
    return any((matter := desk.with_slot(one.slot)) and one.slot in matter.check_slots for one in said.slots)
