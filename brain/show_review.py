"""What waits for a person, and what was proposed → what a terminal shows and what `--json` prints. Returns text; the commands print it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from brain.show import INDENT, clean, receipt_json, shown_text

if TYPE_CHECKING:
    from brain.stages.discards import Discarded, Discards
    from brain.stages.propose import Proposed
    from brain.stages.review import Opened
    from brain.stages.reviewing.item import Item, Queue


def queue_text(queue: Queue) -> str:
    """Returns the open items, best evidence first, and how many wait for room."""
    if not queue.all:
        return "Nothing waits for a decision.\n"
    lines = []
    for item in queue.open:
        rules = ", ".join(item.rules) or item.stage
        lines += [f"{queue.short(item.id)}  {clean(item.because)}", f"{INDENT}{clean(rules)}: {clean(item.why)}"]
    if queue.waiting:
        lines.append(f"{len(queue.waiting)} more waiting for room (limits.review_items_max)")
    lines.append("brain review show ID | accept ID | reject ID | edit ID")
    return "\n".join(lines) + "\n"


def queue_json(queue: Queue) -> dict[str, Any]:
    """`{open: [{id, short, stage, because, why, rules, evidence, score, since}], waiting}`."""
    return {"open": [item_json(item) | {"short": queue.short(item.id)} for item in queue.open], "waiting": len(queue.waiting)}


def item_json(item: Item) -> dict[str, Any]:
    """`{id, stage, because, why, rules, evidence, score, since}`."""
    return {
        "id": item.id, "stage": item.stage, "because": item.because, "why": item.why, "rules": list(item.rules),
        "evidence": list(item.evidence), "score": item.score, "since": item.since,
    }  # fmt: skip


def opened_text(opened: Opened, diff: str) -> str:
    """Returns an item with its reasons and what accepting it would change."""
    item = opened.item
    lines = [f"{item.id}  {clean(item.because)}", f"{INDENT}held: {clean(item.why)}", f"{INDENT}since: {clean(item.since)}"]
    lines += [f"{INDENT}{clean(sentence)}" for sentence in item.evidence]
    lines += [f'{INDENT}one of: brain review accept {item.id} --as {clean(shlex.quote(path))}' for path in opened.choices]
    if opened.problem is not None:
        cure = getattr(opened.problem, "cure", f"brain review accept {item.id} closes it")
        lines += [f"{INDENT}cannot be carried out now: {clean(opened.problem.why)}", f"{INDENT}-> {clean(cure)}"]
    return "\n".join(lines) + "\n" + (shown_text(diff) if diff else "")


def opened_json(opened: Opened, diff: str) -> dict[str, Any]:
    """`{id, …, choices, problem, would, diff}`; `would` is the receipt of the rehearsal."""
    problem = None if opened.problem is None else opened.problem.why
    would = None if opened.receipt is None else receipt_json(opened.receipt)
    return item_json(opened.item) | {"choices": list(opened.choices), "problem": problem, "would": would, "diff": diff}


def proposed_text(proposed: Proposed, *, dry_run: bool) -> str:
    """Returns what became of a candidate, and the notes that come near it."""
    receipt = None if proposed.receipt is None else receipt_json(proposed.receipt)
    done = f"would be {proposed.outcome}" if dry_run else proposed.outcome
    lines = [f"{done}: {clean(proposed.why)}"]
    if receipt and "item" in receipt:
        lines += [f"{INDENT}{clean(path)}" for path in receipt["paths"]]
        lines += [] if dry_run else [f"{INDENT}brain undo {receipt['item']} takes it back"]
    lines += [f"{INDENT}related: {clean(known.path)} ({known.likeness:.2f})" for known in proposed.related]
    if proposed.outcome in ("discarded", "refused") and not dry_run:
        lines.append(f"{INDENT}kept: brain discards show 1")
    return "\n".join(lines) + "\n"


def proposed_json(proposed: Proposed) -> dict[str, Any]:
    """`{outcome, why, receipt, related: [{path, sha256, likeness, distance, bm25, writable}]}`."""
    related = [
        {
            "path": known.path, "sha256": known.source.sha256, "likeness": round(known.likeness, 4), "distance": known.distance,
            "bm25": known.bm25, "writable": known.is_writable,
        }
        for known in proposed.related
    ]  # fmt: skip
    receipt = None if proposed.receipt is None else receipt_json(proposed.receipt)
    return {"outcome": proposed.outcome, "why": proposed.why, "receipt": receipt, "related": related}


def discards_text(discards: Discards) -> str:
    """Returns a line for each candidate that was not written, the latest first."""
    lines = [f"{entry.number:>3}  {clean(entry.at[:10])}  {clean(entry.candidate.title)}: {clean(entry.why)}" for entry in discards.entries]
    if discards.unreadable:
        lines.append(f"{discards.unreadable} {'line' if discards.unreadable == 1 else 'lines'} could not be read")
    return "\n".join(lines or ["Nothing was discarded."]) + "\n"


def discarded_text(entry: Discarded) -> str:
    """Returns one candidate with what it was compared with, and its whole text."""
    lines = [f"{clean(entry.candidate.title)}", f"{INDENT}not written {clean(entry.at)}: {clean(entry.why)}"]
    lines += [f"{INDENT}{name}: {clean(value)}" for name in ("type", "folder", "agent", "source") if (value := getattr(entry.candidate, name))]
    lines += [f"{INDENT}beside {clean(beside.path)} ({beside.score:.2f})" for beside in entry.similar]
    return "\n".join(lines) + "\n\n" + shown_text(entry.candidate.body)
