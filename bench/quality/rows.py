"""The lines of the labelled sets as values. What a label means stands in `sets/README.md`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from brain.core.ids import short_hash

SETS = Path(__file__).with_name("sets")
NONE = "none"
SYMMETRIC = frozenset({"relates_to", "same_entity", "contradicts"})

Split = Literal["tune", "kept"]
SPLITS: tuple[Split, ...] = ("tune", "kept")
Edge = tuple[str, str | None]
"""A relation and its direction, `forward` from the first name to the second; None for symmetric ones and for `none`."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with two names. `edges` are the right answers, the labelled one first."""

    id: str
    split: str
    text: str
    first: str
    second: str
    edges: tuple[Edge, ...]
    trap: str


@dataclass(frozen=True, slots=True)
class Atom:
    """A claim that should be taken. `kinds`, `entities` and `dates` are what is as good, the labelled ones first."""

    quote: str
    kinds: tuple[str, ...]
    entities: tuple[str, ...]
    is_entity_open: bool
    dates: tuple[str | None, ...]
    is_date_open: bool


@dataclass(frozen=True, slots=True)
class Wrong:
    """A tempting line; `allowed` are the kinds of claim that may be taken from it all the same."""

    quote: str
    trap: str
    allowed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """Something that somebody still has to do."""

    quote: str
    due: str | None


@dataclass(frozen=True, slots=True)
class Told:
    """An episode, the names of the notes that the vault has, and what is to be made of it."""

    id: str
    split: str
    recorded: str
    text: str
    existing: tuple[str, ...]
    atoms: tuple[Atom, ...]
    wrong: tuple[Wrong, ...]
    actions: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """One of two claims, and the day on which it was recorded."""

    text: str
    recorded: str | None


@dataclass(frozen=True, slots=True)
class Rival:
    """Two claims about one thing; `holds` and `since` say which one is valid now, and from when."""

    id: str
    split: str
    about: str
    kind: str
    first: Said
    second: Said
    label: str
    holds: str | None
    since: str | None
    shape: str


def sentences(split: str) -> tuple[Sentence, ...]:
    """Reads the relations of a split."""
    return tuple(
        Sentence(row["id"], row["split"], row["text"], row["first"], row["second"], tuple(map(_edge, (row, *row["also"]))), row["trap"])
        for row in _rows("relations", split)
    )


def episodes(split: str) -> tuple[Told, ...]:
    """Reads the episodes of a split."""
    return tuple(
        Told(
            row["id"], row["split"], row["recorded"], row["text"], tuple(row["existing"]), tuple(map(_atom, row["atoms"])),
            tuple(Wrong(line["quote"], line["trap"], tuple(line["allowed"])) for line in row["wrong"]),
            tuple(Task(action["quote"], action["due"]) for action in row["actions"]),
        )
        for row in _rows("episodes", split)
    )  # fmt: skip


def rivals(split: str) -> tuple[Rival, ...]:
    """Reads the pairs of claims of a split."""
    return tuple(
        Rival(
            row["id"], row["split"], row["about"], row["kind"], Said(**row["first"]), Said(**row["second"]), row["label"], row["holds"],
            row["since"], row["shape"],
        )
        for row in _rows("rivals", split)
    )  # fmt: skip


def _edge(answer: dict[str, Any]) -> Edge:
    relation = answer["relation"]
    return relation, None if relation in SYMMETRIC else answer["direction"]


def _atom(row: dict[str, Any]) -> Atom:
    return Atom(
        row["quote"], (row["kind"], *row["also_kinds"]), (row["entity"], *row["also_entities"]), row["entity_open"],
        (row["date"], *row["also_dates"]), row["date_open"],
    )  # fmt: skip


def _rows(name: str, split: str) -> Iterator[dict[str, Any]]:
    """Yields the lines of a split, `all` for both, in an order that says nothing: in the files, like stands beside like."""
    rows = [json.loads(line) for line in (SETS / f"{name}.jsonl").read_text("utf-8").splitlines()]
    wanted = SPLITS if split == "all" else (split,)
    yield from sorted((row for row in rows if row["split"] in wanted), key=lambda row: (SPLITS.index(row["split"]), short_hash(row["id"])))
