"""The graph file follows the notes: few changes go to the log beside it, many are copied, and a file without its log is made anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.graph.change import ROWS_BY_COPY_MIN
from brain.graph.engine import log_of
from brain.index import catalog
from brain.sync.graph import GROWTH_MAX, LOG_BYTES_MAX, graph_is_current
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


def test_one_edit_goes_to_the_log_and_every_reader_sees_it(space: Space) -> None:
    before = space.graph_path.read_bytes()
    write(space, "N0", NOTE.format("Renamed", 2, "an edit"))
    sync(space)
    assert space.graph_path.read_bytes() == before and log_of(space.graph_path).stat().st_size > 0
    assert "Renamed" in str(graph_rows(space)["Note"]) and is_current(space)
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


@pytest.mark.parametrize("harm", [lambda log: log.unlink(), lambda log: log.write_bytes(log.read_bytes()[:-20])])
def test_a_file_whose_log_was_lost_is_made_anew(space: Space, harm: object) -> None:
    write(space, "N0", NOTE.format("Renamed", 2, "an edit"))
    sync(space)
    assert callable(harm)
    harm(log_of(space.graph_path))
    assert not is_current(space)
    sync(space)
    assert is_current(space) and "Renamed" in str(graph_rows(space)["Note"]) and state_of(space) == rebuilt_state(space)


def test_a_file_that_holes_have_made_large_is_made_anew(space: Space) -> None:
    write(space, "N0", "one\n")
    sync(space)
    with space.catalog() as conn:
        catalog.set_meta(conn, f"graph_generation_{space.engine}-bytes", str(space.graph_path.stat().st_size // GROWTH_MAX - 1))
    write(space, "N0", "two\n")
    sync(space)
    with space.catalog() as conn:
        assert catalog.get_meta(conn, f"graph_generation_{space.engine}-bytes") == str(space.graph_path.stat().st_size)
    assert not log_of(space.graph_path).exists() or not log_of(space.graph_path).stat().st_size
