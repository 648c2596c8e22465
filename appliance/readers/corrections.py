"""A bare number after "no": "nein, fünfzehn" can only replace a number that it sounds like."""

from __future__ import annotations

import re
from datetime import time

from appliance.conversation.models import Context, Question
from appliance.readers.normalise.words import Words
from appliance.readers.slots import SlotReading

SURE = 0.85


def bare_correction(text: str, context: Context, words: Words) -> SlotReading | None:
    """The slot that a lone number corrects at a read-back, if exactly one is near; nothing if in doubt."""
    written = words.written(text)
    numbers = list(re.finditer(r"(?<![\d.:,])\d{1,3}(?![\d.:,]\d)", written.text))
    if context.question is not Question.YES_NO or len(numbers) != 1:
        return None
    number = int(numbers[0].group())
    near = [slot for slot in ("people", "time") if _sounds_near(number, context.slots.get(slot))]
    if near != ["people"]:
        return None
    start, end = written.origin(*numbers[0].span())
    note = f"{number} sounds like {context.slots['people']}, the number of people"
    return SlotReading("people", (number,), start, end, SURE, note, tagged=False)


def _sounds_near(number: int, known: object) -> bool:
    if isinstance(known, time):
        return any(_alike(number, hour) for hour in (known.hour, known.hour % 12))
    return isinstance(known, int) and number != known and _alike(number, known)


def _alike(one: int, other: int) -> bool:
    """Three, thirteen and thirty share their beginning; two and three are often confused on the phone."""
    return _root(one) == _root(other) or {one, other} == {2, 3}


def _root(number: int) -> int:
    if 13 <= number <= 19:
        return number - 10
    return number // 10 if number >= 20 and number % 10 == 0 else number
