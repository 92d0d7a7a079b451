"""The owner's own note: made once, through the one write path, when no note answers to the name."""

from __future__ import annotations

import json

from brain.core.ids import fold, short_hash
from brain.core.plan import CreateNote, Plan, Receipt
from brain.core.slug import file_stem
from brain.errors import UsageError
from brain.stages.commit import commit
from brain.stages.context import Context


def owner_note(ctx: Context, name: str) -> Receipt | None:
    """Creates `<memory>/People/NAME.md` of kind person; None when a note has that name already.

    Raises: UsageError for a name that no file can carry.
    """
    with ctx.catalog() as conn:
        if conn.execute("SELECT 1 FROM name WHERE key=?", (fold(name),)).fetchone():
            return None
    stem = file_stem(name)
    if not stem:
        raise UsageError(f"{name!r} cannot be a note's name.", 'brain setup --name "Your Name"')
    path = f"{ctx.config.folders.memory}/People/{stem}.md"
    note_id = f"n-{short_hash('owner', name, length=16)}"
    title = f"title: {json.dumps(name, ensure_ascii=False)}\n" if stem != name else ""
    text = f"---\nid: {note_id}\ntype: entity\nkind: person\n{title}importance: 1\ncreated: {ctx.today}\n---\n"
    plan = Plan("edit", f"owner|{path}", {}, (CreateNote(path, text),), f"{name} is the owner of this vault")
    (receipt,) = commit(ctx, [plan], run=ctx.new_run())
    return receipt
