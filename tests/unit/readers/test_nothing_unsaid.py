"""Whatever is said, a slot only holds what stands in the words (R-22)."""

from __future__ import annotations

import asyncio
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from appliance.config import CHECKOUT
from appliance.conversation.commands import Affirm, AmbiguousSlot, SetSlot
from appliance.conversation.models import Context, Question
from appliance.readers.cascade import Cascade
from appliance.readers.lexicon import Lexicons
from appliance.readers.normalise.phones import find_digits
from appliance.readers.normalise.values import Normalisers

pytestmark = pytest.mark.unit

NORMALISERS = Normalisers.load(CHECKOUT / "knowledge" / "normalise")
CASCADE = Cascade(Lexicons.load(CHECKOUT / "knowledge" / "lexicon"), NORMALISERS)
NOW = datetime(2026, 12, 1, 10, tzinfo=ZoneInfo("Europe/Berlin"))
SAID = (
    "ja nein vier fünf acht zehn zwölf null eins zwo doppel um halb viertel nach vor am der fünfte Samstag "
    "morgen heute abend für zu viert Personen Kinder und oder bis nicht sondern Uhr 19:30 5.12. 0171 3920052 "
    "Müller mein Name ist auf den Namen M Ü Doppel-L E R bitte , . ? äh in zwei Wochen + 49 Euro 31. Februar"
)
WORDS = st.sampled_from(SAID.split())
UTTERANCES = st.lists(WORDS, min_size=1, max_size=12).map(" ".join) | st.text(max_size=60)
SLOTS = st.lists(st.sampled_from(["people", "date", "time", "name", "phone"]), max_size=2).map(tuple)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(UTTERANCES, SLOTS, st.sampled_from(["de", "en"]), st.sampled_from(list(Question)))
def test_a_slot_holds_only_words_of_the_utterance(
    text: str, asked: tuple[str, ...], language: str, question: Question
) -> None:
    context = Context(language, NOW, question, asked, "reservation")
    reading = asyncio.run(CASCADE.read(text, context))
    for command in reading.commands:
        if isinstance(command, SetSlot | AmbiguousSlot):
            assert command.text
            assert command.text in text
        if isinstance(command, SetSlot) and command.slot == "phone":
            digits = "".join(run.digits for run in find_digits(text, NORMALISERS.language(language)))
            assert str(command.value)[-6:] in digits
    assert len({c.slot for c in reading.commands if isinstance(c, SetSlot)}) == len(
        [c for c in reading.commands if isinstance(c, SetSlot)]
    )
    if Affirm() in reading.commands:
        assert not any(isinstance(c, SetSlot | AmbiguousSlot) for c in reading.commands)
