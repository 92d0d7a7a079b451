"""Repair of frontmatter keys that stand twice with one value: the later lines are taken out. What differs is a person's to choose.

find (the notes of the finding) → plan (whole lines, as text; read again to see that every key kept its value) → commit.
"""

from __future__ import annotations

from typing import Final

from brain.config import Limits
from brain.core.note import Span
from brain.core.plan import Plan, ReplaceSpan
from brain.stages.context import Context
from brain.stages.report import RunReport
from brain.stages.run import Run
from brain.vault.frontmatter import read_frontmatter

STAGE: Final = "repair"


def duplicate_keys(ctx: Context, dry_run: bool) -> RunReport:
    """Takes out the later lines of each key that has one value; names the keys whose values differ."""
    run = Run(ctx, STAGE, dry_run=dry_run)
    with ctx.catalog() as conn:
        rows = conn.execute("SELECT DISTINCT n.path FROM finding f JOIN note n USING(nid) WHERE f.code='duplicate-key' ORDER BY n.path")
        paths = [path for (path,) in rows]
    waiting = 0
    for path in paths:
        source = run.reading.read(path)
        if source is None:
            continue
        spans, differing = doubled(source.text, ctx.config.limits)
        for key in differing:
            run.say(f"{path}: `{key}` has several values; keep the line that is so, and take the others out.")
        waiting += bool(differing)
        if spans:
            edits = tuple(ReplaceSpan(path, span, source.text[span.start : span.end], "") for span in spans)
            run.commit(Plan(STAGE, f"{path}|keys", {path: source.sha256}, edits, "a key stood twice with the same value"))
    return run.report(found=len(paths), waiting=waiting)


def doubled(text: str, limits: Limits) -> tuple[list[Span], list[str]]:
    """Returns the lines that say again what a key says already, and the keys that have several values."""
    front = read_frontmatter(text, limits)
    if front.block is None or front.block.flow:
        return [], []
    values: dict[str, list[str]] = {}
    spans: list[Span] = []
    for entry in front.block.entries:
        had = values.setdefault(entry.key, [])
        had.append(repr(entry.value))
        if len(had) > 1 and len(set(had)) == 1:
            start = text.rfind("\n", 0, front.yaml_start + entry.key_start) + 1
            end = text.index("\n", front.yaml_start + max(entry.end, entry.key_end)) + 1
            spans.append(Span(start, end))
    differing = [key for key, found in values.items() if len(set(found)) > 1]
    return (spans, differing) if _keeps(text, spans, limits, values) else ([], differing)


def _keeps(text: str, spans: list[Span], limits: Limits, values: dict[str, list[str]]) -> bool:
    """Tells whether without these lines every key still has the value that counts, and no key is gone."""
    for span in reversed(spans):
        text = text[: span.start] + text[span.end :]
    block = read_frontmatter(text, limits).block
    return block is not None and {entry.key: repr(entry.value) for entry in block.entries} == {key: found[-1] for key, found in values.items()}
