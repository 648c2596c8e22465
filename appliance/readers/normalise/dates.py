"""Dates as callers say them. Pure: the time is an argument; a date in doubt is asked back, not guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

from dateutil.easter import easter

from appliance.readers.normalise.found import Ambiguous, Found, Hit, meant, settle
from appliance.readers.normalise.word_file import DateRule
from appliance.readers.normalise.words import Words
from appliance.readers.normalise.written import Written

LATELY = timedelta(days=14)
"""A day and month that passed longer ago than this means next year's; less is kept, to be told so."""
Dates = Sequence[date]


def find_dates(text: str, now: datetime, words: Words, *, bare: bool = False) -> list[Hit]:
    """All dates in reading order. ``bare``: a date was asked for, so "der fünfte" or "5." is one."""
    written = words.written(text)
    today = now.date()
    strong = settle(_matches(written, today, words, bare=False), written, words)
    if not bare or meant(strong) is not None:
        return strong
    return settle(_matches(written, today, words, bare=True), written, words)


def _matches(written: Written, today: date, words: Words, *, bare: bool) -> list[Hit]:
    hits: list[Hit] = []
    for pattern, rule in words.date_rules:
        if rule.bare and not bare:
            continue
        for match in pattern.finditer(written.text):
            dates = _dates(rule, match, today, words)
            if dates:
                hits.append(_hit(dates, *match.span()))
    return [hit for hit in hits if not _is_clock(written.text, hit)]


def read_date(text: str, now: datetime, words: Words, *, bare: bool = True) -> Hit | None:
    """The date that the caller means, or nothing."""
    return meant(find_dates(text, now, words, bare=bare))


def _hit(dates: Dates, start: int, end: int) -> Hit:
    if len(dates) == 1:
        return Found(dates[0], start, end)
    return Ambiguous(tuple(dates), start, end)


def _is_clock(text: str, hit: Hit) -> bool:
    """ "8.12 Uhr" is no date."""
    return re.match(r"\s*(uhr|o'?clock|h\b)", text[hit.end :]) is not None and text[hit.start].isdigit()


def _dates(rule: DateRule, match: re.Match[str], today: date, words: Words) -> Dates:
    evaluate: dict[str, Callable[[], Dates]] = {
        "relative": lambda: [_relative(match, today, words) + timedelta(days=rule.days)],
        "relative_weeks": lambda: [_relative(match, today, words) + timedelta(weeks=_count(match))],
        "in_days": lambda: [today + timedelta(days=_count(match))],
        "in_weeks": lambda: [today + timedelta(weeks=_count(match))],
        "weekday": lambda: _weekday(match, today, words, rule.weeks),
        "weekday_next": lambda: _next_weekday(match, today, words),
        "weekday_weeks": lambda: [
            d + timedelta(weeks=_count(match)) for d in _weekday(match, today, words, 0)[-1:]
        ],
        "week_day": lambda: _day_of_week(match, today, words, rule.weeks),
        "day_month": lambda: _day_month(match, today, words),
        "day_or_month": lambda: _day_or_month(match, today, words),
        "day": lambda: _day(match, today, words),
        "feast": lambda: _feast(match, today, words),
        "weekend": lambda: [coming(today, 5), coming(today, 6)],
    }
    return evaluate[rule.means]()


def coming(today: date, weekday: int) -> date:
    """The next such weekday, today included."""
    return today + timedelta(days=(weekday - today.weekday()) % 7)


def _relative(match: re.Match[str], today: date, words: Words) -> date:
    return today + timedelta(days=words.relative[match.group("rel")])


def _count(match: re.Match[str]) -> int:
    said = match.group("k")
    return int(said) if said.isdigit() else 1


def _said_weekday(match: re.Match[str], words: Words) -> int | None:
    said = match.groupdict().get("w")
    return None if said is None else words.weekday_words[said]


def _stands_for_a_day(match: re.Match[str]) -> bool:
    """ "So" is a Sunday when it is all that was said, with its preposition, or before a date or an hour."""
    said = match.group()
    if said == match.string.strip() or (" " in said and said.endswith(".")):
        return True
    return said.endswith(".") and match.string[match.end() :].lstrip(" ,")[:1].isdigit()


def _weekday(match: re.Match[str], today: date, words: Words, weeks: int) -> Dates:
    if match.group("w") in words.file.short_weekdays and not _stands_for_a_day(match):
        return []
    first = coming(today, words.weekday_words[match.group("w")]) + timedelta(weeks=weeks)
    if first == today:
        return [today, today + timedelta(weeks=1)]
    return [first]


