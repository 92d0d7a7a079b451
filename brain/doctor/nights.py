"""Checks of the nightly run: what the last one could not do. A vault that never had one is fine."""

from __future__ import annotations

from collections.abc import Iterator

from brain.core.finding import Finding
from brain.stages.night import last_night
from brain.sync.space import Space


def unfinished_night(space: Space) -> Iterator[Finding]:
    """Names what the last nightly run left undone; the next run that leaves nothing clears it."""
    record = last_night(space.journal)
    left = record.get("unfinished") if record else None
    if record is None or not isinstance(left, list):
        return
    for what in left:
        yield Finding("unfinished-night", "info", "", 0, f"The maintenance run of {record['at'][:16]} did not do everything. {what}", "brain maintain")
