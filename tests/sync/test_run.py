"""Sync: what changes on disk is what changes in the stores, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from brain.sync.graph import dirty_mark, graph_is_current
from brain.sync.run import sync
from brain.sync.space import Space
from brain.vault.journal import Journal
from tests.laws.support import NOW, graph_rows, rebuilt_state, state_of
from tests.sync.support import links, note_id, put


def test_the_first_sync_writes_nothing_into_the_notes(space: Space) -> None:
    put(space, "A.md", "See [[B]].\n")
    put(space, "B.md", "---\ntags: [x]\n---\nHello\n")
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in space.vault.root.rglob("*.md")}
    report = sync(space, now=NOW)
    assert report.notes == 2 and report.added == ("A.md", "B.md") and report.rebuilt
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in space.vault.root.rglob("*.md")} == before


def test_a_sync_with_nothing_new_changes_nothing(space: Space) -> None:
    put(space, "A.md", "a\n")
    first = sync(space, now=NOW)
    again = sync(space, now=NOW)
    assert (again.added, again.changed, again.removed, again.generation) == ((), (), (), first.generation)


def test_a_new_note_settles_the_broken_links_of_others(space: Space) -> None:
    put(space, "A.md", "See [[B]].\n")
    sync(space, now=NOW)
    assert links(space)["[[B]]"] == ("broken", None)
    put(space, "Deep/B.md", "b\n")
    assert sync(space, now=NOW).added == ("Deep/B.md",)
    assert links(space)["[[B]]"] == ("resolved", "Deep/B.md")
    assert len(graph_rows(space)["LINKS"]) == 1


def test_a_second_note_of_that_name_makes_the_link_ambiguous_and_its_removal_settles_it(space: Space) -> None:
    put(space, "A.md", "See [[B]].\n")
    put(space, "x/B.md", "b\n")
    sync(space, now=NOW)
    put(space, "y/B.md", "other\n")
    sync(space, now=NOW)
    assert links(space)["[[B]]"] == ("ambiguous", None)
    assert graph_rows(space)["LINKS"] == []
    (space.vault.root / "x/B.md").unlink()
    sync(space, now=NOW)
    assert links(space)["[[B]]"] == ("resolved", "y/B.md")


def test_a_renamed_note_keeps_its_id_and_the_journal_says_so(space: Space) -> None:
    put(space, "A.md", "unique text\n")
    sync(space, now=NOW)
    before = note_id(space, "A.md")
    os.rename(space.vault.root / "A.md", space.vault.root / "Z.md")
    report = sync(space, now=NOW)
    assert report.moved == (("A.md", "Z.md"),) and report.added == () and report.removed == ()
    assert note_id(space, "Z.md") == before
    assert state_of(space) == rebuilt_state(space)


def test_a_rename_is_seen_by_a_rebuild_too(space: Space) -> None:
    put(space, "A.md", "unique text\n")
    sync(space, now=NOW)
    before = note_id(space, "A.md")
    os.rename(space.vault.root / "A.md", space.vault.root / "Z.md")
    assert sync(space, full=True, now=NOW).moved == (("A.md", "Z.md"),)
    assert note_id(space, "Z.md") == before


def test_an_edit_of_the_same_size_and_mtime_is_seen(space: Space) -> None:
    put(space, "A.md", "one\n")
    sync(space, now=NOW)
    place = space.vault.root / "A.md"
    status = place.stat()
    place.write_text("two\n")
    os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert sync(space, now=NOW).changed == ("A.md",)


def test_files_that_are_no_notes_are_named_with_the_reason(space: Space, tmp_path: Path) -> None:
    put(space, "A.md", "a\n")
    put(space, "A.sync-conflict-20260101-000000-ABC.md", "a\n")
    put(space, "B (Ann's conflicted copy 2026-01-01).md", "b\n")
    (tmp_path / "outside.md").write_text("secret")
    (space.vault.root / "link.md").symlink_to(tmp_path / "outside.md")
    (space.vault.root / "big.md").write_bytes(b"x" * (space.config.limits.note_bytes_max + 1))
    report = sync(space, now=NOW)
    assert report.notes == 1
    assert set(report.skipped) == {
        "A.sync-conflict-20260101-000000-ABC.md", "B (Ann's conflicted copy 2026-01-01).md", "link.md", "big.md",
    }  # fmt: skip


def test_hidden_folders_and_excluded_paths_are_left_out(space: Space) -> None:
    put(space, ".obsidian/x.md", "x\n")
    put(space, "node/.git/x.md", "x\n")
    put(space, "A.MD", "a\n")
    assert sync(space, now=NOW).added == ("A.MD",)


@pytest.mark.parametrize("damage", ["missing", "text", "empty", "truncated", "dirty"])
def test_a_graph_that_cannot_be_trusted_is_made_anew(space: Space, damage: str) -> None:
    put(space, "A.md", "See [[B]].\n")
    put(space, "B.md", "b\n")
    sync(space, now=NOW)
    good = graph_rows(space)
    data = space.graph_path.read_bytes()
    match damage:
        case "missing":
            space.graph_path.unlink()
        case "text":
            space.graph_path.write_text("not a graph")
        case "empty":
            space.graph_path.write_bytes(b"")
        case "truncated":
            space.graph_path.write_bytes(data[: len(data) // 2])
        case _:
            dirty_mark(space).touch()
    put(space, "A.md", "See [[B]] \n")
    sync(space, now=NOW)
    assert len(graph_rows(space)["LINKS"]) == len(good["LINKS"]) == 1
    with space.catalog() as conn:
        assert graph_is_current(space, conn)


def test_an_index_that_is_no_database_is_made_anew(space: Space) -> None:
    put(space, "A.md", "a\n")
    sync(space, now=NOW)
    space.layout.catalog_path.write_bytes(b"garbage" * 1000)
    report = sync(space, now=NOW)
    assert report.rebuilt and report.notes == 1


def test_a_touch_of_any_machine_moves_the_base_of_the_weight(space: Space) -> None:
    put(space, "A.md", "---\ncreated: 2025-01-01\n---\na\n")
    sync(space, now=NOW)
    before = graph_rows(space)["Note"]
    Journal(space.journal.folder, "m-other").append(
        [{"kind": "touched", "at": "2026-05-31T00:00:00.000000Z", "ids": [note_id(space, "A.md")]}]
    )
    sync(space, now=NOW)
    assert graph_rows(space)["Note"] != before
    assert state_of(space) == rebuilt_state(space)


def test_a_copied_note_with_an_id_gets_its_own(space: Space) -> None:
    put(space, "B.md", "---\nid: n-mine\n---\nb\n")
    sync(space, now=NOW)
    put(space, "A.md", "---\nid: n-mine\n---\nb copy\n")
    sync(space, now=NOW)
    assert note_id(space, "A.md") == "n-mine" != note_id(space, "B.md")
    assert state_of(space) == rebuilt_state(space)


def test_names_and_text_that_are_not_utf8_are_read_without_loss_of_the_rest(space: Space) -> None:
    put(space, "A.md", "a\n")
    (space.vault.root / "B.md").write_bytes(b"caf\xe9 and [[A]]\n")
    os.rename(os.fsencode(space.vault.root / "A.md"), os.fsencode(space.vault.root) + b"/A.md")
    with open(os.fsencode(space.vault.root) + b"/bad\xff.md", "wb") as file:
        file.write(b"x\n")
    report = sync(space, now=NOW)
    assert links(space)["[[A]]"] == ("resolved", "A.md")
    assert report.notes == 2 and len(report.skipped) == 1


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be there")
def test_a_name_that_only_this_file_system_allows_is_read_like_any_other(lexical: Space) -> None:
    put(lexical, "Why?.md", "a question about herons\n")
    put(lexical, "2026-03-04 10:30 call.md", "see [[Why?]]\n")
    report = sync(lexical, now=NOW)
    assert report.embedded == 2 and report.waiting_to_embed == 0
    assert lexical.vault.read("Why?.md").text == "a question about herons\n"


def test_a_note_that_is_not_utf8_gets_its_vector(lexical: Space) -> None:
    (lexical.vault.root / "B.md").write_bytes(b"caf\xe9 and herons\n")
    assert sync(lexical, now=NOW).embedded == 1
    assert sync(lexical, now=NOW).generation == sync(lexical, now=NOW).generation


def test_an_id_that_looks_provisional_is_an_id_like_any_other(space: Space) -> None:
    put(space, "A.md", "---\nid: tmp:2\n---\na\n")
    put(space, "B.md", "b\n")
    sync(space, now=NOW)
    assert note_id(space, "A.md") == "tmp:2"


def test_a_lost_matrix_is_filled_again_from_the_cache(lexical: Space) -> None:
    put(lexical, "A.md", "a heron\n")
    put(lexical, "B.md", "a stork\n")
    sync(lexical, now=NOW)
    for matrix in lexical.layout.index.glob("vectors-*.f32"):
        matrix.unlink()
    put(lexical, "A.md", "a heron \n")
    sync(lexical, now=NOW)
    sync(lexical, now=NOW)
    assert state_of(lexical) == rebuilt_state(lexical)


def test_a_journal_record_that_lacks_what_its_kind_needs_is_passed_over(space: Space) -> None:
    put(space, "A.md", "a\n")
    space.journal.append([{"kind": "moved", "at": "2026-05-01T00:00:00.000000Z", "from": "X.md", "to": "A.md"}])
    assert sync(space, now=NOW).notes == 1
    space.journal.records()
    assert [finding.code for finding in space.journal.unreadable] == ["journal-line"]


def test_a_journal_that_lost_a_file_is_folded_anew(space: Space) -> None:
    put(space, "A.md", "---\ncreated: 2025-01-01\n---\na\n")
    sync(space, now=NOW)
    other = Journal(space.journal.folder, "m-other")
    other.append([{"kind": "touched", "at": "2026-05-31T00:00:00.000000Z", "ids": [note_id(space, "A.md")]}])
    sync(space, now=NOW)
    for path in (space.journal.folder / "m-other").iterdir():
        path.write_bytes(b"")
    sync(space, now=NOW)
    assert state_of(space) == rebuilt_state(space)


def test_vectors_that_came_in_while_the_graph_was_made_are_shown_by_the_next_sync(lexical: Space) -> None:
    put(lexical, "A.md", "a heron\n")
    sync(lexical, now=NOW)
    with lexical.catalog() as conn:
        conn.execute("UPDATE vector SET in_graph=0")
    sync(lexical, now=NOW)
    with lexical.catalog() as conn:
        assert conn.execute("SELECT count(*) FROM vector WHERE in_graph=0").fetchone() == (0,)
    assert state_of(lexical) == rebuilt_state(lexical)


def test_each_step_is_told_before_it_begins_and_when_it_is_done(lexical: Space) -> None:
    put(lexical, "A.md", "a heron\n")
    sync(lexical, now=NOW)
    put(lexical, "B.md", "a stork\n")
    told: list[tuple[str, int, int]] = []
    sync(lexical, now=NOW, progress=lambda *step: told.append(step))
    assert [step for step in told if step[0] in ("read", "embed")] == [("read", 0, 1), ("read", 1, 1), ("embed", 0, 1), ("embed", 1, 1)]


def test_a_broken_embedding_cache_is_said(lexical: Space) -> None:
    put(lexical, "A.md", "a heron\n")
    sync(lexical, now=NOW)
    lexical.layout.cache_path.write_bytes(b"not a database at all" * 100)
    report = sync(lexical, full=True, now=NOW)
    assert report.embedded == 1 and "moved to" in report.notices[0]
    lexical.layout.cache_path.write_bytes(b"not a database at all" * 100)
    put(lexical, "B.md", "a stork\n")
    assert "moved to" in sync(lexical, now=NOW).notices[0]
