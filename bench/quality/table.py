"""A measurement as text and as JSON: totals, counts, groups. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from bench.quality.counts import Counts, Share


@dataclass(frozen=True, slots=True)
class Measured:
    """What one judge made of one set. `groups` are tables of counts by title, `shares` tables of parts of a whole."""

    name: str
    judge: str
    split: str
    rows: int
    totals: Mapping[str, Counts]
    counts: Mapping[str, int]
    groups: Mapping[str, Mapping[str, Counts]] = field(default_factory=dict)
    shares: Mapping[str, Mapping[str, Share]] = field(default_factory=dict)


def shown(measured: Measured) -> str:
    """Returns a measurement as tables."""
    head = f"{measured.name}: {measured.rows} rows of {measured.split}, judged by {measured.judge}"
    parts = [head, _counted("", measured.totals), "\n".join(f"{count:>5}  {what}" for what, count in measured.counts.items())]
    parts += [_counted(title, group) for title, group in measured.groups.items() if group]
    parts += [_shared(title, group) for title, group in measured.shares.items() if group]
    return "\n\n".join(parts)


def as_json(measured: Measured) -> str:
    """Returns a measurement as JSON; precision, recall and F1 stand beside what they were made of."""
    value = asdict(measured)
    value["totals"] = _with_rates(measured.totals)
    value["groups"] = {title: _with_rates(group) for title, group in measured.groups.items()}
    return json.dumps(value, indent=1, ensure_ascii=False)


def _with_rates(group: Mapping[str, Counts]) -> dict[str, dict[str, float | None]]:
    return {name: {**asdict(counts), "precision": counts.precision, "recall": counts.recall, "f1": counts.f1} for name, counts in group.items()}


def _counted(title: str, group: Mapping[str, Counts]) -> str:
    head = (title, "precision", "recall", "F1", "right", "given", "found", "wanted")
    return _table(head, [
        (name, _rate(of.precision), _rate(of.recall), _rate(of.f1), of.right, of.given, of.found, of.wanted) for name, of in group.items()
    ])  # fmt: skip


def _shared(title: str, group: Mapping[str, Share]) -> str:
    return _table((title, "part", "of"), [(name, share.part, share.of) for name, share in group.items()])


def _table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    cells = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) if place == 0 else cell.rjust(width) for place, (cell, width) in enumerate(zip(row, widths, strict=True)))
        for row in cells
    )


def _rate(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.3f}"
