"""``hours.md``: weekly hours, special days and public holidays, checked line by line (R-04)."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from itertools import pairwise
from typing import Any

from appliance.conversation.business import Hours, Range, SpecialDays
from appliance.storage.knowledge.document import Document, Problem, Unusable

RANGE = re.compile(r"(\d{1,2}):(\d{2})\s*[-–]\s*(\d{1,2}):(\d{2})")
WEEKDAYS: dict[str, int] = {
    name: index
    for names in (
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"),
    )
    for index, name in enumerate(names)
}
ENGLISH = tuple(WEEKDAYS)[:7]
HOLIDAY_KEYS = {"date", "from", "to", "closed", "hours", "name"}
LATEST_NIGHT = time(6)
"""An opening that would run past this into the next morning is taken for swapped times."""
MEND_RANGE = "Write e.g. '11:00-22:00', or 'closed'."


def parse_hours(document: Document, default_language: str) -> Hours:
    """The hours of a document. Raises Unusable with the line of every mistake."""
    reader = _HoursReader(document, default_language)
    hours = Hours(reader.weekly(), reader.special(), reader.public_holidays())
    if reader.problems:
        raise Unusable(reader.problems)
    return hours


class _HoursReader:
    """Collects every problem of a file, so that all are told at once."""

    def __init__(self, document: Document, default_language: str) -> None:
        self.document = document
        self.default_language = default_language
        self.problems: list[Problem] = []

    def weekly(self) -> tuple[tuple[Range, ...], ...]:
        days = self.document.meta.get("weekly_hours")
        if not isinstance(days, dict):
            self._wrong(("weekly_hours",), "'weekly_hours' is missing.", "Add it with all seven weekdays.")
            return ()
        found: dict[int, tuple[Range, ...]] = {}
        for name, value in days.items():
            index = WEEKDAYS.get(str(name).strip().casefold())
            if index is None:
                self._wrong(("weekly_hours", name), f"'{name}' is no weekday.", f"Use {', '.join(ENGLISH)}.")
            elif index in found:
                self._wrong(("weekly_hours", name), f"'{name}' stands twice.", "Keep one.")
            else:
                found[index] = self._ranges(value, ("weekly_hours", name))
        if missing := [ENGLISH[index] for index in range(7) if index not in found]:
            what = f"Weekdays are missing: {', '.join(missing)}."
            self._wrong(("weekly_hours",), what, "Write 'closed' for days off.")
            return ()
        week = tuple(found[index] for index in range(7))
        self._nights_end_before_the_next_day(week)
        return week

    def special(self) -> tuple[SpecialDays, ...]:
        entries = self.document.meta.get("holidays") or []
        if not isinstance(entries, list):
            self._wrong(
                ("holidays",), "'holidays' is no list.", "Begin each entry with '- date: 2026-12-24'."
            )
            return ()
        days = [day for index, entry in enumerate(entries) if (day := self._special(entry, index))]
        ordered = sorted(days, key=lambda day: day.first)
        for earlier, later in pairwise(ordered):
            if later.first <= earlier.last:
                what = f"{later.first} is in two entries."
                self._wrong(("holidays", days.index(later)), what, "Let each day stand in one entry.")
        return tuple(ordered)

    def public_holidays(self) -> str | None:
        region = self.document.meta.get("public_holidays")
        if region is None:
            return None
        import holidays  # takes a third of a second, and only some businesses use it

        country, _, subdivision = str(region).partition("-")
        try:
            holidays.country_holidays(country, subdiv=subdivision or None)
        except NotImplementedError:
            what = f"'{region}' is no country or state with known public holidays."
            self._wrong(("public_holidays",), what, "Write e.g. 'DE' or 'DE-NW'.")
            return None
        return str(region)

    def _special(self, entry: Any, index: int) -> SpecialDays | None:
        place = ("holidays", index)
        if not isinstance(entry, dict):
            self._wrong(place, "An entry of 'holidays' is no mapping.", "Write e.g. 'date: 2026-12-24'.")
            return None
        if unknown := [str(key) for key in entry if key not in HOLIDAY_KEYS]:
            what = f"Unknown keys in a holiday: {', '.join(unknown)}."
            self._wrong((*place, unknown[0]), what, f"Known are {', '.join(sorted(HOLIDAY_KEYS))}.")
        first = self._date(entry.get("from", entry.get("date")), place)
        last = self._date(entry.get("to", first), place) if first else None
        if first is None or last is None:
            return None
        if last < first:
            self._wrong(
                place, f"The holiday ends ({last}) before it begins ({first}).", "Swap 'from' and 'to'."
            )
            return None
        if bool(entry.get("closed")) == ("hours" in entry):
            self._wrong(place, "A holiday needs either 'closed: true' or 'hours'.", "Keep one of them.")
            return None
        ranges = () if entry.get("closed") else self._ranges(entry["hours"], (*place, "hours"))
        name = entry.get("name") or {}
        names = name if isinstance(name, dict) else {self.default_language: str(name)}
        return SpecialDays(first, last, ranges, {str(key): str(text) for key, text in names.items()})

    def _date(self, value: Any, place: tuple[str | int, ...]) -> date | None:
        if isinstance(value, date) and not isinstance(value, datetime):
            return value
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            self._wrong(place, f"'{value}' is no date.", "Write e.g. '2026-12-24'.")
            return None

    def _ranges(self, value: Any, place: tuple[str | int, ...]) -> tuple[Range, ...]:
        if isinstance(value, str) and value.strip().casefold() in ("closed", "geschlossen"):
            return ()
        texts = value if isinstance(value, list) else [value]
        ranges = [one for text in texts if (one := self._range(text, place))]
        ranges.sort(key=lambda one: one.minutes)
        for earlier, later in pairwise(ranges):
            if later.minutes[0] < earlier.minutes[1]:
                self._wrong(
                    place, f"Hours overlap: {_shown(earlier)} and {_shown(later)}.", "Join or part them."
                )
        if not texts:
            self._wrong(place, "The list of hours is empty.", MEND_RANGE)
        return tuple(ranges)

    def _range(self, text: Any, place: tuple[str | int, ...]) -> Range | None:
        match = RANGE.fullmatch(str(text).strip())
        if match is None:
            self._wrong(place, f"'{text}' is no time range.", MEND_RANGE)
            return None
        opens, closes = self._time(match[1], match[2], place), self._time(match[3], match[4], place)
        if opens is None or closes is None:
            return None
        one = Range(opens, closes)
        next_day = one.minutes[1] > 24 * 60
        if (opens == closes and opens != time(0)) or (next_day and closes > LATEST_NIGHT):
            what = f"'{text}' ends before it begins."
            self._wrong(place, what, "Past midnight is written e.g. '18:00-02:00'; swap the times otherwise.")
            return None
        return one

    def _time(self, hour: str, minute: str, place: tuple[str | int, ...]) -> time | None:
        if (hour, minute) == ("24", "00"):
            return time(0)
        if int(hour) > 23 or int(minute) > 59:
            self._wrong(place, f"'{hour}:{minute}' is no time of day.", MEND_RANGE)
            return None
        return time(int(hour), int(minute))

    def _nights_end_before_the_next_day(self, week: tuple[tuple[Range, ...], ...]) -> None:
        for index, ranges in enumerate(week):
            tomorrow = week[(index + 1) % 7]
            if ranges and tomorrow and ranges[-1].minutes[1] - 24 * 60 > tomorrow[0].minutes[0]:
                what = f"The night of {ENGLISH[index]} runs into the next day's opening."
                self._wrong(("weekly_hours", ENGLISH[index]), what, "Let one of them end or begin elsewhere.")

    def _wrong(self, place: tuple[str | int, ...], what: str, mend: str) -> None:
        self.problems.append(self.document.problem(self.document.line_of(*place), what, mend))


def _shown(one: Range) -> str:
    return f"{one.opens:%H:%M}-{one.closes:%H:%M}"
