"""A yes or no to something that was offered: another day, the line's number, the team, the rest of a list."""

from __future__ import annotations

from dataclasses import replace

from appliance.brain import answers
from appliance.brain.desk import Desk
from appliance.brain.handover import hand_over
from appliance.conversation.state import OfferKind, Source
from appliance.conversation.steps import Step


def accept(desk: Desk, step: Step) -> Step:
    """The caller said yes. Values of the offer are in their slots already."""
    offer = step.state.offer
    if offer is None:
        return step
    match offer.kind:
        case OfferKind.SLOTS:
            return step.ask_nothing()
        case OfferKind.START:
            return step.ask_nothing().having(matter=offer.matter, closing=False)
        case OfferKind.TEAM:
            return hand_over(desk, step, offer.reason, offer.summary)
        case OfferKind.MORE:
            return answers.more(step)


def decline(desk: Desk, step: Step) -> Step:
    """The caller said no."""
    state = step.state
    offer = state.offer
    if offer is None:
        return step
    step = step.ask_nothing()
    if offer.kind is OfferKind.SLOTS and offer.source is Source.LINE:
        return step.having(declined=(*state.declined, *offer.slots))
    if offer.kind is OfferKind.SLOTS and state.refusal is not None:
        return step.having(refusal=replace(state.refusal, offered=state.refusal.offered + 1))
    if offer.kind is OfferKind.TEAM and state.matter is not None:
        too_many = {slot: one for slot, one in state.slots.items() if slot != "people"}
        return step.having(slots=too_many).say("alright")
    return step.having(closing=True).say("alright").say("anything_else")