def _next_weekday(match: re.Match[str], today: date, words: Words) -> Dates:
    """ "Next Saturday": the nearest or the week after, whichever the language's callers mean."""
    first = coming(today, words.weekday_words[match.group("w")])
    later = first + timedelta(weeks=1)
    if first == today:
        return [later]
    same_week = first.weekday() > today.weekday()
    if (first - today).days <= 2 or (words.file.next_weekday == "ask" and same_week):
        return [first, later] if (first - today).days > 2 else [later, first]
    return [first]


def _day_of_week(match: re.Match[str], today: date, words: Words, weeks: int) -> Dates:
    monday = today - timedelta(days=today.weekday())
    return [monday + timedelta(weeks=weeks, days=words.weekday_words[match.group("w")])]


def _month(groups: dict[str, str | None], words: Words) -> int:
    number, name = groups.get("mon"), groups.get("mo")
    return int(number) if number else words.month_words[str(name)]


def _day_month(match: re.Match[str], today: date, words: Words) -> Dates:
    groups = match.groupdict()
    day, month, weekday = int(str(groups["d"])), _month(groups, words), _said_weekday(match, words)
    if groups.get("y"):
        said = _year(int(str(groups["y"])), today)
        return _agreeing([d for d in [_date(said, month, day)] if d], weekday)
    return _agreeing(_upcoming(today, month, day), weekday)


def _year(said: int, today: date) -> int:
    """A year said with two digits is one of this century, unless that is far away."""
    if said >= 100:
        return said
    return said + 2000 if said + 2000 <= today.year + 10 else said + 1900


def _upcoming(today: date, month: int, day: int) -> list[date]:
    """This year's or next year's; one that passed lately is kept."""
    this, following = _date(today.year, month, day), _date(today.year + 1, month, day)
    if this is None:
        return [following] if following else []
    if this >= today:
        before = _date(today.year - 1, month, day)
        return [before] if before and today - before <= LATELY else [this]
    if today - this <= LATELY or following is None:
        return [this]
    return [following]


def _day_or_month(match: re.Match[str], today: date, words: Words) -> Dates:
    """ "12/5" is the 12th of May or the 5th of December; a weekday said with it can tell."""
    first, second = int(match.group("a")), int(match.group("b"))
    weekday, year = _said_weekday(match, words), match.group("y")
    options: list[date] = []
    for month, day in ((first, second), (second, first)):
        if month <= 12 and year:
            exact = _date(_year(int(year), today), month, day)
            options += [exact] if exact else []
        elif month <= 12:
            options += _upcoming(today, month, day)
    options = list(dict.fromkeys(options))
    return [d for d in options if d.weekday() == weekday] or options


def _day(match: re.Match[str], today: date, words: Words) -> Dates:
    """A day of the month: the coming one. A weekday said with it must agree, or both are asked."""
    day, weekday = int(match.group("d")), _said_weekday(match, words)
    following = re.match(r"\s?(\w+)", match.string[match.end() :])
    if following is not None and following.group(1) in words.month_words:
        return []
    options = [d for d in (_in_month(today, ahead, day) for ahead in range(3)) if d and d >= today]
    if not options:
        return []
    if weekday is None:
        return options[:1]
    agreeing = [d for d in options if d.weekday() == weekday]
    return agreeing[:1] or [options[0], coming(today, weekday)]


def _agreeing(dates: list[date], weekday: int | None) -> Dates:
    """A date whose weekday was said wrong is two dates: the one said and the weekday near it."""
    if weekday is None or not dates or dates[0].weekday() == weekday:
        return dates
    near = dates[0] + timedelta(days=(weekday - dates[0].weekday() + 3) % 7 - 3)
    return [dates[0], near]


def _feast(match: re.Match[str], today: date, words: Words) -> Dates:
    said = match.group("f")
    rule = next(r for name, r in words.feasts.items() if re.fullmatch(name, said))
    this, following = _feast_in(rule, today.year), _feast_in(rule, today.year + 1)
    return [this if this >= today else following]


def _feast_in(rule: str, year: int) -> date:
    if rule.startswith("easter"):
        sunday: date = easter(year)
        return sunday + timedelta(days=int(rule.removeprefix("easter")))
    if rule.startswith("sunday"):
        _, number, in_month = rule.split("-")
        first = coming(date(year, int(in_month), 1), 6)
        return first + timedelta(weeks=int(number) - 1)
    month, day = map(int, rule.split("-"))
    return date(year, month, day)


def _in_month(today: date, ahead: int, day: int) -> date | None:
    months = today.month - 1 + ahead
    return _date(today.year + months // 12, months % 12 + 1, day)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
