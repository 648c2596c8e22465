"""Times of day and their ranges as words, exactly or as in everyday speech. Pure."""

from __future__ import annotations

import re

from appliance.speech.spoken.numbers import Numbers
from appliance.speech.spoken.words import DASH, ClockStyle, SpokenWords, either, word_before

_HALF = {"a": 0, "p": 12}


class Times:
    """Says times in one language and style."""

    def __init__(self, words: SpokenWords, numbers: Numbers, style: ClockStyle) -> None:
        self._words = words.clock
        self._numbers = numbers
        self._style = style
        clock = words.clock
        mark = clock.mark
        digits = r"(\d{1,2})[:.](\d{2})(?::(\d{2}))?"
        hour = r"(\d{1,2})(?:[:.](\d{2}))?"
        joint = rf"(?:{DASH}|\s+({either(clock.joints)})\s+)"
        self._range = re.compile(
            rf"(?<![\w.,:]){hour}(?:\s?({mark}))?{joint}{hour}(?:\s?({mark})(?!\w)|(?![\w:]|[.,]\d|\s?[%€$£]))"
        )
        self._exact = re.compile(rf"(?<![\w.,:]){digits}(?![\d:])(?:\s?({mark})(?!\w))?")
        self._hour = re.compile(rf"(?<![\w.,:])(\d{{1,2}})\s?({clock.hour_mark})(?!\w)")
        self._opener = {word: word for word in clock.openers}

    def times(self, text: str) -> str:
        """ "19:30 Uhr", "8 Uhr", "7.30 pm", "11:00–22:00 Uhr"; impossible times stay."""
        text = self._range.sub(self._one_range, text)
        text = self._exact.sub(self._one_exact, text)
        return self._hour.sub(lambda hit: self._said(hit[0], int(hit[1]), 0, hit[2]), text)

    def _one_range(self, hit: re.Match[str]) -> str:
        """Two times; without a colon or a mark they are just two numbers."""
        hour, minute, mark, joint, last, last_minute, last_mark = hit.groups()
        colons = ":" in hit[0]
        if not colons and not (mark or last_mark):
            return hit[0]
        if joint and not (last_mark or mark) and not (minute and last_minute):
            return hit[0]
        start, end = (int(hour), int(minute or 0)), (int(last), int(last_minute or 0))
        start_mark = mark or (last_mark if self._words.marks_half else None)
        if not (_possible(*start) and _possible(*end)):
            return hit[0]
        first = self._clock(
            *start, start_mark, short=mark is None and self._same_half(start, end, start_mark)
        )
        second = self._clock(*end, last_mark, short=False)
        if joint:
            return f"{first} {joint} {second}"
        opened = word_before(hit.string, hit.start(), self._opener) is not None
        return (self._words.range_after if opened else self._words.range).format(start=first, end=second)

    def _one_exact(self, hit: re.Match[str]) -> str:
        hour, minute, seconds, mark = int(hit[1]), int(hit[2]), hit[3], hit[4]
        if "." in hit[0].replace(mark or "", "") and not mark:
            return hit[0]
        if not _possible(hour, minute):
            return hit[0]
        if seconds and self._words.seconds:
            return self._words.seconds.format(
                hour=self._numbers.cardinal(hour, True),
                minute=self._numbers.cardinal(minute, True),
                second=self._numbers.cardinal(int(seconds), True),
            )
        return self._said(hit[0], hour, minute, mark)

    def _said(self, written: str, hour: int, minute: int, mark: str | None) -> str:
        if not _possible(hour, minute):
            return written
        return self._clock(hour, minute, mark, short=False)

    def _same_half(self, start: tuple[int, int], end: tuple[int, int], mark: str | None) -> bool:
        """Whether the second time's "p.m." also holds for the first; a clock of 24 hours has no halves."""
        return self._words.hours == 24 or mark is not None or (start[0] < 12) == (end[0] % 24 < 12)

    def _clock(self, hour: int, minute: int, mark: str | None, *, short: bool) -> str:
        """``short``: the first of a range, whose full hour is said without "Uhr" or "p.m."."""
        words = self._words
        if words.marks_half and mark and mark[0].lower() in _HALF:
            hour = hour % 12 + _HALF[mark[0].lower()]
        if self._style is ClockStyle.EVERYDAY and minute in words.everyday:
            return words.everyday[minute].format(
                hour=self._numbers.cardinal((hour - 1) % 12 + 1, True),
                next=self._numbers.cardinal(hour % 12 + 1),
            )
        named = words.named.get(f"{hour:02}:{minute:02}")
        if named:
            return named
        said = self._numbers.cardinal(hour if words.hours == 24 else (hour - 1) % 12 + 1, not short)
        small = self._numbers.cardinal(minute)
        small = words.minute_below_ten.format(minute=small) if minute < 10 else small
        form = words.hour_minute if minute else (words.hour_first if short else words.hour)
        return form.format(hour=said, minute=small, half=words.halves[hour % 24 >= 12]).strip()


def _possible(hour: int, minute: int) -> bool:
    return hour <= 24 and minute <= 59
