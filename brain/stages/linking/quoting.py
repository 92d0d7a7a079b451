"""Words of a note as the reason of a line in another one: the same words, with nothing in them that means something there. Pure."""

from __future__ import annotations

import re

from brain.config import Limits
from brain.models.judge.words import clean_text, why_no_text
from brain.stages.spelling import without_links

QUOTE_CHARS_MAX = 300
_MARKS = re.compile(r"::+|[\[\]()<>{}|\\^#=~`$%*]+|!(?=\[)|https?://\S+|www\.\S+|[A-Za-z][A-Za-z0-9+.-]*://\S+")
_LEAD = re.compile(r"^(?:[-+>|=~:]|\d{1,9}[.)](?=\s|$)|\s)+")


def quoted(text: str, limits: Limits) -> str:
    """Returns words of a note in quotation marks; links become their words, other markup goes. Empty when no words are left."""
    words = _LEAD.sub("", clean_text(without_links(clean_text(text), limits)))
    if len(words) > QUOTE_CHARS_MAX:
        words = words[: QUOTE_CHARS_MAX - 1].rsplit(" ", 1)[0] + "…"
    for tried in (words, clean_text(_LEAD.sub("", _MARKS.sub(" ", words)))):
        if why_no_text(tried, known=tried) is None:
            return f"“{tried}”"
    return ""
