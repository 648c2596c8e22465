"""get_hours: when the business is open, on a day or today and tomorrow."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator

from appliance.conversation.models import Effect
from appliance.packs.restaurant.rules import DayHours, hours_on
from appliance.storage.knowledge.folding import fold
from appliance.storage.knowledge.hours import WEEKDAYS
from appliance.tools.texts import Texts
from appliance.tools.tool import Answer, Arguments, Scope, Tool


def _iso(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date | time) else value


IsoText = Annotated[str, BeforeValidator(_iso)]
"""A date or time as text; values of Python's types are taken too."""


class Day(Arguments):
    """A weekday, an ISO date, or today or tomorrow in the call's language or English; none: both."""

    day: IsoText | None = None


def get_hours(scope: Scope, arguments: Day) -> Answer:
    """The hours of a day in words and as ranges; R-12 tells a fault from a closed day."""
    hours = scope.tenant.hours
    if hours is None:
        return Answer({"days": [], "text": scope.texts.say("hours_unknown")}, "could_not_check")
    today = scope.local_now.date()
    if arguments.day is None:
        wanted = [today, today + timedelta(days=1)]
    elif (day := read_day(arguments.day, today, scope.texts)) is not None:
        wanted = [day]
    else:
        return Answer({"days": [], "text": scope.texts.say("day_unclear")}, "unparsable")
    days = [hours_on(hours, day, scope.language) for day in wanted]
    text = " ".join(in_words(one, today, scope.texts) for one in days)
    return Answer({"days": [_shown(one, scope.texts) for one in days], "text": text})


def read_day(text: str, today: date, texts: Texts) -> date | None:
    """The date of ``2026-12-08``, ``Dienstag``, ``tuesday``, ``heute``, ``tomorrow``; None if it is none."""
    word = fold(text)
    relative = {texts.file.today: 0, "today": 0, texts.file.tomorrow: 1, "tomorrow": 1}
    for name, days in relative.items():
        if word == fold(name):
            return today + timedelta(days=days)
    own = {fold(name): index for index, name in enumerate(texts.file.weekdays)}
    index = own.get(word, WEEKDAYS.get(text.strip().casefold()))
    if index is not None:
        return today + timedelta(days=(index - today.weekday()) % 7)
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def in_words(one: DayHours, today: date, texts: Texts) -> str:
    """``Heute, Dienstag, 1. Dezember: von 11:00 bis 22:00 Uhr geöffnet.``"""
    near = {0: f"{texts.file.today}, ", 1: f"{texts.file.tomorrow}, "}.get((one.day - today).days, "")
    day = near + texts.day(one.day)
    day = day[0].upper() + day[1:]
    holiday = texts.say("because", holiday=one.holiday) if one.holiday else ""
    if one.ranges:
        return texts.say("open_on", day=day, holiday=holiday, ranges=texts.ranges(one.ranges))
    return texts.say("closed_on", day=day, holiday=holiday)


def _shown(one: DayHours, texts: Texts) -> dict[str, Any]:
    return {
        "date": one.day.isoformat(),
        "weekday": texts.weekday(one.day),
        "closed": not one.ranges,
        "holiday": one.holiday,
        "ranges": shown_ranges(one),
    }


def shown_ranges(one: DayHours) -> list[list[str]]:
    """``[["11:00", "22:00"]]``"""
    return [[f"{item.opens:%H:%M}", f"{item.closes:%H:%M}"] for item in one.ranges]


HOURS = (Tool("get_hours", "Opening hours of a day, or of today and tomorrow.", Effect.READ, Day, get_hours),)
