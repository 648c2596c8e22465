"""The last look at a reply lets every true answer about the demo business through, in both languages."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from appliance.conversation.commands import AskFact
from appliance.conversation.events import AssistantSaid
from appliance.conversation.models import Turn
from tests.scenarios.dialogue import Call, Dialogue, open_call

pytestmark = pytest.mark.scenario


def questions(call: Call, language: str) -> list[AskFact]:
    """Every category, dish, allergen, day and page that callers can ask about."""
    tenant = call.desk.files.current()
    assert tenant.menu is not None
    asked = [AskFact("menu", "?"), AskFact("hours", "?"), AskFact("services", "?")]
    for part in tenant.menu.categories:
        asked.append(AskFact("menu", "?", (("category", part.name.get(language, part.name["de"])),)))
        for item in part.items:
            name = item.name.get(language, item.name["de"])
            asked += [AskFact("price", "?", (("item", name),)), AskFact("allergens", "?", (("item", name),))]
    for allergen in ("Gluten", "Milch", "Senf") if language == "de" else ("gluten", "milk", "mustard"):
        asked.append(AskFact("allergens", "?", (("allergen", allergen),)))
    days = [date(2026, 12, 1) + timedelta(days=number) for number in range(0, 35, 3)]
    asked += [AskFact("hours", "?", (("day", day),)) for day in days]
    asked += [AskFact("knowledge", one.title) for one in tenant.sections if one.language == language]
    return asked


@pytest.mark.parametrize("language", ["de", "en"])
async def test_no_true_answer_is_replaced(language: str, tmp_path: Path) -> None:
    call = open_call(Dialogue("facts", {"name": "facts", "language": language}), tmp_path)
    assert call.scripted is not None
    for fact in questions(call, language):
        call.scripted.enqueue(fact)
        record = await call.session.take(Turn(fact.text, language))
        assert record.reply.text, fact
    replaced = [one.replaced for one in call.journal.of(AssistantSaid) if one.replaced]
    assert replaced == []
