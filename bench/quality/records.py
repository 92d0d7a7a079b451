"""Public sets of records with known duplicates, each record rendered as a note.

Febrl 1–3 (Christen 2005): people with typing errors. Splink's sample: people with shuffled letters, swapped
names and drifting dates. A note is called by the names of its record; every other column is a property under
its own name, and the file name says nothing.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

Ends = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Labelled:
    """Notes by path, and which pairs of paths (in order) are one thing. Pairs in `open` count neither way."""

    name: str
    notes: Mapping[str, str]
    same: frozenset[Ends]
    open: frozenset[Ends] = frozenset()


def febrl(folder: Path, number: int) -> Labelled:
    """Reads `dataset<number>.csv`; the record id tells what belongs together."""
    rows = _rows(folder / f"dataset{number}.csv")
    names = ("given_name", "surname")
    notes = {_path(row["rec_id"]): note_of(row, names, ("rec_id", *names)) for row in rows}
    things = {_path(row["rec_id"]): row["rec_id"].split("-")[1] for row in rows}
    return Labelled(f"febrl {number}", notes, same_pairs(things))


def splink(folder: Path) -> Labelled:
    """Reads `fake_1000.csv`; its column `cluster` tells what belongs together. `dob` is written out as `date_of_birth`."""
    rows = _rows(folder / "fake_1000.csv")
    names = ("first_name", "surname")
    written = [{("date_of_birth" if key == "dob" else key): value for key, value in row.items()} for row in rows]
    notes = {_path(row["unique_id"]): note_of(row, names, ("unique_id", "cluster", *names)) for row in written}
    return Labelled("splink 1000", notes, same_pairs({_path(row["unique_id"]): row["cluster"] for row in rows}))


def note_of(row: Mapping[str, str], names: Sequence[str], left_out: Sequence[str]) -> str:
    """Renders a record: its names are the title, its other columns are properties, quoted as they stand."""
    title = " ".join(row[key].strip() for key in names if row[key].strip())
    lines = [f'title: "{title}"'] if title else []
    lines += [f'{key}: "{value.strip()}"' for key, value in row.items() if key not in left_out and value.strip()]
    return "\n".join(("---", *lines, "---", ""))


def same_pairs(things: Mapping[str, str]) -> frozenset[Ends]:
    """Returns all pairs of paths whose thing is the same."""
    members: dict[str, list[str]] = {}
    for path, thing in sorted(things.items()):
        members.setdefault(thing, []).append(path)
    return frozenset(pair for paths in members.values() for pair in combinations(paths, 2))


def _rows(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return [dict(row) for row in csv.DictReader(file, skipinitialspace=True)]


def _path(record: str) -> str:
    return f"Records/{hashlib.sha256(record.encode()).hexdigest()[:16]}.md"


def worlds(folder: Path, split: str) -> Iterator[Labelled]:
    """Reads `entities.jsonl` and its worlds; `split` is `tune`, `kept` or `all`.

    What is listed nowhere is two things; pairs of another split count neither way, like undecidable ones.
    """
    listed: dict[str, list[dict[str, str]]] = {}
    for line in (folder / "entities.jsonl").read_text("utf-8").splitlines():
        pair = json.loads(line)
        listed.setdefault(pair["world"], []).append(pair)
    for world, pairs in sorted(listed.items()):
        same = frozenset(_ends(pair) for pair in pairs if split in ("all", pair["split"]) and pair["label"] == "same")
        counted = frozenset(_ends(pair) for pair in pairs if split in ("all", pair["split"]) and pair["label"] != "undecidable")
        rows = map(json.loads, (folder / "worlds" / f"{world}.jsonl").read_text("utf-8").splitlines())
        yield Labelled(world, {note["path"]: note["text"] for note in rows}, same, frozenset(map(_ends, pairs)) - counted)


def _ends(pair: Mapping[str, str]) -> Ends:
    left, right = sorted((pair["left"], pair["right"]))
    return left, right
