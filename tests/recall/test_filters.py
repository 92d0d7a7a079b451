"""Filters: what passes, and what is said of what does not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

NOW = datetime(2031, 1, 1, tzinfo=UTC)


@pytest.fixture
def notes(catalog):
    catalog.note("Memory/People/Ada.md", "spruce\n", kind="person", tags=("club/chess", "Oslo"), created="2030-05-01")
    catalog.note("Memory/Plan.md", "spruce\n", kind="project", tags=("club",), created="2028-01-01")
    catalog.note("MemoryLane/Old.md", "spruce\n", status="stale", dated="2027-06-01", created="2030-12-01")
    catalog.note("Bare.md", "spruce\n")
    return catalog


def paths(catalog, **query):
    return sorted(catalog.paths("spruce", **query))


def test_without_filters_everything_is_shown(notes):
    assert len(paths(notes)) == 4


@pytest.mark.parametrize("kind", ["person", "Person", "people", "human"])
def test_a_kind_and_its_synonyms(notes, kind):
    assert paths(notes, kinds=(kind,)) == ["Memory/People/Ada.md"]


def test_several_kinds_are_alternatives(notes):
    assert paths(notes, kinds=("person", "project")) == ["Memory/People/Ada.md", "Memory/Plan.md"]


def test_an_unknown_kind_is_not_the_plain_note(notes):
    assert paths(notes, kinds=("unicorn",)) == []
    assert paths(notes, kinds=("note",)) == ["Bare.md", "MemoryLane/Old.md"]


def test_a_status(notes):
    assert paths(notes, statuses=("stale",)) == ["MemoryLane/Old.md"]


def test_a_tag_holds_for_the_tags_below_it_in_any_case(notes):
    assert paths(notes, tags=("club",)) == ["Memory/People/Ada.md", "Memory/Plan.md"]
    assert paths(notes, tags=("#Club/Chess",)) == ["Memory/People/Ada.md"]
    assert paths(notes, tags=("clu",)) == []


def test_several_tags_must_all_be_there(notes):
    assert paths(notes, tags=("club", "oslo")) == ["Memory/People/Ada.md"]


@pytest.mark.parametrize("folder", ["Memory", "memory/", "/Memory"])
def test_a_folder_is_not_a_mere_beginning_of_a_name(notes, folder):
    assert paths(notes, folder=folder) == ["Memory/People/Ada.md", "Memory/Plan.md"]


def test_the_root_folder_holds_everything(notes):
    assert len(paths(notes, folder="/")) == 4


def test_since_goes_by_the_day_the_note_is_from_else_its_file(notes):
    assert paths(notes, since="2030-01-01") == ["Bare.md", "Memory/People/Ada.md"]


def test_as_of_leaves_out_what_came_later(notes):
    assert paths(notes, as_of="2029-01-01") == ["Bare.md", "Memory/Plan.md", "MemoryLane/Old.md"]


def test_as_of_a_day_before_the_successor_the_old_note_still_holds(notes):
    old = notes.note("Office old.md", "office larch\n", status="superseded", created="2029-01-01")
    new = notes.note("Office.md", "office larch moved\n", created="2030-01-01")
    notes.link(old, new, "superseded_by")
    assert notes.paths("larch", as_of="2029-06-01") == ["Office old.md"]
    assert notes.paths("larch", as_of="2030-06-01") == ["Office.md"]


def test_what_the_filters_took_out_is_counted_and_named(notes):
    answer = notes.search("spruce", kinds=("person",))
    assert answer.filtered_out == 3
    empty = notes.search("spruce", folder="Nowhere", kinds=("person", "project"))
    assert empty.hits == ()
    assert empty.why_empty == "4 notes matched, but the filters leave none: 2 outside the folder, 2 of another kind."


def test_a_filter_reaches_past_the_candidates_that_would_be_read(catalog):
    for n in range(300):
        catalog.note(f"Inbox/{n}.md", "spruce spruce spruce\n")
    catalog.note("Deep/One.md", "a long text that says spruce once, among many other words about other things\n")
    assert catalog.paths("spruce", folder="Deep") == ["Deep/One.md"]
