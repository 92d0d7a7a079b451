"""What a model wrote itself (a claim, a reason, a lesson), checked before it may stand in a note. Pure.

The test is what the text would be read back as: one atom with these very words, and no link, field, tag, id
or heading that nobody asked for. What only an editor would act on (markup, scripts, pictures) is refused too.
"""

from __future__ import annotations

import re
import unicodedata

from brain.config import Limits
from brain.core.dates import civil_date
from brain.vault.parse import parse_note

TEXT_CHARS_MAX = 500
REASON_CHARS_MAX = 200
_ID = "a-0"
_SOURCE = "Source"
_ACTIVE = re.compile(r"<[A-Za-z/!%?]|%%|`[^`]*[=$]|\$=|\{\{|!\[|\]\(|```|~~~")
_LEADS_BLOCK = re.compile(r"[-*+>#|=~:]|\d{1,9}[.)](?:\s|$)")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+|\bwww\.\S+")
_TRAILING = ".,;:!?)]}\"'’”»"


def clean_text(written: str) -> str:
    """Returns a text on one line with single spaces."""
    return " ".join(written.split())


def why_no_text(text: str, *, chars_max: int = TEXT_CHARS_MAX, known: str = "") -> str | None:
    """Returns why a text may not stand in a note, None when it may. An address must stand in `known` as well."""
    if not text or len(text) > chars_max:
        return "text-length"
    if any(is_hidden(c) for c in text) or text != clean_text(text):
        return "text-characters"
    if not any(c.isalnum() for c in text):
        return "text-characters"
    if any(address.rstrip(_TRAILING) not in known for address in _ADDRESS.findall(text)):
        return "text-address"
    is_markup = _LEADS_BLOCK.match(text) or _ACTIVE.search(text) or not _is_plain(text)
    return "text-markup" if is_markup else None


def real_date(written: str | None) -> str | None:
    """Returns an ISO date when the text is one and nothing else, else None."""
    return civil_date(written) if written is not None and len(written) == 10 else None


def _is_plain(text: str) -> bool:
    """Tells whether a text reads back as itself, alone and as a claim of an entity note."""
    bullet = f"## Atoms\n- (fact, inferred) {text} [[{_SOURCE}]] ^{_ID}\n"
    alone, claim = parse_note("x.md", f"{text}\n", Limits()), parse_note("x.md", bullet, Limits())
    if alone.links or alone.fields or alone.tags or alone.block_ids or alone.headings or alone.frontmatter:
        return False
    atoms = [(atom.text, atom.sources, atom.id) for atom in claim.atoms]
    return atoms == [(text, (_SOURCE,), _ID)] and len(claim.links) == 1 and not claim.fields and len(claim.headings) == 1


def is_hidden(character: str) -> bool:
    """Tells whether a character is a control, format, private, surrogate or unassigned one; the joiners of some scripts are none."""
    category = unicodedata.category(character)
    return (category[0] == "C" or category in ("Zl", "Zp")) and character not in "\u200c\u200d"
