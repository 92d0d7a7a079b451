"""Checks of claims: those that want a look, those that rest on what stands no more, those that name no source. Reads the catalog."""

from __future__ import annotations

import json
from collections.abc import Iterator
from shlex import quote

from brain.config import zone_of
from brain.core.finding import Finding
from brain.doctor.view import View
from brain.recall.stale import wanting

SHOWN_CHARS_MAX = 80
_LIVE = "n.status NOT IN ('superseded','archived') AND a.status='active'"
_BY_BRAIN = "(a.confidence='inferred' OR (a.confidence IS NULL AND EXISTS (SELECT 1 FROM recorded r WHERE r.item=a.id)))"


def stale_claims(view: View) -> Iterator[Finding]:
    """Claims that time has overtaken, and lines that name a claim which is superseded: what `brain stale` lists."""
    today = view.space.clock.now().astimezone(zone_of(view.space.config)).date().isoformat()
    for found in wanting(view.conn, today):
        message = f"{_short(found.text)}: {found.why}."
        if found.rests:
            cure = f"still so: brain stale --confirm {quote(found.path)}; else write what is so instead"
            yield Finding("rests-on-superseded", "warning", found.path, found.line, message, cure)
        else:
            cure = f'brain edit {quote(found.path)}: end line {found.line} with (to DATE), or say "as of" its day'
            yield Finding("overtaken-claim", "info", found.path, found.line, message, cure)


def unsourced_claims(view: View) -> Iterator[Finding]:
    """Claims that brain wrote, or that say they are inferred, and that name nothing they come from."""
    rows = view.conn.execute(
        f"SELECT n.path, a.line, a.text FROM atom a JOIN note n USING(nid) WHERE a.sources='[]' AND {_LIVE} AND {_BY_BRAIN} ORDER BY n.path, a.line"
    )
    for path, line, text in rows:
        cure = f'write the [[note]] that it comes from at the end of line {line} of "{path}", or (fact, verified) if you know it'
        yield Finding("unsourced-claim", "info", path, line, f"{_short(text)} names no source.", cure)


def lost_sources(view: View) -> Iterator[Finding]:
    """Claims that brain wrote, none of whose sources is there any more."""
    rows = view.conn.execute(
        "SELECT n.path, a.line, a.text, a.id, a.sources FROM link l JOIN atom a ON a.nid=l.nid AND a.line=l.line JOIN note n ON n.nid=a.nid"
        f" WHERE l.status='broken' AND a.sources<>'[]' AND {_LIVE} AND (a.declared_id IS NOT NULL OR {_BY_BRAIN})"
        " AND NOT EXISTS (SELECT 1 FROM link o WHERE o.nid=l.nid AND o.line=l.line AND o.target_nid IS NOT NULL)"
        " GROUP BY a.nid, a.ordinal ORDER BY n.path, a.line"
    )
    for path, line, text, atom_id, sources in rows:
        named = ", ".join(json.loads(sources))
        cure = f'bring {named} back (brain explain {atom_id} shows what it said), or take the claim on line {line} of "{path}" out'
        yield Finding("lost-source", "info", path, line, f"{_short(text)} comes from {named}, which is not there any more.", cure)


def _short(text: str) -> str:
    return f"“{text if len(text) <= SHOWN_CHARS_MAX else text[: SHOWN_CHARS_MAX - 1].rstrip() + '…'}”"
