"""What the decisions know of the business: its profile and the matters of its pack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from appliance.conversation.models import Matter, TenantProfile
from appliance.conversation.plain import plain
from appliance.conversation.state import DialogueState

PHONE = "phone"
"""The slot that may be filled with the number from the line."""


@dataclass(frozen=True)
class Desk:
    """Constant during a call."""

    profile: TenantProfile
    matters: tuple[Matter, ...]

    def open_matter(self, state: DialogueState) -> Matter | None:
        return self.named(state.matter) if state.matter else None

    def named(self, name: str) -> Matter | None:
        return next((one for one in self.matters if one.name == name), None)

    def with_slot(self, slot: str) -> Matter | None:
        """The first matter that has the slot."""
        return next((one for one in self.matters if slot in one.slots), None)


def missing(matter: Matter, state: DialogueState) -> tuple[str, ...]:
    """Slots that are still to be asked, in the matter's order."""
    return tuple(slot for slot in matter.slots if slot not in state.slots)


def check_slots(matter: Matter) -> tuple[str, ...]:
    """Slots that the check needs, in the matter's order."""
    return tuple(slot for slot in matter.slots if slot in matter.check_slots)


def arguments(matter: Matter, state: DialogueState, slots: tuple[str, ...]) -> Mapping[str, Any]:
    """Tool arguments for the slots, JSON-ready; all of them must be filled."""
    return {matter.arguments[slot]: plain(state.slots[slot].value) for slot in slots}


def slot_of(matter: Matter, argument: str) -> str | None:
    """The slot whose tool argument this is."""
    return next((slot for slot, name in matter.arguments.items() if name == argument), None)


def summary(desk: Desk, state: DialogueState) -> str:
    """The slots in one line for the person who takes over: ``reservation: guests=4, date=2026-12-05``."""
    filled = "; ".join(f"{slot}={plain(one.value)}" for slot, one in state.slots.items())
    return f"{state.matter}: {filled}" if state.matter and filled else filled
