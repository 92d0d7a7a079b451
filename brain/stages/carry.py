"""A link that goes to another note with the words around it keeps leading where it led. Reads, writes nothing.

A link is relative to the note that holds it: a path, and a bare name that several notes have. Carried over,
it is kept as written while it leads to the same note, written anew when it would not, and becomes plain
words where a link that led nowhere would begin to lead somewhere.
"""

from __future__ import annotations

import posixpath

from brain.stages.spelling import encoded, label, words_of
from brain.stages.target import Names
from brain.vault.linkscan import Found, is_external


def carried(names: Names, link: Found, raw: str, *, source: str, dest: str, after: Names | None = None) -> str:
    """Returns how a link of the note at `source` is written in the note at `dest`, or plain words.

    `after` answers for the vault as the plan will leave it, when that differs.
    """
    if is_external(link.target):
        return raw
    after = after or names
    there = names.leads_to(source, link.target, link.form) if link.target else source
    here = after.leads_to(dest, link.target, link.form) if link.target else dest
    if there == here:
        return raw if there else _file_link(names, link, raw, source, dest)
    is_embed = link.form in ("embed", "image")
    text = after.link_to(dest, there, anchor=link.anchor, alias=link.alias, is_embed=is_embed) if there else None
    return text or words_of(link)


def _file_link(names: Names, link: Found, raw: str, source: str, dest: str) -> str:
    """A picture beside the one note is not beside the other: a path to a file that is there follows."""
    if link.form not in ("markdown", "image") or link.target.startswith("/"):
        return raw
    there, here = (posixpath.normpath(posixpath.join(posixpath.dirname(path), link.target)) for path in (source, dest))
    if there == here or not names.is_file(there) or names.is_file(here) or names.is_file(link.target):
        return raw
    near = posixpath.relpath(there, posixpath.dirname(dest) or ".")
    fragment = f"#{encoded(link.anchor, also='#^')}" if link.anchor else ""
    return f"{'!' if link.form == 'image' else ''}[{label(link.alias or posixpath.basename(there))}]({encoded(near)}{fragment})"
