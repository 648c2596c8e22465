"""What the cascade makes of its readers: who is asked, who is believed, what stays in doubt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time

import pytest

from appliance.config import CHECKOUT
from appliance.conversation.commands import (
    Affirm,
    AmbiguousSlot,
    AskFact,
    AskPerson,
    Cancel,
    ClearSlot,
    Command,
    Deny,
    NotUnderstood,
    Reading,
    SetSlot,
    SlotValue,
    StartMatter,
)
from appliance.conversation.models import Context, Question, Vocabulary
from appliance.errors import EngineDown, EngineError, EngineTimeout
from appliance.readers.cascade import Cascade
from appliance.readers.lexicon import Lexicons
from appliance.readers.normalise.values import Normalisers

pytestmark = pytest.mark.unit

Read = Callable[..., Awaitable[Reading]]

FILLED: Mapping[str, SlotValue] = {
    "people": 4,
    "date": date(2026, 12, 5),
    "time": time(19, 30),
    "name": "Weber",
    "phone": "+491713920052",
}


@dataclass(frozen=True)
class Tagged:
    slot: str
    start: int
    end: int
    text: str
    confidence: float


@dataclass(frozen=True)
class Scored:
    intent: str
    probability: float


@dataclass
class ScriptedTagger:
    """Marks the words that it is told, wherever they stand."""

    marks: Sequence[tuple[str, str, float]] = ()

    def tag(self, text: str, asked: Sequence[str]) -> list[Tagged]:
        return [
            Tagged(slot, text.index(words), text.index(words) + len(words), words, sure)
            for slot, words, sure in self.marks
        ]


@dataclass
class ScriptedIntents:
    scores: Mapping[str, float] = field(default_factory=dict)

    def read(self, text: str) -> list[Scored]:
        return [Scored(*score) for score in self.scores.items()]


@dataclass
class ScriptedReader:
    """A second opinion that answers as told, or fails, and remembers that it was asked."""

    commands: tuple[Command, ...] = ()
    confidence: float = 0.9
    error: EngineError | None = None
    asked: list[str] = field(default_factory=list)

    async def read(self, text: str, context: Context) -> Reading:
        self.asked.append(text)
        if self.error is not None:
            raise self.error
        return Reading(self.commands, "language_model", self.confidence)


@pytest.fixture(scope="module")
def lexicons() -> Lexicons:
    return Lexicons.load(CHECKOUT / "knowledge" / "lexicon")


@pytest.fixture(scope="module")
def normalisers() -> Normalisers:
    return Normalisers.load(CHECKOUT / "knowledge" / "normalise")


@pytest.fixture
def read(lexicons: Lexicons, normalisers: Normalisers, now: datetime) -> Read:
    """Reads a sentence with scripted readers; ``slots`` given means a read-back is open."""

    async def run(
        text: str,
        *marks: tuple[str, str, float],
        intents: Mapping[str, float] | None = None,
        second: ScriptedReader | None = None,
        asked: tuple[str, ...] = (),
        slots: Mapping[str, SlotValue] | None = None,
        confidence: float = 1.0,
        vocabulary: Vocabulary | None = None,
    ) -> Reading:
        cascade = Cascade(
            lexicons,
            normalisers,
            taggers={"de": ScriptedTagger(marks)},
            intents={"de": ScriptedIntents(intents or {})},
            second=second,
        )
        question = Question.YES_NO if slots else Question.SLOT if asked else Question.NONE
        context = Context(
            "de",
            now,
            question,
            asked,
            "reservation" if slots or asked else None,
            slots or {},
            vocabulary=vocabulary or Vocabulary(),
            confidence=confidence,
        )
        return await cascade.read(text, context)

    return run


async def test_a_plain_yes_at_a_read_back_needs_no_other_reader(read: Read) -> None:
    second = ScriptedReader()
    reading = await read("Ja, genau.", slots=FILLED, second=second)
    assert reading.commands == (Affirm(),)
    assert second.asked == []


async def test_a_yes_with_a_change_is_only_the_change(read: Read) -> None:
    reading = await read(
        "Ja, aber fünf Personen",
        ("people", "fünf", 0.97),
        intents={"affirm": 0.9, "correct": 0.8},
        slots=FILLED,
    )
    assert [(c.slot, c.value, c.corrects) for c in reading.commands] == [("people", 5, True)]


async def test_a_yes_that_repeats_what_was_read_back_is_a_yes(read: Read) -> None:
    reading = await read(
        "Ja genau, vier Personen", ("people", "vier", 0.97), intents={"affirm": 0.95}, slots=FILLED
    )
    assert reading.commands == (Affirm(),)


@pytest.mark.parametrize(
    "said",
    ["hm", "Na ja.", "Ja?", "9", "Neun.", "vielleicht", "ja, nein", "ja aber wann denn", "ja, wenn das geht"],
)
async def test_what_is_no_clear_yes_is_no_yes(read: Read, said: str) -> None:
    second = ScriptedReader((Affirm(),), 0.99)
    reading = await read(said, slots=FILLED, intents={"affirm": 0.99}, second=second)
    assert Affirm() not in reading.commands


async def test_the_language_model_can_not_say_yes(read: Read) -> None:
    second = ScriptedReader((Affirm(),), 0.99)
    reading = await read("Machen Sie mal fertig dort drüben", slots=FILLED, second=second)
    assert second.asked
    assert reading.commands == (NotUnderstood("unknown_words"),)


@pytest.mark.parametrize(
    ("said", "slot", "old", "new"),
    [
        ("Nein, fünf Personen", "people", 4, 5),
        ("Nein, nicht vier, sondern fünf Personen", "people", 4, 5),
        ("doch lieber acht Uhr", "time", time(19, 30), time(20)),
        ("Nein, am Sonntag", "date", date(2026, 12, 5), date(2026, 12, 6)),
    ],
)
async def test_a_correction_sets_only_its_slot(
    read: Read, said: str, slot: str, old: SlotValue, new: SlotValue
) -> None:
    reading = await read(said, intents={"correct": 0.9}, slots=FILLED)
    assert [(c.slot, c.value, c.corrects) for c in reading.commands] == [(slot, new, True)]


async def test_a_number_after_no_replaces_the_count_that_sounds_like_it(read: Read) -> None:
    reading = await read("nein, 15", slots={**FILLED, "people": 50})
    assert [(c.slot, c.value, c.corrects) for c in reading.commands] == [("people", 15, True)]


async def test_a_number_after_no_that_could_be_anything_is_asked_back(read: Read) -> None:
    reading = await read("nein, 11", slots=FILLED)
    assert reading.commands == (Deny(),)


async def test_a_slot_that_is_called_wrong_is_cleared(read: Read) -> None:
    reading = await read("Der Name stimmt nicht", intents={"correct": 0.9}, slots=FILLED)
    assert reading.commands == (ClearSlot("name"),)


@pytest.mark.parametrize(
    ("said", "asked", "value"),
    [
        ("Samstag", "date", date(2026, 12, 5)),
        ("der fünfte", "date", date(2026, 12, 5)),
        ("um acht", "time", time(20)),
        ("acht", "time", time(20)),
        ("fünf", "people", 5),
        ("15", "people", 15),
        ("Müller", "name", "Müller"),
        ("Jasmin Khoury, K H O U R Y", "name", "Jasmin Khoury"),
        ("Den Nachnamen? Demir.", "name", "Demir"),
        ("null eins sieben eins, drei neun zwo, null null fünf zwo", "phone", "+491713920052"),
    ],
)
async def test_a_short_answer_fills_what_was_asked(
    read: Read, said: str, asked: str, value: SlotValue
) -> None:
    second = ScriptedReader()
    reading = await read(said, asked=(asked,), second=second)
    assert [(c.slot, c.value) for c in reading.commands] == [(asked, value)]
    assert second.asked == []


async def test_what_was_asked_decides_what_a_bare_number_is(read: Read) -> None:
    reading = await read("acht", ("time", "acht", 0.7), asked=("people",))
    assert [(c.slot, c.value) for c in reading.commands] == [("people", 8)]


async def test_two_readers_that_agree_are_surer_than_one(read: Read) -> None:
    agreed = await read("Tisch um halb acht", ("time", "halb acht", 0.7), intents={"book": 0.9})
    (value,) = [c for c in agreed.commands if isinstance(c, SetSlot)]
    assert value.value == time(19, 30)
    assert value.confidence > 0.9


async def test_the_normaliser_corrects_a_span_that_is_too_short(read: Read) -> None:
    reading = await read("Tisch um halb acht", ("time", "acht", 0.9), intents={"book": 0.9})
    assert [c.value for c in reading.commands if isinstance(c, SetSlot)] == [time(19, 30)]


async def test_a_value_that_is_not_meant_is_left_out(read: Read) -> None:
    reading = await read(
        "Nein, fünf Personen, nicht vier", ("people", "fünf", 0.9), ("people", "vier", 0.9), slots=FILLED
    )
    assert [c.value for c in reading.commands if isinstance(c, SetSlot)] == [5]


async def test_two_possible_values_are_asked_back(read: Read) -> None:
    reading = await read("drei bis vier Personen", asked=("people",))
    assert reading.commands == (AmbiguousSlot("people", (3, 4), "drei bis vier Personen"),)


async def test_question_and_wish_in_one_sentence_are_both_heard_question_first(read: Read) -> None:
    said = "Tisch für vier, und habt ihr was Veganes?"
    reading = await read(said, ("people", "vier", 0.95), intents={"book": 0.9, "ask_menu": 0.9})
    assert [type(c) for c in reading.commands] == [AskFact, StartMatter, SetSlot]


async def test_a_question_about_a_day_does_not_book_it(read: Read) -> None:
    reading = await read("Habt ihr am Sonntag offen?", ("date", "Sonntag", 0.95), intents={"ask_hours": 0.95})
    assert reading.commands == (
        AskFact("hours", "Habt ihr am Sonntag offen?", (("day", date(2026, 12, 6)),)),
    )


async def test_a_question_knows_the_dish_and_the_allergen(read: Read) -> None:
    vocabulary = Vocabulary(dishes=("Lahmacun", "Döner-Teller"), categories=("Pizzen",))
    reading = await read("Sind im Dönerteller Nüsse?", intents={"ask_allergens": 0.95}, vocabulary=vocabulary)
    (fact,) = reading.commands
    assert dict(fact.about) == {"item": "Döner-Teller", "allergen": "nuts"}


@pytest.mark.parametrize(
    ("intent", "reason"),
    [
        ("person", "asked"),
        ("complaint", "complaint"),
        ("special_wish", "special_wish"),
        ("emergency", "emergency"),
    ],
)
async def test_who_needs_a_person_gets_one(read: Read, intent: str, reason: str) -> None:
    reading = await read("Da muss jemand ran", intents={intent: 0.9})
    assert reading.commands == (AskPerson(reason, "Da muss jemand ran"),)


async def test_badly_heard_words_fill_nothing(read: Read) -> None:
    reading = await read("fünf Personen", ("people", "fünf", 0.99), asked=("people",), confidence=0.55)
    assert reading.commands == (NotUnderstood("low_confidence"),)


async def test_nothing_said_is_said_so(read: Read) -> None:
    assert (await read(" … ")).commands == (NotUnderstood("nothing_said"),)


@pytest.mark.parametrize("error", [EngineDown("gone"), EngineTimeout("slow")])
async def test_a_sick_language_model_does_not_stop_the_others(read: Read, error: EngineError) -> None:
    second = ScriptedReader(error=error)
    reading = await read("Samstag um acht", ("time", "acht", 0.75), intents={"book": 0.6}, second=second)
    assert second.asked
    assert StartMatter("reservation") in reading.commands
    assert any(error.code in note for note in reading.notes)


async def test_doubt_is_read_a_second_time_and_agreement_settles_it(read: Read) -> None:
    second = ScriptedReader((SetSlot("time", time(20), "acht", 0.8),))
    reading = await read(
        "Tisch, sagen wir acht", ("time", "acht", 0.65), intents={"book": 0.9}, second=second
    )
    assert second.asked
    (value,) = [c for c in reading.commands if isinstance(c, SetSlot)]
    assert value.value == time(20)
    assert value.confidence > 0.8


async def test_two_opinions_of_equal_weight_are_asked_back(read: Read) -> None:
    second = ScriptedReader((SetSlot("people", 3, "drei", 0.8),))
    reading = await read(
        "Wir kommen mit dreien oder so, zwei", ("people", "zwei", 0.65), intents={"book": 0.9}, second=second
    )
    (value,) = [c for c in reading.commands if isinstance(c, AmbiguousSlot)]
    assert set(value.candidates) == {2, 3}


async def test_a_value_that_only_the_model_sees_is_not_taken_unasked(read: Read) -> None:
    second = ScriptedReader((SetSlot("name", "Grün", "Grün", 0.99),))
    reading = await read("Ich sehe Grün und Blau", second=second)
    assert not any(isinstance(c, SetSlot) for c in reading.commands)


@pytest.mark.parametrize(
    "wish", [AskFact("hours", "?"), AskPerson("asked"), StartMatter("reservation"), Cancel(), Deny()]
)
async def test_a_wish_that_only_the_model_reads_is_heard(read: Read, wish: Command) -> None:
    second = ScriptedReader((wish, Affirm()))
    reading = await read("Sagen Sie mal, wie ist das denn bei Ihnen so", second=second)
    assert reading.commands == (wish,)


async def test_a_sure_intent_is_not_overruled_by_the_model(read: Read) -> None:
    second = ScriptedReader((AskPerson("complaint"),))
    reading = await read(
        "Tisch, sagen wir acht", ("time", "acht", 0.65), intents={"book": 0.9}, second=second
    )
    assert not any(isinstance(c, AskPerson) for c in reading.commands)


async def test_dropping_the_matter_is_heard(read: Read) -> None:
    reading = await read("Ach, vergessen Sie's.", slots=FILLED)
    assert reading.commands == (Cancel(),)
