"""Fills the slots of a matter from what the caller said, and counts corrections (R-22, R-24)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from appliance.brain.desk import Desk, check_slots
from appliance.brain.said import Said
from appliance.conversation.commands import SetSlot
from appliance.conversation.models import Matter
from appliance.conversation.state import DialogueState, Filled, Offer, OfferKind, Source

MOST_CORRECTIONS = 3
"""One more in a matter and a person takes over."""
MOST_OF_ONE_SLOT = 3
"""So many corrections of one slot and a person takes over (R-28)."""
WHOLE_DAY = frozenset({"closed_day", "holiday", "past", "beyond_horizon"})
"""Reasons for which no time of the wanted day would do."""


@dataclass(frozen=True)
class Filling:
    """The state after a turn's values, and which slots have another value than before."""

    state: DialogueState
    changed: frozenset[str] = frozenset()

    @property
    def is_confused(self) -> bool:
        """Too many corrections (R-24, R-28)."""
        counts = self.state.corrections
        return sum(counts.values()) > MOST_CORRECTIONS or max(counts.values(), default=0) >= MOST_OF_ONE_SLOT


def fill(desk: Desk, state: DialogueState, said: Said) -> Filling:
    """Take the values of a turn. Only slots that were named change."""
    values = _accepted(state, said) | {one.slot: _said(one, state) for one in said.slots}
    matter = desk.open_matter(state)
    known = {slot for one in ((matter,) if matter else desk.matters) for slot in one.slots}
    values = {slot: one for slot, one in values.items() if slot in known}
    before = state.values
    changed = {slot for slot, one in values.items() if before.get(slot) != one.value}
    cleared = {slot for slot in said.cleared & state.slots.keys() if slot not in values}
    corrected = {slot for slot in changed | cleared if slot in before} - _reconsidered(matter, state)
    counts = {**state.corrections, **{slot: state.corrections.get(slot, 0) + 1 for slot in corrected}}
    slots = {slot: one for slot, one in state.slots.items() if slot not in cleared}
    slots |= {slot: one for slot, one in values.items() if slot in changed}
    if not changed and not cleared:
        return Filling(state)
    state = replace(state, slots=slots, corrections=counts, pending=None)
    return Filling(state, frozenset(changed | cleared))


def forget(desk: Desk, state: DialogueState, name: str | None) -> DialogueState:
    """A matter is over: what belongs to the person stays, what belongs to the wish goes."""
    matter = desk.named(name) if name else None
    gone = set(matter.check_slots) if matter else set()
    return replace(
        state,
        matter=None,
        slots={slot: one for slot, one in state.slots.items() if slot not in gone},
        pending=None,
        offer=None,
        refusal=None,
        checked=None,
        corrections={},
        declined=(),
        refusals=0,
    )


def _said(one: SetSlot, state: DialogueState) -> Filled:
    return Filled(one.value, one.text, Source.SAID, state.turn)


def _accepted(state: DialogueState, said: Said) -> dict[str, Filled]:
    """Values of an offer that the turn takes, by a yes or by giving only the time for another day."""
    offer = state.offer
    if offer is None or offer.kind is not OfferKind.SLOTS:
        return {}
    if said.affirms or _takes_the_day(state, offer, said):
        return {
            slot: Filled(value, str(value), offer.source, state.turn) for slot, value in offer.slots.items()
        }
    return {}


def _takes_the_day(state: DialogueState, offer: Offer, said: Said) -> bool:
    """ "Dann um acht" to another day than the closed one means the day that was offered."""
    given = {one.slot for one in said.slots}
    return (
        state.refusal is not None
        and state.refusal.reason in WHOLE_DAY
        and "time" in given
        and "date" not in given
    )


def _reconsidered(matter: Matter | None, state: DialogueState) -> set[str]:
    """Slots of a wish that can't be had: choosing others is no correction."""
    return set(check_slots(matter)) if matter and state.refusal else set()
