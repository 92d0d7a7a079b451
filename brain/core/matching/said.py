"""Where the text of one note gives its thing another name: `formerly Initech`, `GTD, short for …`. Pure."""

from __future__ import annotations

import re

BEFORE_CHARS_MAX = 28
_CUE = re.compile(
    r"(?:formerly|former name|previously|originally|renamed (?:from|to|into)|now called|now known as|aka|a\.k\.a\.|also (?:known as|called)|known as|called"
    r"|nicknamed?|alias|short for|stands for|abbreviation (?:of|for)|abbreviated|short form of|same as|identical (?:to|with)|duplicate of|moved to|merged into"
    r"|old name|new name|original title|translation of|maiden name|(?:english|german|french|italian|spanish|latin)(?: name| title)?:|nee"
    r"|frueher|ehemals|vormals|ehemalig\w*|umbenannt (?:in|von)|heute|jetzt|heisst|genannt|auch|kurz(?: fuer)?|abkuerzung (?:fuer|von)|abk\. fuer|steht fuer"
    r"|geb\.|geborene|spitzname|originaltitel|auf deutsch|auf englisch|engl\.|dt\.|siehe jetzt"
    r"|anciennement|autrefois|dite?|appelee?|surnom|renommee?|en anglais|en allemand|gia|detta|detto|ossia|antes|llamad[oa]|=)"
    r"[\s:,\"'“”„‚‘’(»«-]*(?:the |der |die |das |le |la )?$"
)


def is_called(text: str, name: str) -> bool:
    """Tells whether a text gives its thing this name; both are folded."""
    return any(_CUE.search(text[max(0, at - BEFORE_CHARS_MAX) : at]) is not None for at in _places(text, name))


def _places(text: str, name: str) -> list[int]:
    if len(name) < 2 or name not in text:
        return []
    return [match.start() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
