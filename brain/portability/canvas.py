"""The notes and their relations as a JSON Canvas 1.0 document. Pure: rows in, text out.

Source of the format: jsoncanvas.org/spec/1.0. The tree of `part_of` gives the places: a level is a column, and what
is in no tree lies in a grid below. The same graph gives the same bytes.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from brain.core.ids import short_hash
from brain.core.note import Json

WIDTH, HEIGHT, GAP_X, GAP_Y = 320, 80, 160, 40


@dataclass(slots=True)
class _Layout:
    """Note → its column and row. `row` is the next that is free."""

    children: Mapping[str, list[str]]
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    row: int = 0

    def put(self, root: str) -> None:
        """Places a note and what is part of it, a leaf a row."""
        pending = [(root, 0)]
        while pending:
            note, column = pending.pop()
            if note in self.places:
                continue
            self.places[note] = (column, self.row)
            inner = [child for child in self.children.get(note, ()) if child not in self.places]
            self.row += not inner
            pending += [(child, column + 1) for child in reversed(inner)]


def canvas_text(rows: Iterable[Mapping[str, Json]], *, with_links: bool) -> str:
    """Returns the whole document: a file node a note, an edge a relation with its type; plain links without one."""
    paths: dict[str, str] = {}
    edges: list[tuple[str, str, str]] = []
    for row in rows:
        if row.get("node") == "Note":
            paths[str(row["id"])] = str(row["path"])
        elif row.get("edge") == "EDGE" or (with_links and row.get("edge") == "LINKS"):
            edges.append((str(row["from"]), str(row["to"]), str(row["type"]) if row["edge"] == "EDGE" else ""))
    places = _placed(paths, edges)
    nodes = [_node(note, paths[note], *places[note]) for note in sorted(paths, key=lambda note: paths[note])]
    drawn = [_edge(*edge) for edge in sorted(set(edges), key=lambda edge: (paths[edge[0]], paths[edge[1]], edge[2]))]
    return json.dumps({"nodes": nodes, "edges": drawn}, ensure_ascii=False, indent=1) + "\n"


def _placed(paths: Mapping[str, str], edges: Iterable[tuple[str, str, str]]) -> dict[str, tuple[int, int]]:
    children: dict[str, list[str]] = defaultdict(list)
    parents: set[str] = set()
    for source, target, kind in sorted(set(edges), key=lambda edge: (paths[edge[0]], paths[edge[1]])):
        if kind == "part_of" and source not in parents and source != target:
            children[target].append(source)
            parents.add(source)
    layout = _Layout(children)
    in_order = sorted(paths, key=lambda note: paths[note])
    for note in [note for note in in_order if note in children and note not in parents] + [note for note in in_order if note in children]:
        if note not in layout.places:  # the second time round: a ring, which no root leads to
            layout.put(note)
    alone = [note for note in in_order if note not in layout.places]
    columns = max(1, math.isqrt(len(alone)))
    below = layout.row + 1
    return layout.places | {note: (number % columns, below + number // columns) for number, note in enumerate(alone)}


def _node(note: str, path: str, column: int, row: int) -> dict[str, Json]:
    return {"id": note, "type": "file", "file": path, "x": column * (WIDTH + GAP_X), "y": row * (HEIGHT + GAP_Y), "width": WIDTH, "height": HEIGHT}


def _edge(source: str, target: str, label: str) -> dict[str, Json]:
    edge: dict[str, Json] = {"id": short_hash("canvas", source, label, target, length=16), "fromNode": source, "toNode": target}
    return {**edge, "label": label} if label else edge
