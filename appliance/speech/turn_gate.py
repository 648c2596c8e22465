"""Does an utterance make a user turn? The last word after voice detection and the recogniser's gate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz import fuzz

from appliance.speech.hallucination import plain
from appliance.speech.transcript import Judgement, Transcript, Verdict


@dataclass(frozen=True)
class TurnGate:
    """Stateless; shared by all calls. ``echo_words``: from so many words a text can be known as echo."""

    echo_likeness: float = 85.0
    """0 … 100: how much of the utterance stands in what the assistant has just said."""
    echo_words: int = 3

    def decide(self, transcript: Transcript, said: Iterable[str] = ()) -> Judgement:
        """The judgement; only ``is_speech`` makes a user turn.

        ``said``: what the assistant spoke during this utterance and in the two seconds before it. A caller
        may repeat a few words of a question, so only a longer text that stands in it as a whole is echo.
        """
        if not transcript.is_speech:
            return transcript.judgement
        text = plain(transcript.text)
        if len(text.split()) >= self.echo_words:
            for spoken in said:
                likeness = fuzz.partial_ratio(text, plain(spoken))
                if likeness >= self.echo_likeness and len(text) <= len(spoken):
                    return Judgement(Verdict.ECHO, f"{likeness:.0f} % of it is what the assistant said")
        return transcript.judgement
