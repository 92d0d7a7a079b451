"""Forgetting → what a terminal shows. Returns text; the commands print it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from brain.core.decay import (
    DEMOTED_HALF_LIFE_DAYS,
    HALF_LIFE_DAYS,
    IMPORTANCE_STRETCH,
    LASTING_IMPORTANCE_MIN,
    LASTING_KINDS,
)
from brain.show import clean, plural

if TYPE_CHECKING:
    from brain.facade.forgetting import Reinforced
    from brain.recall.fading import Fades, Forecast, Memory

TOUCHED_SHOWN_MAX = 5


def half_life_rows() -> list[tuple[str, str]]:
    """Returns kinds and what a half-life they have, the shortest first: the table of the code in words."""
    by_days: dict[float, list[str]] = {}
    for kind, days in HALF_LIFE_DAYS.items():
        by_days.setdefault(days, []).append(kind)
    rows = [(", ".join(kinds), _days(days)) for days, kinds in sorted(by_days.items()) if not math.isinf(days)]
    lasting = f"does not fade from importance {LASTING_IMPORTANCE_MIN} on, else {_days(DEMOTED_HALF_LIFE_DAYS)}"
    never = [kind for kind in by_days[math.inf] if kind not in LASTING_KINDS]
    return [*rows, (", ".join(LASTING_KINDS), lasting), (", ".join(never), "does not fade")]


def half_life_table() -> str:
    """Returns the half-lives as a table in Markdown, as README prints it."""
    lines = ["| kind | half-life |", "|---|---|", *(f"| {kinds} | {days} |" for kinds, days in half_life_rows())]
    return "\n".join(lines) + "\n"


def half_lives_json() -> dict[str, Any]:
    """`{half_life_days: {kind: days or null}, importance_stretch, lasting_importance_min, demoted_half_life_days}`."""
    days = {kind: None if math.isinf(value) else value for kind, value in HALF_LIFE_DAYS.items()}
    return {
        "half_life_days": days, "importance_stretch": IMPORTANCE_STRETCH, "lasting_importance_min": LASTING_IMPORTANCE_MIN,
        "demoted_half_life_days": DEMOTED_HALF_LIFE_DAYS,
    }  # fmt: skip


def forecast_text(found: Forecast) -> str:
    """Returns what will have faded, and what fades next."""
    lines = [
        f"at         {found.at}" + (" (nothing written)" if found.dry_run else " (weights of this instant are in the graph)"),
        f"notes      {found.live}, {found.lasting} of them never fade",
        f"faded      {found.faded}, {found.fading} of them not yet now; a faded note is still found",
        f"archived   {found.archived}", *_next(found.next),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def reinforced_text(found: Reinforced) -> str:
    """Returns what a touch by hand did, in one line."""
    above = f"; {found.above} {plural('note', found.above)} above it touched a little" if found.above else ""
    return f"{clean(found.path)}: {found.before:.3f} -> {found.after:.3f}{above}\n"


def memory_lines(memory: Memory) -> Iterator[str]:
    """Yields the lines of `brain status` about forgetting."""
    touched = [clean(path) for path in memory.touched[:TOUCHED_SHOWN_MAX]]
    more = len(memory.touched) - len(touched)
    yield f"faded      {memory.faded}, {memory.archived} archived"
    yield f"touched    {len(memory.touched)} in 7 days" + (f": {', '.join(touched)}{f' and {more} more' if more else ''}" if touched else "")
    yield from _next(memory.soon)


def _next(notes: Sequence[Fades]) -> Iterator[str]:
    for at, note in enumerate(notes):
        yield f"{'fades next' if at == 0 else '':<10} in {note.days:>5.0f} days  {note.weight:.3f}  {note.age_days:>4} days old  {clean(note.path)} [{note.kind}]"


def _days(days: float) -> str:
    return f"{days:g} days"
