"""Writing a view (`vault.generated`) into the vault, through the one write path."""

from __future__ import annotations

from brain.core.plan import Applied, Edit, Plan, Stage
from brain.stages.commit import commit
from brain.stages.context import Context
from brain.vault.store import Source


def write_view(ctx: Context, stage: Stage, edit: Edit, *, key: str, source: Source | None, because: str) -> list[str]:
    """Carries out the edit of a view, made from `source` (None: the file is new); returns what a person should know of it."""
    base = {} if source is None else {edit.path: source.sha256}
    (receipt,) = commit(ctx, [Plan(stage, key, base, (edit,), because)], run=ctx.new_run())
    return [] if isinstance(receipt, Applied) else [f"{edit.path} could not be written: {getattr(receipt, 'why', 'it changed meanwhile')}"]
