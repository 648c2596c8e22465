"""What a call was like: outcome, and per turn what was heard, done, said and how long it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from datetime import date, datetime, time
from enum import Enum
from typing import Any

from appliance.adapters.voice.agent import TurnMarks
from appliance.adapters.voice.line import RATE, Recording
from appliance.adapters.voice.recorded_caller import SpokenTurn, first_audible


@dataclass(frozen=True)
class TurnReport:
    """One turn of the caller and its answer. Times in seconds; ``began`` … since the line opened."""

    number: int
    recording: str
    began: float
    ended: float
    heard: str
    confidence: float
    commands: tuple[Mapping[str, Any], ...]
    reader: str
    notes: tuple[str, ...]
    tools: tuple[Mapping[str, Any], ...]
    reply: str
    answered: float | None
    """When the first sound of the answer was heard."""
    end_to_audio_s: float | None
    """End of the caller's speech to the first sound of the answer, measured on the recording."""
    parts: Mapping[str, float]


@dataclass(frozen=True)
class CallReport:
    """A whole call."""

    tenant: str
    language: str
    outcome: str
    started: str
    duration_s: float
    greeting: str
    greeting_s: float | None
    """Line open to the first sound of the greeting."""
    turns: tuple[TurnReport, ...]
    records: Mapping[str, Sequence[Mapping[str, Any]]]
    """Rows that the call wrote, by table."""
    unheard: tuple[str, ...] = ()
    """What was recognised and made no turn, with the reason."""
    late_frames: int = 0
    versions: Mapping[str, str] = field(default_factory=dict)


def plain(value: Any) -> Any:
    """A value of ours as JSON-ready data; a dataclass gets its class name as ``is``."""
    if is_dataclass(value) and not isinstance(value, type):
        return {"is": type(value).__name__, **{key: plain(item) for key, item in vars(value).items()}}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def turn_reports(
    spoken: Sequence[SpokenTurn], marks: Sequence[TurnMarks], recording: Recording, opened: float
) -> tuple[TurnReport, ...]:
    """Join what the caller spoke with what was answered.

    ``opened``: the loop's clock when the line opened. A spoken turn that was never taken, or was taken in
    two, shows as such: each gets the marks whose speech ended nearest after its own beginning.
    """
    reports = []
    for number, turn in enumerate(spoken, start=1):
        following = spoken[number].began if number < len(spoken) else len(recording.caller)
        mine = [one for one in marks if turn.began <= (one.committed - opened) * RATE < following]
        reports.append(_turn_report(number, turn, mine, recording, following))
    return tuple(reports)


def _turn_report(
    number: int, turn: SpokenTurn, marks: Sequence[TurnMarks], recording: Recording, following: int
) -> TurnReport:
    answered = first_audible(recording.assistant[:following], turn.ended) if marks else None
    records = [one.record for one in marks if one.record is not None]
    last = records[-1] if records else None
    return TurnReport(
        number=number,
        recording=turn.name,
        began=turn.began / RATE,
        ended=turn.ended / RATE,
        heard=" | ".join(record.turn.text for record in records),
        confidence=last.turn.confidence if last else 0.0,
        commands=tuple(plain(command) for record in records for command in record.reading.commands),
        reader=last.reading.reader if last else "",
        notes=tuple(note for record in records for note in record.reading.notes),
        tools=tuple(
            {"call": plain(call), "result": plain(result)}
            for record in records
            for call, result in record.tool_calls
        ),
        reply=" ".join(record.reply.text for record in records),
        answered=answered / RATE if answered is not None else None,
        end_to_audio_s=(answered - turn.ended) / RATE if answered is not None else None,
        parts={key: round(value, 4) for one in marks[-1:] for key, value in one.parts().items()},
    )


def as_json(report: CallReport) -> dict[str, Any]:
    """The report as ``report.json`` holds it; keys as in docs/reference/demo.md."""
    data: dict[str, Any] = plain(asdict(report))
    return data
