"""What the laws compare: the whole graph and catalog of a vault, without row numbers and clocks of the run."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

from brain.config import Config, Embed
from brain.graph.engine import open_graph
from brain.sync.run import sync
from brain.sync.space import Space, open_space

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


class FixedClock:
    def __init__(self, moment: datetime = NOW) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment


def space_of(root: Path, engine: str, embed: str = "none") -> Space:
    config = Config(engine=engine, embed=Embed(model=embed))
    return open_space(root, config, FixedClock(), environ={"BRAIN_MACHINE": "m-test"})


NODES = {
    "Note": "id path title folder type kind status importance confidence created confirmed touched base weight half_life_days"
    " pinned aliases tags properties sha256",
    "Atom": "id text kind confidence status recorded valid_from valid_to superseded_on importance touched base weight"
    " half_life_days pinned line",
    "Token": "token df",
    "Chunk": "id model vector",
}
EDGES = {
    "EDGE": ("Note", "Note", "type raw weight count reason confidence origin valid_from valid_to last_reinforced lines"),
    "LINKS": ("Note", "Note", "raw anchor alias form place relation line"),
    "FORWARDS": ("Note", "Note", ""), "DISTINCT_FROM": ("Note", "Note", ""), "ABOUT": ("Atom", "Note", "ordinal"),
    "FROM": ("Atom", "Note", ""), "MENTIONS": ("Atom", "Note", ""), "REPLACES": ("Atom", "Atom", ""),
    "NAMED": ("Note", "Token", ""), "EMBEDS": ("Chunk", "Note", "ordinal heading line"),
}  # fmt: skip
KEY = {"Token": "token"}


def graph_rows(space: Space) -> dict[str, list[str]]:
    """Every node and relationship of the graph as sorted text."""
    found: dict[str, list[str]] = {}
    with open_graph(space.graph_path, space.engine, read_only=True) as graph:
        for table, columns in NODES.items():
            fields = ", ".join(f"n.{c} AS {c}" for c in columns.split())
            found[table] = sorted(repr(sorted(row.items())) for row in graph.execute(f"MATCH (n:{table}) RETURN {fields}"))
        for table, (source, target, columns) in EDGES.items():
            fields = "".join(f", e.{c} AS {c}" for c in columns.split())
            query = (
                f"MATCH (a:{source})-[e:{table}]->(b:{target})"
                f" RETURN a.{KEY.get(source, 'id')} AS a, b.{KEY.get(target, 'id')} AS b{fields}"
            )
            found[table] = sorted(repr(sorted(row.items())) for row in graph.execute(query))
    return found


def catalog_rows(space: Space) -> dict[str, list[str]]:
    """The catalog by note id instead of row number."""
    queries = {
        "links": "SELECT s.path, l.ordinal, l.raw, l.status, t.path FROM link l JOIN note s USING(nid)"
        " LEFT JOIN note t ON t.nid=l.target_nid",
        "notes": "SELECT path, id, base_id, sha256, title, kind, status, properties FROM note",
        "atoms": "SELECT n.path, a.ordinal, a.id, a.text FROM atom a JOIN note n USING(nid)",
        "findings": "SELECT n.path, f.code, f.line, f.message FROM finding f JOIN note n USING(nid)",
        "skipped": "SELECT path, why FROM skipped",
    }
    with space.catalog() as conn:
        return {name: sorted(repr(row) for row in conn.execute(sql)) for name, sql in queries.items()}


def state_of(space: Space) -> dict[str, list[str]]:
    return graph_rows(space) | catalog_rows(space)


def rebuilt_state(space: Space, *, now: datetime = NOW) -> dict[str, list[str]]:
    """The state after everything derived is deleted and made anew, on a copy beside the vault."""
    copy = space.vault.root.with_name(space.vault.root.name + "-copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(space.vault.root, copy, symlinks=True)
    shutil.rmtree(copy / ".brain" / "index", ignore_errors=True)
    fresh = space_of(copy, space.engine, space.config.embed.model)
    sync(fresh, now=now)
    return state_of(fresh)
