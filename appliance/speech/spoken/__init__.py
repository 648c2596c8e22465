"""Written text to spoken words, the same rules for every language; the words are data (R-31)."""

from appliance.speech.spoken.common import spoken
from appliance.speech.spoken.words import NO_BREAK, ClockStyle, SpokenWords, load_spoken_words

__all__ = ["NO_BREAK", "ClockStyle", "SpokenWords", "load_spoken_words", "spoken"]
