"""Turn-taking as pure decisions: how long to wait for more words, and when silence becomes a turn."""

from __future__ import annotations

from dataclasses import dataclass

from appliance.conversation.models import Question, Reply


@dataclass(frozen=True)
class Patience:
    """Seconds of silence before a turn is over: when it sounds finished, and when it does not."""

    finished: float
    unfinished: float


PLAIN = Patience(finished=0.55, unfinished=1.1)
"""Recognition takes half a second here, so a shorter wait would gain nothing and cut off at commas."""
READ_BACK = Patience(finished=0.65, unfinished=1.4)
"""After a read-back: people correct themselves (R-28)."""
DICTATION = Patience(finished=0.9, unfinished=1.8)
"""Numbers and names come in groups with pauses between them."""
DICTATED = frozenset({"phone", "name"})


def patience_after(reply: Reply | None) -> Patience:
    """How long to wait after the caller's voice, given what was asked last."""
    if reply is None or reply.question is Question.NONE:
        return PLAIN
    if reply.question is Question.YES_NO:
        return READ_BACK
    return DICTATION if DICTATED & set(reply.asked) else PLAIN


@dataclass(frozen=True)
class SilenceWatch:
    """Since when nobody speaks, and which steps of the silence ladder were taken already."""

    since: float | None = None
    taken: int = 0


def watch_silence(
    state: SilenceWatch, now: float, busy: bool, steps: tuple[float, ...]
) -> tuple[SilenceWatch, float | None]:
    """The next state, and the seconds of silence when a step of the ladder is due.

    ``busy``: somebody speaks or an answer is being made. ``steps``: seconds of silence since the last word at
    which the conversation wants to be told, ascending. A step's own sentence does not start the ladder anew;
    a word of the caller does (the owner makes a new ``SilenceWatch`` then).
    """
    if busy:
        return SilenceWatch(None, state.taken), None
    since = now if state.since is None else state.since
    quiet = now - since
    if state.taken < len(steps) and quiet >= steps[state.taken]:
        return SilenceWatch(since, state.taken + 1), quiet
    return SilenceWatch(since, state.taken), None
