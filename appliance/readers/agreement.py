"""The quick readers' draft and the language model's opinion as one; a yes never comes from the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from appliance.conversation.commands import (
    AskFact,
    AskPerson,
    Cancel,
    Command,
    Deny,
    Goodbye,
    Greet,
    Reading,
    Repeat,
    SetSlot,
    StartMatter,
    Thank,
    Wait,
)
from appliance.conversation.models import Context
from appliance.readers.signals import Thresholds
from appliance.readers.slots import SlotReading

TRUST = 0.7
"""How far the model's confidence counts: it is not calibrated."""
WISHES = (AskFact, AskPerson, Cancel, Deny, Repeat, Greet, Thank, Goodbye, Wait)
"""What the model may say besides values. Never a yes."""


@dataclass(frozen=True)
class Merged:
    """Slots and further commands that both opinions leave, with the reasons."""

    slots: tuple[SlotReading, ...]
    commands: tuple[Command, ...]
    notes: tuple[str, ...]


def merge(
    slots: Sequence[SlotReading],
    weak: Sequence[SlotReading],
    opinion: Reading,
    text: str,
    context: Context,
    limits: Thresholds,
    *,
    intents_sure: bool,
) -> Merged:
    """``weak`` is evidence that needs the model's word; ``intents_sure`` keeps its wishes out."""
    said = {c.slot: c for c in opinion.commands if isinstance(c, SetSlot)}
    kept: list[SlotReading] = []
    notes: list[str] = []
    for reading in slots:
        merged, note = _slot(reading, said.pop(reading.slot, None), opinion, limits)
        kept += [merged] if merged is not None else []
        notes += [note] if note else []
    for reading in weak:
        other = said.get(reading.slot)
        if other is not None and other.value in reading.values:
            del said[reading.slot]
            kept.append(replace(reading, values=(other.value,), confidence=0.85))
            notes.append(f"{reading.slot}: normaliser and model agree")
    for slot, command in said.items():
        alone = _model_alone(command, text, context)
        kept += [alone] if alone is not None else []
        notes.append(f"{slot}: model alone, {'taken' if alone else 'left out'}")
    wishes = () if intents_sure else tuple(c for c in opinion.commands if _is_wish(c, context))
    return Merged(tuple(kept), wishes, tuple(notes))


def _slot(
    reading: SlotReading, other: SetSlot | None, opinion: Reading, limits: Thresholds
) -> tuple[SlotReading | None, str]:
    if other is None:
        if reading.confidence >= limits.slot_keep:
            return reading, ""
        return None, f"{reading.slot}: {reading.confidence:.2f} and the model does not see it, left out"
    if other.value in reading.values:
        sure = 1 - (1 - reading.confidence) * (1 - TRUST * opinion.confidence)
        return replace(reading, values=(other.value,), confidence=sure), f"{reading.slot}: model agrees"
    if reading.confidence >= limits.slot_sure:
        return reading, f"{reading.slot}: model says {other.value}, outvoted"
    both = tuple(dict.fromkeys((*reading.values, other.value)))
    return replace(reading, values=both), f"{reading.slot}: model says {other.value}, asked back"


def _model_alone(command: SetSlot, text: str, context: Context) -> SlotReading | None:
    """A value that only the model saw is taken if it was asked for and stands in the words."""
    start = text.find(command.text)
    if command.slot not in context.asked or start < 0:
        return None
    end = start + len(command.text)
    return SlotReading(command.slot, (command.value,), start, end, 0.7, "model alone", tagged=False)


def _is_wish(command: Command, context: Context) -> bool:
    if isinstance(command, StartMatter):
        return command.matter != context.matter
    return isinstance(command, WISHES)
