"""Dates and days of the week as words: ISO, dotted, written out, and their ranges. Pure."""

from __future__ import annotations

import re

from appliance.speech.spoken.numbers import Numbers
from appliance.speech.spoken.words import DASH, SpokenWords, either, word_before

_ISO = re.compile(r"(?<![\w-])(\d{4})-(\d{1,2})-(\d{1,2})(?![\w-])")
_DAY = r"(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4})(?!\d)|(\d{2})(?!\d|:|\s?Uhr))?"
_DOTTED = re.compile(rf"(?<![\w.,:]){_DAY}(?:{DASH}{_DAY})?(?!\d)")
_SLASHED = re.compile(r"(?<![\w/.,])(\d{1,2})/(\d{1,2})/(\d{4})(?![\w/])")


class Dates:
    """Says dates in one language."""

    def __init__(self, words: SpokenWords, numbers: Numbers) -> None:
        self._words = words.calendar
        self._numbers = numbers
        self._range = f" {words.numbers.range} "
        calendar = words.calendar
        shorts = tuple(f"{short}." for short in calendar.month_short)
        month = rf"({either((*calendar.months, *shorts, *calendar.month_short))})(?!\w)"
        sign = rf"(?:{either(words.ordinals.signs)})?"
        filler = rf"(?:{either(calendar.fillers)}\s+)?" if calendar.fillers else ""
        year = r"(?:,?\s+(\d{4})\b(?!\s?[:.]\d))?"
        self._day_month = re.compile(
            rf"(?<![\w.,:/])(?:(\d{{1,2}}){sign}{DASH})?(\d{{1,2}}){sign}\s?{filler}{month}{year}", re.I
        )
        self._month_day = re.compile(
            rf"(?<!\w){month}\s+(\d{{1,2}}){sign}(?:{DASH}(\d{{1,2}}){sign})?(?![\d:])(?!\s?[ap]\.?m){year}"
        )
        self._month_year = re.compile(rf"(?<!\w){month}\s+(\d{{4}})\b")
        short = either(calendar.weekday_short)
        self._week_dash = re.compile(rf"(?<!\w)({short})\.?{DASH}({short})(?!\w)\.?")
        joint = either(words.ordinals.joints)
        self._week_day = re.compile(
            rf"(?<![\w-])({short})\.?(?=:|\s*\d|\s*[/&+]|(?:\s*{joint}|,)\s*(?:{joint}\s+)?{short}(?!\w)"
            rf"|\s+{either(calendar.closed)}(?!\w))"
        )
        days = either(calendar.weekdays)
        self._next_day = re.compile(rf"(?<!\w)({days}(?:\s*[/&+,]|\s+{joint})\s*)({short})(?![\w-])\.?")
        self._weekdays = re.compile(rf"({either(calendar.weekdays)}),?\s+$")

    def weekdays(self, text: str) -> str:
        """ "Mo.–Fr.", "Sa:", "So 12"; a short form that may be a word or a name ("So ist es") stays."""
        text = self._week_dash.sub(
            lambda hit: f"{self._weekday(hit[1])}{self._range}{self._weekday(hit[2])}", text
        )
        text = self._week_day.sub(lambda hit: self._weekday(hit[1]), text)
        return self._next_day.sub(lambda hit: hit[1] + self._weekday(hit[2]), text)

    def dates(self, text: str) -> str:
        """All forms of dates; what is no day of a month stays."""
        text = _ISO.sub(lambda hit: self._said(hit, (hit[3],), int(hit[2]), hit[1]), text)
        text = _SLASHED.sub(lambda hit: self._said(hit, (hit[1],), int(hit[2]), hit[3]), text)
        text = _DOTTED.sub(self._dotted, text)
        text = self._day_month.sub(
            lambda hit: self._said(hit, tuple(d for d in hit.group(1, 2) if d), self._month(hit[3]), hit[4]),
            text,
        )
        text = self._month_day.sub(self._one_month_first, text)
        return self._month_year.sub(
            lambda hit: f"{self._words.months[self._month(hit[1]) - 1]} {self._numbers.year(int(hit[2]))}",
            text,
        )

    def _said(self, hit: re.Match[str], days: tuple[str, ...], month: int, year: str | None) -> str:
        """``days``: one, or the first and the last of a range."""
        if not (1 <= month <= 12 and all(1 <= int(day) <= 31 for day in days)):
            return hit[0]
        words = self._words
        lead, ending = self._case(hit)
        nth = self._range.join(self._numbers.ordinal(int(day), ending) for day in days)
        before = self._numbers.before_series(hit.string[: hit.start()]).rstrip().lower()
        after_article = bool(re.search(rf"(?<!\w){either(words.articles)}$", before))
        form = words.date_after_article if after_article else words.date
        said = lead + form.format(day=nth, month=words.months[month - 1])
        return f"{said} {self._numbers.year(int(year))}" if year else said

    def _case(self, hit: re.Match[str]) -> tuple[str, str | None]:
        """What comes before the day, and the ordinal's ending, by the words before."""
        before = hit.string[: hit.start()]
        weekday = self._weekdays.search(before)
        if weekday is None or not self._words.weekday_article:
            return "", self._numbers.ending(before, self._words.day_endings)
        article = word_before(before, weekday.start(), self._words.weekday_articles)
        article = article or self._words.weekday_article
        return f"{article} ", self._numbers.ending(article)

    def _dotted(self, hit: re.Match[str]) -> str:
        first = self._said(hit, (hit[1],), int(hit[2]), _full(hit[3], hit[4]))
        if hit[5] is None or first == hit[0]:
            return first
        last = self._said(hit, (hit[5],), int(hit[6]), _full(hit[7], hit[8]))
        return hit[0] if last == hit[0] else f"{first}{self._range}{last}"

    def _one_month_first(self, hit: re.Match[str]) -> str:
        form = self._words.month_first
        days = [int(day) for day in hit.group(2, 3) if day]
        if form is None or not all(1 <= day <= 31 for day in days):
            return hit[0]
        month = self._words.months[self._month(hit[1]) - 1]
        said = form.format(month=month, day=self._range.join(self._numbers.ordinal(day) for day in days))
        return f"{said} {self._numbers.year(int(hit[4]))}" if hit[4] else said

    def _month(self, name: str) -> int:
        """1 to 12."""
        bare = name.rstrip(".").casefold()
        for names in (self._words.months, self._words.month_short):
            folded = [one.casefold() for one in names]
            if bare in folded:
                return folded.index(bare) + 1
        raise AssertionError(name)

    def _weekday(self, short: str) -> str:
        return self._words.weekdays[self._words.weekday_short.index(short)]


def _full(four: str | None, two: str | None) -> str | None:
    """A year in four digits."""
    return four or (f"20{two}" if two else None)
