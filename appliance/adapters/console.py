"""The conversation in text: lines of a terminal or a script become turns, replies become lines."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Any

from appliance.conversation.models import Turn, TurnRecord
from appliance.conversation.plain import named, plain
from appliance.conversation.session import ConversationSession
from appliance.errors import UsageError

SILENCE = re.compile(r"\[silence\s+(\d+(?:\.\d+)?)\s*s?\]", re.IGNORECASE)
KEY = re.compile(r"\[key\s+([0-9*#])\]", re.IGNORECASE)


@dataclass(frozen=True)
class Words:
    """The caller says this."""

    text: str


@dataclass(frozen=True)
class Quiet:
    """Nobody speaks for so many seconds."""

    seconds: float


@dataclass(frozen=True)
class Key:
    """The caller presses a key."""

    key: str


Line = Words | Quiet | Key


def parse_line(line: str) -> Line | None:
    """One line of a script; None for an empty one and for comments after ``#``.

    ``[silence 6s]`` is silence, ``[key 0]`` a key. Raises UsageError for anything else in brackets.
    """
    text = line.strip()
    if not text or text.startswith("#"):
        return None
    if silence := SILENCE.fullmatch(text):
        return Quiet(float(silence[1]))
    if key := KEY.fullmatch(text):
        return Key(key[1])
    if text.startswith("[") and text.endswith("]"):
        raise UsageError(f"'{text}' is no line of a call. Write words, [silence 6s] or [key 0].")
    return Words(text)


async def converse(session: ConversationSession, lines: Iterable[str]) -> AsyncIterator[TurnRecord]:
    """Take the lines one by one until they end or the call does. Silence that goes on is counted together."""
    quiet, taken = 0.0, 0
    for line in lines:
        match parse_line(line):
            case Words(text):
                quiet, taken = 0.0, 0
                yield await session.take(Turn(text, session.language))
            case Key(key):
                quiet, taken = 0.0, 0
                yield await session.take(Turn(key=key, language=session.language))
            case Quiet(seconds):
                quiet += seconds
                while (step := _next_step(session, taken)) is not None and quiet >= step:
                    quiet -= step
                    taken += 1
                    yield await session.take(Turn(silence_seconds=step, language=session.language))
        if session.state.ended:
            return


def _next_step(session: ConversationSession, taken: int) -> float | None:
    """Seconds until the conversation speaks into the silence again; None when it will not."""
    steps = session.silence_steps()
    return steps[taken] if taken < len(steps) else None


def turn_data(number: int, record: TurnRecord) -> dict[str, Any]:
    """One turn, JSON-ready; keys in docs/reference/chat.md."""
    turn, reading, reply = record.turn, record.reading, record.reply
    return {
        "turn": number,
        "caller": turn.text,
        "silence_seconds": turn.silence_seconds,
        "key": turn.key,
        "commands": [named(command) for command in reading.commands],
        "reader": reading.reader,
        "confidence": reading.confidence,
        "notes": list(reading.notes),
        "tools": [
            {
                "tool": call.tool,
                "arguments": plain(call.arguments),
                "confirmed": call.pending_action is not None,
                "ok": result.ok,
                "error": result.error,
                "result": plain(result.data),
            }
            for call, result in record.tool_calls
        ],
        "reply": reply.text,
        "language": reply.language,
        "question": reply.question.value,
        "asked": list(reply.asked),
        "end_call": reply.end_call,
        "seconds": {part: round(value, 4) for part, value in record.seconds.items()},
    }


def turn_text(record: TurnRecord, *, echo: bool) -> str:
    """One turn for people: what the caller did (with ``echo``), which tools ran, the reply."""
    turn = record.turn
    caller = turn.text or (f"[key {turn.key}]" if turn.key else f"[silence {turn.silence_seconds:g}s]")
    lines = [f"caller     {caller}"] if echo or not turn.text else []
    lines += [
        f"           {call.tool}: {_outcome(result.ok, result.error)}" for call, result in record.tool_calls
    ]
    return "\n".join([*lines, f"assistant  {record.reply.text}"])


def _outcome(ok: bool, error: str | None) -> str:
    return "done" if ok else f"not done ({error})"
