"""What looking over the whole vault came to, kept beside the index while nothing in it changes: a night with nothing to do is short.

Derived and disposable. Whatever it depends on is in its key, and what cannot be read counts as not there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path

from brain.core.ids import short_hash
from brain.stages.context import Context
from brain.stages.linking.mentions import Mentions, Unlinked
from brain.vault.layout import Layout

FILE_NAME = "linking.json"
VERSION = "1"


def kept_mentions(ctx: Context, look: Callable[[], Mentions]) -> Mentions:
    """Returns the unlinked mentions of the vault as it is indexed now: those that were kept, or what `look` finds."""
    path, key = Layout(ctx.vault.root).index / FILE_NAME, _key(ctx)
    found = _read(path, key)
    if found is None:
        found = look()
        _write(path, key, found)
    return found


def _key(ctx: Context) -> str:
    with ctx.catalog() as conn:
        (generation,) = conn.execute("SELECT value FROM meta WHERE key='generation'").fetchone()
        notes = conn.execute("SELECT nid, path, sha256 FROM note ORDER BY nid").fetchall()  # a rebuild begins generations and row numbers anew
    return short_hash("linking", VERSION, str(generation), repr(notes), repr(ctx.config.folders), repr(ctx.config.limits), length=24)


def _read(path: Path, key: str) -> Mentions | None:
    try:
        kept = json.loads(path.read_bytes())
        return Mentions(tuple(Unlinked(*row) for row in kept["found"]), int(kept["names_left_out"])) if kept["key"] == key else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _write(path: Path, key: str, found: Mentions) -> None:
    document = {"key": key, "names_left_out": found.names_left_out, "found": [astuple(mention) for mention in found.found]}
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        beside.write_text(json.dumps(document), "utf-8")
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)  # only the time of the next look is lost
