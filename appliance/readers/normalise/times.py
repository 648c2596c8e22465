"""Times of day as callers say them; the half of the day follows from the words, else from opening hours."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta

from appliance.conversation.business import Hours
from appliance.readers.normalise.found import Ambiguous, Found, Hit, meant, settle
from appliance.readers.normalise.word_file import TimeRule
from appliance.readers.normalise.words import Words
from appliance.readers.normalise.written import Written

SERVING = (time(11), time(23))
"""Twelve hours, so that every hour of a twelve-hour clock lies in them exactly once."""
LAST_MINUTE = 23 * 60 + 59
PARTS = {
    "morning": (4 * 60, 12 * 60),
    "noon": (11 * 60, 15 * 60),
    "afternoon": (12 * 60, 19 * 60),
    "evening": (16 * 60, 24 * 60),
    "night": (20 * 60, 28 * 60),
}
"""Minutes of the day in which an hour said with these words lies."""


def serving_hours(hours: Hours | None) -> tuple[time, time]:
    """From the earliest opening to the latest close of a week; noon-ish to late without hours.

    More than twelve hours make an hour like "um neun" ambiguous, and it is asked back.
    """
    ranges = [one.minutes for day in hours.weekly for one in day] if hours is not None else []
    if not ranges:
        return SERVING
    latest = max(end for _, end in ranges)
    return _clock(min(start for start, _ in ranges)), _clock(min(latest, LAST_MINUTE))


def find_times(
    text: str,
    now: datetime,
    words: Words,
    *,
    serving: tuple[time, time] = SERVING,
    bare: bool = False,
) -> list[Hit]:
    """All times in reading order. ``bare``: a time was asked for, so "acht" or "7 30" is one.

    ``serving``: from when to when guests may come; it tells 8 in the evening from 8 in the morning.
    """
    written = words.written(text)
    strong = settle(_matches(written, now, words, serving, bare=False), written, words)
    if not bare or meant(strong) is not None:
        return strong
    return settle(_matches(written, now, words, serving, bare=True), written, words)


def _matches(
    written: Written, now: datetime, words: Words, serving: tuple[time, time], *, bare: bool
) -> list[Hit]:
    parts = [(m.start(), part) for p, part in words.part_rules for m in p.finditer(written.text)]
    hits: list[Hit] = []
    for pattern, rule in words.time_rules:
        if rule.bare and not bare:
            continue
        for match in pattern.finditer(written.text):
            if words.not_hour.match(written.text[match.end() :]) and not rule.exact:
                continue
            options = _options(rule, match, _nearest(parts, match.start()), serving)
            hits.append(_hit(options, *match.span()))
    for pattern, duration in words.duration_rules:
        for match in pattern.finditer(written.text):
            said = match.groupdict().get("k")
            count = int(said) if said and said.isdigit() else int(said is not None)
            hits.append(Found(_from_now(now, count * duration.each + duration.offset), *match.span()))
    return _without_vague(hits)


def read_time(
    text: str, now: datetime, words: Words, *, serving: tuple[time, time] = SERVING, bare: bool = True
) -> Hit | None:
    """The time that the caller means, or nothing."""
    return meant(find_times(text, now, words, serving=serving, bare=bare))


def _hit(options: list[time], start: int, end: int) -> Hit:
    return Found(options[0], start, end) if len(options) == 1 else Ambiguous(tuple(options), start, end)


def _without_vague(hits: list[Hit]) -> list[Hit]:
    """ "Mittags um eins": noon only counts when no other time was said."""
    others = [h for h in hits if not (isinstance(h, Found) and h.value == time(12))]
    return others or hits


def _nearest(parts: list[tuple[int, str]], place: int) -> str | None:
    return min(parts, key=lambda p: abs(p[0] - place))[1] if parts else None


def _options(
    rule: TimeRule, match: re.Match[str], part: str | None, serving: tuple[time, time]
) -> list[time]:
    """The times that a match can mean; "zwischen sieben und acht" means both."""
    groups = match.groupdict()
    options = _hours(rule, groups, groups.get("h"), part, serving)
    if groups.get("h2"):
        options = list(dict.fromkeys(options + _hours(rule, groups, groups["h2"], part, serving)))
    return options


def _hours(
    rule: TimeRule,
    groups: dict[str, str | None],
    said: str | None,
    part: str | None,
    serving: tuple[time, time],
) -> list[time]:
    hour = rule.hour if said is None else int(said)
    hour = 0 if hour is None else hour
    minutes = hour * 60 + rule.minutes * int(groups.get("m") or 0) + rule.offset
    if rule.exact or hour > 12 or hour == 0 or (said or "").startswith("0"):
        return [_clock(minutes)]
    if groups.get("ap"):
        return [_clock(minutes % 720 + (720 if groups["ap"] == "p" else 0))]
    if hour == 12 and minutes >= 720 and part != "night":
        return [_clock(minutes)]
    return _in_day(minutes % 720, part, serving)


def _in_day(minutes: int, part: str | None, serving: tuple[time, time]) -> list[time]:
    """Which of the two times of a twelve-hour clock are possible, likeliest first."""
    both = [minutes + 720, minutes]
    if part is not None:
        first, last = PARTS[part]
        inside = [m for m in (*both, minutes + 1440) if first <= m < last]
        if inside:
            return [_clock(inside[0])]
    for begin, end in (serving, SERVING):
        inside = [m for m in both if _minutes(begin) <= m < (_minutes(end) or 1440)]
        if inside:
            return [_clock(m) for m in inside]
    return [_clock(both[0])]


def _minutes(clock: time) -> int:
    return clock.hour * 60 + clock.minute


def _clock(minutes: int) -> time:
    return time(minutes // 60 % 24, minutes % 60)


def _from_now(now: datetime, minutes: int) -> time:
    """So many minutes from now, up to the next five."""
    then = now + timedelta(minutes=minutes)
    return _clock(-(-(then.hour * 60 + then.minute) // 5) * 5)
