"""Resolution: path, stem, alias, in that order; what is tied is never guessed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.config import Limits
from brain.vault.links import (
    NameRow,
    NameTable,
    Resolution,
    alias_key,
    anchor_found,
    keys_of,
    keys_wanted,
    link_key,
    resolve,
)
from brain.vault.parse import parse_note

LIMITS = Limits()


@pytest.mark.parametrize(
    ("target", "source", "form", "expected"),
    [
        ("todo", "U.md", "wikilink", "todo.md"),
        ("TODO.md", "U.md", "wikilink", "todo.md"),
        ("a/Intro", "b/U.md", "wikilink", "a/Intro.md"),
        ("Intro", "b/U.md", "wikilink", "b/Intro.md"),
        ("Intro", "c/U.md", "wikilink", ["a/Intro.md", "b/Intro.md"]),
        ("deep/Leaf", "U.md", "wikilink", "x/deep/Leaf.md"),
        ("eep/Leaf", "U.md", "wikilink", None),
        ("./Intro", "a/U.md", "wikilink", "a/Intro.md"),
        ("../a/Intro.md", "b/U.md", "markdown", "a/Intro.md"),
        ("../../x", "b/U.md", "markdown", None),
        ("./Leaf", "U.md", "markdown", None),
        ("/a/Intro.md", "b/U.md", "markdown", "a/Intro.md"),
        ("/Intro", "b/U.md", "wikilink", None),
        ("Intro.md", "b/U.md", "markdown", "b/Intro.md"),
        ("Amy Gray", "U.md", "wikilink", "Det.md"),
        ("mandy", "U.md", "wikilink", "Mandy.md"),
        ("AC/DC", "U.md", "wikilink", "Band.md"),
        ("Old plan", "U.md", "wikilink", "new/Old plan.md"),
        ("Gone", "U.md", "wikilink", "Gone.md"),
        ("nothing", "U.md", "wikilink", None),
        ("Root", "c/U.md", "wikilink", "Root.md"),
        ("Café Zoë", "U.md", "wikilink", unicodedata.normalize("NFD", "Café Zoë.md")),
        ("v1.2", "U.md", "wikilink", "v1.2.md"),
    ],
)
def test_a_target_leads_to_one_note_or_to_none(
    target: str, source: str, form: str, expected: str | list[str] | None
) -> None:
    rows = [
        NameRow(0, "todo.md"), NameRow(1, "another-todo.md"), NameRow(2, "sub/my todo.md"), NameRow(3, "a/Intro.md"), NameRow(4, "b/Intro.md"),
        NameRow(5, "x/deep/Leaf.md"), NameRow(6, "Det.md", ("Amy Gray", "Mandy")), NameRow(7, "Mandy.md"), NameRow(8, "Band.md", ("AC/DC",)),
        NameRow(9, "old/Old plan.md", (), "superseded"), NameRow(10, "new/Old plan.md"), NameRow(11, "Gone.md", (), "superseded"),
        NameRow(12, "Root.md"), NameRow(13, "z/Root.md"), NameRow(14, unicodedata.normalize("NFD", "Café Zoë.md")), NameRow(15, "v1.2.md"),
    ]  # fmt: skip
    names = {row.path: row.nid for row in rows}
    found = resolve(NameTable(rows), source, target, form)
    if expected is None:
        assert found == Resolution("broken")
    elif isinstance(expected, list):
        assert found == Resolution("ambiguous", None, tuple(names[path] for path in expected))
    else:
        assert found == Resolution("resolved", names[expected])


@pytest.mark.parametrize(
    ("target", "form", "status"),
    [
        ("", "wikilink", "self"),
        ("https://example.org/", "wikilink", "external"),
        ("https://a.b/c.md", "markdown", "external"),
        ("mailto:a@b.c", "markdown", "external"),
        ("//host/path", "markdown", "external"),
        ("slack:room", "markdown", "external"),
        ("Re:Zero", "wikilink", "broken"),
        ("photo.png", "embed", "asset"),
        ("Board.canvas", "wikilink", "asset"),
        ("../src/main.rs", "markdown", "asset"),
        ("folder/", "markdown", "asset"),
        ("Mr. Smith", "wikilink", "broken"),
        ("gone.md", "markdown", "broken"),
        ("gone", "image", "broken"),
    ],
)
def test_what_is_no_note_has_a_status_of_its_own(target: str, form: str, status: str) -> None:
    assert resolve(NameTable([NameRow(0, "a.md")]), "U.md", target, form) == Resolution(status)  # type: ignore[arg-type]


def test_a_note_named_like_an_asset_is_a_note() -> None:
    assert resolve(NameTable([NameRow(0, "photo.png.md")]), "U.md", "photo.png").nid == 0


def test_two_aliases_are_ambiguous_and_the_live_one_wins() -> None:
    two = [NameRow(0, "B.md", ("X",)), NameRow(1, "A.md", ("x",))]
    assert resolve(NameTable(two), "U.md", "X") == Resolution("ambiguous", None, (1, 0))
    assert resolve(NameTable([two[0], NameRow(1, "A.md", ("x",), "superseded")]), "U.md", "X").nid == 0


def test_of_two_files_that_differ_in_case_the_one_spelt_as_the_link_is_meant() -> None:
    rows = NameTable([NameRow(0, "a.md"), NameRow(1, "A.md")])
    assert [resolve(rows, "U.md", name).nid for name in ("a", "A")] == [0, 1]


@pytest.mark.parametrize(
    ("anchor", "there"),
    [
        ("Cost A.B (net)", True), ("Cost: A.B (net)", True), ("C++ & Go", True), ("Foo Bar", True), ("foo  bar", True), ("Nope", False),
        ("^id-9", True), ("^ID-9", True), ("^id", False), ("Top#C++ & Go", True), ("C++ & Go#Top", False), ("foo--bar", True), ("#", False),
    ],
)  # fmt: skip
def test_an_anchor_is_a_heading_a_path_of_headings_or_a_block(anchor: str, there: bool) -> None:
    note = parse_note(
        "N.md", "# Top\n## Cost: A.B (net)\n### C++ & Go\n## Foo | Bar\ntext ^id-9\n## Foo - Bar\n", LIMITS
    )
    assert anchor_found(anchor, note.headings, note.block_ids) is there


NAMES = st.text(st.sampled_from("aAbé/. "), min_size=1, max_size=6)
PATHS = NAMES.map(lambda name: "/".join(part.strip(" .") or "x" for part in name.split("/")) + ".md")
ROWS = st.lists(
    st.tuples(PATHS, st.lists(NAMES, max_size=2), st.sampled_from(["active", "superseded"])),
    max_size=6,
    unique_by=lambda row: row[0],
)


@given(ROWS, PATHS, NAMES, st.sampled_from(["wikilink", "markdown"]))
def test_a_table_of_the_notes_that_answer_to_the_wanted_keys_resolves_like_the_whole(
    rows: list[tuple[str, list[str], str]], source: str, target: str, form: str
) -> None:
    whole = [NameRow(i, path, tuple(aliases), status) for i, (path, aliases, status) in enumerate(rows)]
    wanted = set(keys_wanted(source, target))
    part = [row for row in whole if wanted & set(keys_of(row.path, row.aliases))]
    assert resolve(NameTable(part), source, target, form) == resolve(NameTable(whole), source, target, form)


@given(ROWS, PATHS, NAMES)
def test_the_order_of_the_table_does_not_matter(
    rows: list[tuple[str, list[str], str]], source: str, target: str
) -> None:
    whole = [NameRow(i, path, tuple(aliases), status) for i, (path, aliases, status) in enumerate(rows)]
    assert resolve(NameTable(whole), source, target) == resolve(NameTable(reversed(whole)), source, target)


def test_the_key_of_a_link_is_the_last_part_of_its_target() -> None:
    note = parse_note("U.md", "[[Folder/Name.md#x|y]] [[#x]] [z](https://a.b)", LIMITS)
    assert [link_key(link) for link in note.links] == ["name", "", ""]
    assert alias_key("AC/DC") == "dc"
    assert keys_of("a/Name.md", ["AC/DC", " Näme "]) == ("dc", "name", "näme")


@pytest.mark.parametrize(
    ("target", "form", "expected"),
    [
        ("a/Boat", "wikilink", "a/Boat.md"), ("a/boat", "wikilink", "a/boat.md"), ("/a/Boat.md", "wikilink", "a/Boat.md"), ("./Boat", "wikilink", "a/Boat.md"),
        ("../A/Boat.md", "markdown", "A/Boat.md"), ("A/Boat", "wikilink", "A/Boat.md"), ("a/BOAT", "wikilink", None),
    ],
)  # fmt: skip
def test_of_paths_that_differ_in_letter_case_alone_the_one_that_is_spelt_is_meant(target: str, form: str, expected: str | None) -> None:
    paths = ["a/Boat.md", "a/boat.md", "A/Boat.md"]
    found = resolve(NameTable(NameRow(nid, path) for nid, path in enumerate(paths)), "a/U.md", target, form)
    assert (paths[found.nid] if found.nid is not None else None) == expected
