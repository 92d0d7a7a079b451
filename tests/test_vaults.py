"""Real vaults, written by others: every note of them is indexed, nothing breaks, no byte of them moves."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from brain.config import Config, Embed
from brain.graph.reader import GraphReader
from brain.sync.run import sync
from brain.sync.space import Space, open_space

FOLDER = Path(os.environ.get("BRAIN_FIXTURES", Path(__file__).parents[2] / "shared")) / "vaults"
NOTES_MAX = 1_200
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def markdown_files(root: Path) -> Iterator[str]:
    """Every Markdown file under a folder, whatever lies above it."""
    for folder, _, names in os.walk(root):
        yield from (os.path.relpath(os.path.join(folder, name), root) for name in names if name.lower().endswith(".md"))


def vaults() -> list[object]:
    found = []
    for place in sorted(FOLDER.iterdir()) if FOLDER.is_dir() else []:
        count = sum(1 for _ in markdown_files(place)) if place.is_dir() else 0
        if 0 < count <= NOTES_MAX:
            found.append(pytest.param(place, id=place.name))
    return found


@pytest.fixture(params=vaults())
def space(request: pytest.FixtureRequest, tmp_path: Path, engine: str) -> Space:
    root = tmp_path / "vault"
    shutil.copytree(request.param, root, symlinks=True)
    return open_space(root, Config(engine=engine, embed=Embed(model="none")), environ={"BRAIN_MACHINE": "m-test"})


def test_a_vault_of_someone_else_is_indexed_whole_and_left_as_it_was(space: Space) -> None:
    before = bytes_of(space.vault.root)
    report = sync(space, now=NOW)
    assert set(report.added) == expected_notes(space.vault.root) and report.notes == len(report.added)
    assert report.skipped == {path: why for path, why in report.skipped.items() if is_set_aside(space.vault.root, path)}
    assert bytes_of(space.vault.root) == before


def test_its_graph_holds_every_note_and_link_and_a_second_look_changes_nothing(space: Space) -> None:
    first = sync(space, now=NOW)
    with space.catalog() as conn:
        (resolved,) = conn.execute("SELECT count(*) FROM link WHERE status='resolved' AND edge_type IS NULL").fetchone()
        unsettled = conn.execute("SELECT raw, status, target_nid FROM link WHERE (status='resolved') <> (target_nid IS NOT NULL)").fetchall()
    with GraphReader(space).session() as graph:
        assert graph.execute("MATCH (n:Note) RETURN count(*) AS n")[0]["n"] == first.notes
        assert graph.execute("MATCH (:Note)-[l:LINKS]->(:Note) RETURN count(*) AS n")[0]["n"] >= resolved > 0
    assert unsettled == []
    again = sync(space, now=NOW)
    assert (again.generation, again.added, again.changed, again.removed) == (first.generation, (), (), ())


def expected_notes(root: Path) -> set[str]:
    """Markdown files that are no hidden file, no link, no conflict copy, and in no hidden or dependency folder."""
    return {path for path in markdown_files(root) if not is_hidden(path) and not is_set_aside(root, path)}


def is_hidden(path: str) -> bool:
    return any(part.startswith(".") or part == "node_modules" for part in path.split("/"))


def is_set_aside(root: Path, path: str) -> bool:
    name = path.rsplit("/", 1)[-1].lower()
    return (root / path).is_symlink() or "conflicted copy" in name or ".sync-conflict-" in name


def bytes_of(root: Path) -> dict[str, str]:
    """Hash of every file but those the product keeps in `.brain`."""
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".brain"]
        for name in names:
            place = Path(folder, name)
            found[str(place.relative_to(root))] = "link" if place.is_symlink() else hashlib.sha256(place.read_bytes()).hexdigest()
    return found
