"""Runs and reasons → what a terminal shows and what `--json` prints. Returns text; the commands print it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from brain.show import INDENT, clean

if TYPE_CHECKING:
    from brain.stages.audit import Decision, Explained, Origin
    from brain.stages.ledger import RunEntry

STATES = {"landed": "written", "undone": "taken back", "rolled_back": "rolled back", "open": "left half-way"}


def runs_text(entries: Sequence[RunEntry], *, more: int) -> str:
    """Returns a line for each run, the latest first; `more` are not shown."""
    if not entries:
        return "No run has written anything yet.\n"
    lines = [f"{entry.run}  {_minute(entry.started)}  {clean(entry.stage):<11} {_counts(entry)}" for entry in entries]
    if more:
        lines.append(f"{more} earlier (--limit 0 shows all)")
    lines.append("brain runs RUN | brain explain ITEM | brain undo RUN")
    return "\n".join(lines) + "\n"


def run_text(entry: RunEntry) -> str:
    """Returns one run with its items: what each did and to which notes."""
    lines = [f"{entry.run}  {_minute(entry.started)}  {clean(entry.stage)}"]
    for item in entry.items:
        lines += [f"{item.item}  {STATES[item.state]}: {clean(item.because)}", *(f"{INDENT}{clean(path)}" for path in item.paths)]
    return "\n".join(lines) + "\n"


def explained_text(found: Explained) -> str:
    """Returns why something stands in the notes, and how to take it back."""
    lines = [f"{clean(found.what)}"]
    if found.text:
        lines.append(f"{INDENT}{clean(found.path)}:{found.line}: {clean(found.text)}")
    elif found.path != found.what:
        lines.append(f"{INDENT}it stands in no note now")
    if found.is_written_by_hand:
        lines.append(f"{INDENT}no run wrote it: a person did")
    elif found.is_unknown:
        lines.append(f"{INDENT}it bears an id that runs give, but the journal does not know, or not any more, which run wrote it")
    for origin in found.origins:
        lines += _origin_lines(origin)
    for decision in found.decisions:
        lines += _decision_lines(decision, is_short=bool(found.origins))
    return "\n".join(lines) + "\n"


def _origin_lines(origin: Origin) -> list[str]:
    where = f"{origin.episode}:{origin.line}" if origin.line else f"{origin.episode}, where these words stand no more"
    return [f"from {clean(where)}", f"{INDENT}> {clean(' '.join(origin.quote.split()))}", f"{INDENT}reason: {clean(origin.reason)}", f"{INDENT}judge:  {clean(origin.judge)}"]


def _decision_lines(decision: Decision, *, is_short: bool) -> list[str]:
    lines = [f"{decision.stage} {_minute(decision.at)}, {STATES[decision.state]}: {clean(decision.because)}"]
    lines += [f"{INDENT}{clean(sentence)}" for sentence in decision.evidence]
    if not is_short:
        lines += [f"{INDENT}judge:  {clean(judge)}" for judge in decision.judges]
        lines += [f"{INDENT}wrote:  {clean(path)}" for path in decision.paths]
        lines += [f"{INDENT}made:   {clean(made)}" for made in decision.made]
    if decision.state == "landed":
        lines.append(f"{INDENT}brain undo {decision.item} takes it back")
    return lines


def _counts(entry: RunEntry) -> str:
    counts = Counter(STATES[item.state] for item in entry.items)
    return ", ".join(f"{count} {state}" for state, count in counts.items()) or "nothing written"


def _minute(instant: str) -> str:
    return clean(instant[:16].replace("T", " "))
