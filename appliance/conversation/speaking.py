"""From phrases to the words of a reply: wordings that vary, and a last look at what they claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from appliance.conversation.models import Say, TenantProfile, ToolResult
from appliance.conversation.ports import Brain, Phrasebook
from appliance.conversation.state import DialogueState
from appliance.conversation.steps import Evidence
from appliance.errors import KnowledgeError

ELSEWHERE = "elsewhere"
"""Stands for the one sentence in a language that is not spoken here (R-32)."""


@dataclass(frozen=True)
class Spoken:
    """A reply's words. ``refused``: the claims of another reply that had to be replaced by this one."""

    says: tuple[Say, ...]
    text: str
    language: str
    refused: str | None = None


@dataclass(frozen=True)
class Speaker:
    """Renders what the brain wants said."""

    profile: TenantProfile
    phrases: Phrasebook
    brain: Brain

    def greeting(self, language: str) -> str:
        """What a caller hears first: the business, that this is an AI, the notice, a question (R-20)."""
        profile = self.profile
        notice = profile.notices.get(language)
        if notice is None and language == profile.languages[0]:
            notice = profile.notice
        values = {
            "business": profile.name,
            "notice": notice or self.phrases.render([Say("notice", {}, 0)], language, 0),
        }
        own = profile.greetings.get(language)
        if own is None:
            return self.phrases.render([Say("greeting", values, 0)], language, 0)
        try:
            return own.format(**values)
        except (KeyError, IndexError, ValueError) as cause:
            raise KnowledgeError(
                f"The greeting of {profile.id} in '{language}' can't be used: {cause!r}. "
                "It may hold {business} and {notice} and no other braces."
            ) from cause

    def speak(
        self, says: Sequence[Say], before: DialogueState, state: DialogueState, results: Sequence[ToolResult]
    ) -> Spoken:
        """The words for ``says``; the honest sentence instead when one of their claims is unfounded."""
        worded = _worded(says, state.used)
        elsewhere = self._elsewhere(worded)
        if elsewhere is not None:
            return Spoken(worded, *elsewhere)
        text = self.phrases.render(worded, state.language, state.turn)
        evidence = self._evidence(worded, (before, state), results)
        found = self.brain.unfounded(text, state.language, evidence)
        if not found:
            return Spoken(worded, text, state.language)
        honest = (Say("not_certain", {"phone": self.profile.phone}, state.used.get("not_certain", 0)),)
        text_instead = self.phrases.render(honest, state.language, state.turn)
        return Spoken(honest, text_instead, state.language, f"{text} [{'; '.join(found)}]")

    def _elsewhere(self, says: Sequence[Say]) -> tuple[str, str] | None:
        """The sentence and its language, when one in a language that is not spoken here is wanted."""
        for say in says:
            if say.phrase == ELSEWHERE:
                code = str(say.values["language"])
                default = self.profile.languages[0]
                sentence = self.phrases.elsewhere(code)
                return (sentence, code) if sentence else (self.phrases.elsewhere(default) or "", default)
        return None

    def _evidence(
        self, says: Sequence[Say], states: Sequence[DialogueState], results: Sequence[ToolResult]
    ) -> Evidence:
        profile, language = self.profile, states[-1].language
        weekdays, months = self.phrases.calendar(language)
        given = [one.value for state in states for one in state.slots.values()]
        return Evidence(
            results=tuple(results),
            values=(*given, profile.phone, profile.name, profile.largest_party, *_asked_back(says)),
            fixed=(*self.phrases.fixed(says, language), profile.notice),
            dishes=profile.vocabulary.dishes,
            allergens=profile.allergens,
            weekdays=weekdays,
            months=months,
        )


def _asked_back(says: Sequence[Say]) -> list[object]:
    """Values that the caller's own words can mean, which are asked back and not claimed."""
    return [one for say in says for one in say.values.get("candidates", ())]


def _worded(says: Sequence[Say], used: Mapping[str, int]) -> tuple[Say, ...]:
    """Each phrase in the wording after the one that it had last; said twice in a row it is said once."""
    counted = dict(used)
    worded: list[Say] = []
    for say in says:
        if worded and (worded[-1].phrase, worded[-1].values) == (say.phrase, say.values):
            continue
        worded.append(replace(say, variant=counted.get(say.phrase, 0)))
        counted[say.phrase] = counted.get(say.phrase, 0) + 1
    return tuple(worded)
