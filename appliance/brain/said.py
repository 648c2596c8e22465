"""The commands of one turn, sorted by what they do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from appliance.conversation.commands import (
    Affirm,
    AmbiguousSlot,
    AskFact,
    AskPerson,
    Cancel,
    ClearSlot,
    Command,
    Deny,
    Greet,
    NotUnderstood,
    SetSlot,
    SlotValue,
    StartMatter,
    Thank,
)

Kind = TypeVar("Kind")
OTHER_LANGUAGE = "other_language:"
KNOWLEDGE, MENU = "knowledge", "menu"


@dataclass(frozen=True)
class Said:
    """One turn of the caller."""

    commands: tuple[Command, ...]

    def all(self, kind: type[Kind]) -> tuple[Kind, ...]:
        return tuple(one for one in self.commands if isinstance(one, kind))

    def has(self, *kinds: type) -> bool:
        return any(isinstance(one, kinds) for one in self.commands)

    def only(self, *kinds: type) -> bool:
        """True when nothing but these was said."""
        return bool(self.commands) and all(isinstance(one, kinds) for one in self.commands)

    @property
    def slots(self) -> tuple[SetSlot, ...]:
        """The last value of each slot, in the order in which they were said."""
        last = {one.slot: one for one in self.all(SetSlot)}
        return tuple(one for one in self.all(SetSlot) if last[one.slot] is one)

    @property
    def ambiguous(self) -> tuple[AmbiguousSlot, ...]:
        clear = {one.slot for one in self.slots}
        return tuple(one for one in self.all(AmbiguousSlot) if one.slot not in clear)

    def resolved(self, expected: Mapping[str, SlotValue]) -> Said:
        """The same with unclear values made clear where one of their meanings is the expected one."""

        def clear(one: Command) -> Command:
            if isinstance(one, AmbiguousSlot) and expected.get(one.slot) in one.candidates:
                return SetSlot(one.slot, expected[one.slot], one.text)
            return one

        return Said(tuple(clear(one) for one in self.commands))

    @property
    def cleared(self) -> frozenset[str]:
        return frozenset(one.slot for one in self.all(ClearSlot))

    @property
    def facts(self) -> tuple[AskFact, ...]:
        """Questions, each once. A question to the knowledge goes before one about the menu as a whole; it is
        asked without the words that gave values, which belong to another wish."""
        asked = tuple(dict.fromkeys(self.all(AskFact)))
        if any(one.topic == KNOWLEDGE for one in asked):
            asked = tuple(one for one in asked if one.about or one.topic != MENU)
        return tuple(self._without_values(one) if one.topic == KNOWLEDGE else one for one in asked)

    def _without_values(self, fact: AskFact) -> AskFact:
        text = fact.text
        for slot in self.slots:
            text = text.replace(slot.text, " ")
        words = " ".join(text.split())
        return replace(fact, text=words) if words else fact

    @property
    def starts(self) -> tuple[str, ...]:
        return tuple(one.matter for one in self.all(StartMatter))

    @property
    def person(self) -> AskPerson | None:
        """The gravest wish for a person."""
        wishes = self.all(AskPerson)
        urgent = [one for one in wishes if one.reason == "emergency"]
        return next(iter((*urgent, *wishes)), None)

    @property
    def affirms(self) -> bool:
        """A yes that no other word takes back."""
        return self.has(Affirm) and not self.has(Deny, Cancel, ClearSlot, AmbiguousSlot)

    @property
    def denies(self) -> bool:
        return self.has(Deny) and not self.has(Affirm)

    @property
    def is_nothing(self) -> bool:
        """No command that means something."""
        return not self.commands or self.only(NotUnderstood)

    @property
    def other_language(self) -> str | None:
        reasons = (one.reason for one in self.all(NotUnderstood))
        found = (one.removeprefix(OTHER_LANGUAGE) for one in reasons if one.startswith(OTHER_LANGUAGE))
        return next(found, None)

    @property
    def is_polite(self) -> bool:
        return self.only(Greet, Thank)
