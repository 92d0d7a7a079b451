"""What work did (a sync, a run of a stage, an undo) → what a terminal shows. Returns text; the commands print it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from brain.show import INDENT, clean, plural, receipt_json

if TYPE_CHECKING:
    from brain.core.plan import Applied
    from brain.stages.meant import Meant
    from brain.stages.report import RunReport
    from brain.stages.undo import UndoReport
    from brain.sync.report import SyncReport

PATHS_SHOWN_MAX = 5
MEANT_REASONS = ("excluded by the settings", "a link, not followed")
"""Why files are left out that somebody meant to leave out: they are counted, while all others are named."""

HELD_SHOWN_MAX = 10
"""What one run holds, for a person: more is in `brain review`, and in the JSON."""


def sync_text(report: SyncReport) -> str:
    """Returns one line of counts, one for each file that could not be read, and one for all that are meant to be left out."""
    parts = [f"{report.notes} notes"]
    for name in ("added", "changed", "removed", "moved"):
        count = len(getattr(report, name))
        if count:
            parts.append(f"{count} {name}")
    if report.rebuilt:
        parts.append(f"index made anew ({report.because})")
    if report.embedded or report.from_cache:
        parts.append(f"{report.embedded} texts embedded, {report.from_cache} from the cache")
    if report.waiting_to_embed:
        parts.append(f"{report.waiting_to_embed} texts wait for the embedding model")
    if report.skipped:
        parts.append(f"{len(report.skipped)} skipped")
    if report.problems:
        parts.append(f"{len(report.problems)} {plural('problem', len(report.problems))}")
    lines = [*_skipped_lines(report.skipped), *(f"{INDENT}problem: {clean(f.path)}:{f.line}: {clean(f.message)}" for f in report.problems)]
    return "\n".join([", ".join(parts), *lines]) + "\n"


def _skipped_lines(skipped: Mapping[str, str]) -> Iterator[str]:
    yield from (f"{INDENT}skipped: {clean(path)}: {clean(why)}" for path, why in skipped.items() if why not in MEANT_REASONS)
    for why, count in sorted(Counter(why for why in skipped.values() if why in MEANT_REASONS).items()):
        yield f"{INDENT}skipped: {count} {plural('file', count)}: {why} (brain status --excluded)"


def made_by(report: RunReport) -> tuple[str, ...]:
    """Returns the paths of the notes that a run made, or would make, sorted."""
    return tuple(sorted({patch.path for receipt in report.applied for patch in receipt.patches if patch.before is None}))


def run_text(report: RunReport, near: Mapping[str, str] | None = None) -> str:
    """Returns what a stage did, item by item with the notes it wrote; `near` maps a new note → a known name it may be a slip of."""
    verb = "would change" if report.dry_run else "changed"
    head = f"{report.stage}: {report.found} looked at, {len(report.applied)} {verb}, {len(report.held)} held, {report.waiting} waiting"
    if report.left_out:
        head += f", {report.left_out} left for the next run (limit)"
    lines = [head]
    if report.dry_run:  # a rehearsal is shown as a diff, which has all but this with the reasons
        lines += [f"{INDENT}would be new: {clean(path)}{_is_it(path, near)}" for path in made_by(report)]
    else:
        lines += [line for receipt in report.applied for line in _item_lines(receipt, near)]
        lines += [f"{INDENT}held: {clean(r.plan.because)} ({clean(r.why)})" for r in report.held[:HELD_SHOWN_MAX]]
        if len(report.held) > HELD_SHOWN_MAX:
            lines.append(f"{INDENT}held: {len(report.held) - HELD_SHOWN_MAX} more (brain review)")
    lines += [f"{INDENT}not done: {clean(r.plan.because)} ({clean(receipt_json(r)['why'])})" for r in report.failed]
    lines += [f"{INDENT}{clean(notice)}" for notice in report.notices]
    return "\n".join(lines) + "\n"


def _item_lines(receipt: Applied, near: Mapping[str, str] | None) -> Iterator[str]:
    yield f"{INDENT}{receipt.item}  {clean(receipt.plan.because)}"
    for patch in receipt.patches:
        if patch.before is None:
            yield f"{INDENT * 2}new: {clean(patch.path)}{_is_it(patch.path, near)}"
        else:
            yield f"{INDENT * 2}{'wrote' if patch.after is not None else 'removed'}: {clean(patch.path)}"


def _is_it(path: str, near: Mapping[str, str] | None) -> str:
    return f" (is it {clean(near[path])}?)" if near and path in near else ""


def undo_text(report: UndoReport) -> str:
    """Returns what was to be taken back, what was and what was not, with what changed since, and how to go on from there."""
    would = "would be " if report.dry_run else ""
    lines = [f"{'would take' if report.dry_run else 'takes'} back {_meant(report.taken)}"] if report.taken else []
    lines.append(f"{len(report.undone)} {plural('item', len(report.undone))} {would}undone")
    lines += [f"{INDENT}{clean(item)}" for item in report.undone]
    lines += [f"{INDENT}{_undone(report, path)}: {clean(path)}" for path in report.paths]
    for left in report.left:
        where = f", {clean(left.path)}" if left.path else ""
        lines += [f"{'would not be' if report.dry_run else 'not'} undone: {clean(left.item)}{where}: {clean(left.why)}", *_diff_lines(left.diff)]
    lines += [f"{INDENT}{clean(finding.message)}" for finding in report.findings]
    if report.undone and not report.dry_run:
        lines.append(f"this undo is {report.run}: brain undo {report.run} takes it back")
    if report.left:
        lines.append(_way_on(report.older))
    return "\n".join(lines) + "\n"


def _meant(meant: Meant) -> str:
    shown = ", ".join(clean(path) for path in meant.paths[:PATHS_SHOWN_MAX])
    more = f" and {len(meant.paths) - PATHS_SHOWN_MAX} more" if len(meant.paths) > PATHS_SHOWN_MAX else ""
    return f"{clean(meant.name)}: {clean(meant.command)}, {clean(meant.when)}: {shown}{more}"


def _diff_lines(diff: str) -> list[str]:
    return [clean(diff).rstrip("\n")] if diff.strip() else []


def _way_on(older: Meant | None) -> str:
    """Says what can be taken back instead of a run that cannot."""
    if older is None:
        return "cure:  brain runs lists all runs"
    return f"cure:  brain undo {clean(older.name)} takes the next older run back ({_meant(older).partition(': ')[2]}); brain runs lists all"


def _undone(report: UndoReport, path: str) -> str:
    return "removed" if path in report.removed else "put back" if path in report.restored else "as it was before"
