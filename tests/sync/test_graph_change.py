"""The graph file follows the notes: what is changed in it equals what a rebuild makes, and a file without its log is made anew."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from brain.graph.change import ROWS_BY_COPY_MIN
from brain.graph.engine import KEEP_LOG
from brain.graph.files import log_of
from brain.sync.graph import LOG_BYTES_MAX, graph_is_current
from brain.sync.run import sync
from brain.sync.space import Space
from tests.laws.support import graph_rows, rebuilt_state, space_of, state_of

NOTE = "---\naliases: [{0} too]\ntags: [x]\n---\n# {0}\n\n## Atoms\n- (fact) {0} holds [[N{1}]] (from 2024-01-02)\n\n## Related\n- part_of:: [[N{1}]] - so\n- {2}\n"


def write(space: Space, name: str, text: str) -> None:
    (space.vault.root / f"{name}.md").write_text(text, "utf-8")


@pytest.fixture
def space(tmp_path: Path, engine: str) -> Space:
    found = space_of(tmp_path, engine)
    for number in range(3):
        write(found, f"N{number}", NOTE.format(f"N{number}", (number + 1) % 3, "plain"))
    sync(found)
    return found


def is_current(space: Space) -> bool:
    with space.catalog() as conn:
        return graph_is_current(space, conn)


def test_one_edit_is_seen_by_every_reader_and_only_an_engine_that_replays_it_rightly_keeps_a_log(space: Space) -> None:
    before = space.graph_path.read_bytes()
    write(space, "N0", NOTE.format("Renamed", 2, "an edit"))
    sync(space)
    log = log_of(space.graph_path)
    is_in_log = log.exists() and log.stat().st_size > 0
    assert (is_in_log, space.graph_path.read_bytes() == before) == ((True, True) if space.engine in KEEP_LOG else (False, False))
    assert "Renamed" in str(graph_rows(space)["Note"]) and is_current(space)
    assert state_of(space) == rebuilt_state(space)


def test_what_one_change_made_stands_when_the_next_takes_a_neighbour_away(tmp_path: Path, engine: str) -> None:
    space = space_of(tmp_path / "v", engine)
    space.vault.root.mkdir()
    for number in (1, 2, 3):
        write(space, f"N{number}", "x\n")
    sync(space)
    for number in (1, 2, 3):
        front = f"---\naliases: [shared name, only{number}]\n---\n"
        write(space, f"N{number}", f"{front}- part_of:: [[N1]]\n- [[N2]]\n\n## Atoms\n- a{number} [[N1]] ^k{number}\n")
    sync(space)
    (space.vault.root / "N3.md").unlink()
    sync(space)
    assert state_of(space) == rebuilt_state(space)


@pytest.mark.parametrize("seed", [2, 5, 20])
def test_vectors_follow_edits_renames_and_deletions(tmp_path: Path, engine: str, seed: int) -> None:
    space, chance = space_of(tmp_path / "v", engine, "lexical"), random.Random(seed)
    texts = ["one line\n", "two lines\nhere\n", f"# H\n\none line\n\n## K\n\nmore words {'w ' * 400}\n", "", "---\naliases: [Z]\n---\none line\n"]
    places = [space.vault.root / path for path in ("A.md", "B.md", "x/A.md", "x/B.md", "y/A.md")]
    for place in places:
        place.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(8):
        for _ in range(chance.randint(1, 3)):
            place, what = chance.choice(places), chance.random()
            if what < 0.65:
                place.write_text(chance.choice(texts), "utf-8")
            elif what < 0.8:
                place.unlink(missing_ok=True)
            elif place.exists() and not (other := chance.choice(places)).exists():
                place.rename(other)
        sync(space, embed=chance.random() < 0.7)
    sync(space)
    assert state_of(space) == rebuilt_state(space)


def test_values_that_become_none_or_empty_are_taken_out(space: Space) -> None:
    write(space, "N0", "bare\n")
    write(space, "N3", "bare\n")
    sync(space)
    assert state_of(space) == rebuilt_state(space)


def test_many_changes_at_once_make_the_graph_that_a_rebuild_makes(space: Space) -> None:
    many = ROWS_BY_COPY_MIN + 10
    for number in range(many):
        write(space, f"N{number}", NOTE.format(f"N{number}", (number + 1) % many, "first"))
    sync(space)
    assert state_of(space) == rebuilt_state(space)
    for number in range(many):
        write(space, f"N{number}", NOTE.format(f"M{number}", (number + 2) % many, "second") if number % 5 else "---\nkind: project\n---\nbare\n")
    sync(space)
    assert state_of(space) == rebuilt_state(space)


def test_a_long_log_is_written_into_the_file(space: Space) -> None:
    for number in range(6):
        write(space, "N0", f"---\nnote: {'x' * (LOG_BYTES_MAX // 4)}{number}\n---\nt\n")
        sync(space)
    log = log_of(space.graph_path)
    assert not log.exists() or log.stat().st_size < LOG_BYTES_MAX
    assert state_of(space) == rebuilt_state(space)


@pytest.mark.parametrize("harm", ["lost", "cut", "another"])
def test_a_file_without_the_log_that_belongs_to_it_is_made_anew(space: Space, harm: str) -> None:
    write(space, "N0", NOTE.format("Renamed", 2, "an edit"))
    sync(space)
    log = log_of(space.graph_path)
    known = log.read_bytes() if log.exists() else b""
    log.unlink(missing_ok=True)
    if harm != "lost" or not known:
        log.write_bytes(known[:-20] if harm == "cut" else known + b"more")
    assert is_current(space) is (harm == "cut" and not known)
    sync(space)
    assert is_current(space) and "Renamed" in str(graph_rows(space)["Note"]) and state_of(space) == rebuilt_state(space)


def test_a_path_that_is_a_folder_is_no_graph(space: Space) -> None:
    space.graph_path.unlink()
    space.graph_path.mkdir()
    assert not is_current(space)
