"""Markup and signs that nobody says: Markdown, HTML tags, emoji, brackets. Pure and language-neutral."""

from __future__ import annotations

import re
import unicodedata

from appliance.speech.spoken.words import NO_BREAK

_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_LINE_START = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]+|[-*+•][ \t]+)", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*(?:[-*_=][ \t]*){3,}$|^[ \t|:-]*--[ \t|:-]*$", re.MULTILINE)
_EMPHASIS = re.compile(r"[*`~#|]+|(?<!\w)_+|_+(?!\w)")
_LINE_END = re.compile(r"(?<=[^\s.!?:;,…])[ \t]*(?:\r?\n)+[ \t]*")
_QUOTES = re.compile(r"[\"„“”«»‹›]|(?<!\w)['‚‘’]|['‘’](?!\w)")
_DASH = re.compile(r"\s+[–—-]+\s+(?!\d)|(?<!\d)\s+[–—-]+\s+")
_BRACKETS = re.compile(r"\s*[()\[\]{}]+\s*")
_SPACES = re.compile(r"[ \t\r\n]+")


def plain(text: str) -> str:
    """The words and values of a text; a line's end becomes a sentence's end."""
    text = _LINK.sub(r"\1", unicodedata.normalize("NFC", text))
    text = _TAG.sub(" ", text)
    text = _RULE.sub("", text)
    text = _LINE_START.sub("", text.strip())
    text = _LINE_END.sub(". ", text)
    text = _EMPHASIS.sub(" ", text)
    return _SPACES.sub(" ", "".join(sign for sign in text if _is_said(sign))).strip()


def tidy(text: str) -> str:
    """What is left when all values are words: no quotes, brackets and lone dashes; single spaces."""
    text = _DASH.sub(", ", _QUOTES.sub("", text))
    text = _BRACKETS.sub(", ", text)
    text = re.sub(r"(?:,\s*)+(?=[,.;:!?]|$)", "", text)
    text = re.sub(r"(?<=[.;:!?])(?:\s*,)+", "", re.sub(r"^[\s,]+", "", text))
    text = re.sub(rf"[ ]+(?=[,.;:!?](?:[ {NO_BREAK}]|$))", "", text)
    return _SPACES.sub(" ", text).strip(" \n")


def _is_said(sign: str) -> bool:
    """False for emoji, their joiners and selectors, and what can't be seen."""
    if sign in "°\n":
        return True
    if "\ufe00" <= sign <= "\ufe0f":
        return False
    return unicodedata.category(sign) not in {"So", "Sk", "Cf", "Cc", "Cs", "Co", "Cn", "Me"}
