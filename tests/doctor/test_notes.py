"""Checks of single notes and of names they share: each on a vault that has what it looks for."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from brain.doctor.codes import CODES
from brain.sync.space import Space
from tests.doctor.conftest import Make, brief, index, of, write

MARKED = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"


def test_an_alias_that_is_the_name_of_another_note_is_a_clash(make: Make) -> None:
    space = make({"A.md": "---\naliases: [plan]\n---\n[[B]]\n", "Plan.md": "x\n", "B.md": "---\naliases: [Alone]\n---\nx\n"})
    (found,) = of(space, "alias-clash")
    assert found.path == "A.md"
    assert "links by that name mean Plan.md" in found.message


def test_an_alias_of_three_notes_is_a_clash_of_each_said_once(make: Make) -> None:
    space = make(dict.fromkeys(("A.md", "B.md", "C.md"), "---\naliases: [Boss]\n---\n"))
    assert [found.path for found in of(space, "alias-clash")] == ["A.md", "B.md", "C.md"]
    assert of(space, "alias-clash")[0].message == "Its alias 'Boss' is the alias of B.md, C.md too; links by that name are ambiguous."


def test_an_alias_that_a_superseded_note_keeps_is_no_clash(make: Make) -> None:
    space = make({"A.md": "---\naliases: [Boss]\n---\n", "B.md": "---\naliases: [Boss]\nstatus: superseded\n---\n[[A]]\n"})
    assert of(space, "alias-clash") == []


def test_orphans_are_exactly_the_notes_without_a_link_to_or_from_another(make: Make) -> None:
    space = make(
        {
            "From.md": "[[To]]\n", "To.md": "x\n", "Self.md": "[[Self]]\n", "Alone.md": "x\n", "Broken.md": "[[Nobody]]\n",
            "Picture.md": "![[cat.png]]\n", "Web.md": "<https://pages.invalid>\n", "Code.md": "`[[To]]`\n",
            "Related.md": "---\nrelated: '[[To]]'\n---\n", "Aliased.md": "---\naliases: [Nick]\n---\n", "By alias.md": "[[Nick]]\n",
            "Torn.md": "[[Twin]]\n", "x/Twin.md": "x\n", "y/Twin.md": "x\n", "Quoted/Deep.md": "[up](../To.md#x)\n",
        }
    )  # fmt: skip
    with space.catalog() as conn:
        pairs = conn.execute("SELECT s.path, t.path FROM link l JOIN note s USING(nid) JOIN note t ON t.nid=l.target_nid").fetchall()
        paths = {path for (path,) in conn.execute("SELECT path FROM note")}
    linked = {path for pair in pairs if pair[0] != pair[1] for path in pair}
    found = [finding.path for finding in of(space, "orphan")]
    assert found == sorted(paths - linked)
    assert found == ["Alone.md", "Broken.md", "Code.md", "Picture.md", "Self.md", "Torn.md", "Web.md", "x/Twin.md", "y/Twin.md"]


def test_a_vault_without_links_says_so_once(make: Make) -> None:
    space = make({f"{number}.md": "x\n" for number in range(60)})
    (found,) = of(space, "orphan")
    assert (found.severity, found.path) == ("info", "") and found.message.startswith("60 of 60 notes have no link")
    for number in range(40):
        write(space.vault.root, f"{number}.md", f"[[{(number + 1) % 40}]]\n")
    index(space)
    assert [finding.path for finding in of(space, "orphan")] == [f"{number}.md" for number in range(40, 60)]


def test_marks_of_a_merge_are_an_error_on_their_line(make: Make) -> None:
    space = make({"A.md": f"---\nkind: note\n---\none\n{MARKED}"})
    (found,) = of(space, "conflict-marks")
    assert (found.severity, found.path, found.line) == ("error", "A.md", 5)
    assert "between lines 5 and 9" in found.cure
    write(space.vault.root, "A.md", "---\nkind: note\n---\none\nb\n")
    index(space)
    assert of(space, "conflict-marks") == []


@pytest.mark.parametrize(
    "text", ["Title\n=======\ntext <<<<<<< here\n", f"An example:\n\n```\n{MARKED}```\n", "<<<<<<< \n\nonly one mark\n", f"`{MARKED.splitlines()[0]}`\n"]
)
def test_what_only_looks_like_a_merge_is_none(make: Make, text: str) -> None:
    assert of(make({"A.md": text}), "conflict-marks") == []


def test_marks_around_a_fence_are_found(make: Make) -> None:
    assert len(of(make({"A.md": "<<<<<<< HEAD\n```\na\n=======\n```\nb\n>>>>>>> other\n"}), "conflict-marks")) == 1


@pytest.mark.parametrize("copy", ["A.sync-conflict-20260101-120000-ABCDEFG.md", "A (Ada's conflicted copy 2026-01-01).md", "A (Case Conflict).md"])
def test_a_second_copy_left_by_a_syncer_is_named_and_cured_by_what_it_says(make: Make, copy: str) -> None:
    space = make({"it's/A.md": "a\n", f"it's/{copy}": "b\n"})
    (found,) = of(space, "conflict-copy")
    assert (found.severity, found.path) == ("warning", f"it's/{copy}")
    shown, removed = found.cure.split(", keep what you want in")
    assert typed(space, shown) == "1c1\n< a\n---\n> b\n"
    typed(space, removed.partition("then ")[2])
    index(space)
    assert of(space, "conflict-copy") == []


def test_a_second_copy_without_its_note_takes_the_name(make: Make) -> None:
    space = make({"A.sync-conflict-20260101-120000-ABCDEFG.md": "b\n"})
    typed(space, of(space, "conflict-copy")[0].cure)
    index(space)
    assert [finding.path for finding in of(space, "orphan")] == ["A.md"]


def test_a_file_that_is_too_large_is_named_with_the_limit_that_takes_it_in(make: Make) -> None:
    space = make({"Large.md": "x" * 4_000_001, "node_modules/Readme.md": "x\n"})
    (found,) = of(space, "oversized-note")
    assert (found.severity, found.path) == ("warning", "Large.md")
    assert of(space, "skipped-file") == []
    wider = with_limits(space, found.cure)
    index(wider)
    assert of(wider, "oversized-note") == []


def test_a_note_of_which_pieces_have_no_vector_is_named_with_the_limit_that_takes_them_in(make: Make) -> None:
    whole = make({"Long.md": "A sentence of some words. " * 200, "Short.md": "x\n"}, embed="lexical")
    narrow = replace(whole, config=replace(whole.config, limits=replace(whole.config.limits, chunks_per_note_max=3)))
    index(narrow)
    (found,) = of(narrow, "oversized-note")
    assert (found.severity, found.path) == ("info", "Long.md")
    wider = with_limits(narrow, found.cure)
    index(wider)
    assert of(wider, "oversized-note") == []
    with wider.catalog() as conn:
        assert conn.execute("SELECT count(*) FROM chunk JOIN note USING(nid) WHERE path='Long.md'").fetchone()[0] == wider.config.limits.chunks_per_note_max


def test_a_note_with_just_as_many_pieces_as_may_be_lacks_none(make: Make) -> None:
    space = make({"Short.md": "One piece.\n"}, embed="lexical")
    exact = replace(space, config=replace(space.config, limits=replace(space.config.limits, chunks_per_note_max=1)))
    index(exact)
    assert of(exact, "oversized-note") == []


def test_a_note_that_is_a_link_is_skipped_and_says_so(make: Make, tmp_path: Path) -> None:
    space = make({"A.md": "x\n"})
    (space.vault.root / "B.md").symlink_to(tmp_path / "elsewhere.md")
    index(space)
    assert brief(space, "skipped-file") == [("warning", "B.md", 0)]


def test_paths_that_differ_only_in_case_are_twins(make: Make, tmp_path: Path) -> None:
    (tmp_path / "probe").touch()
    if (tmp_path / "PROBE").exists():
        pytest.skip("this file system holds only one of them")
    space = make({"Plan.md": "a\n", "plan.md": "b\n"})
    (found,) = of(space, "case-twin")
    assert (found.path, "Plan.md" in found.message) == ("plan.md", True)
    typed(space, found.cure.partition(", or")[0])
    index(space)
    assert of(space, "case-twin") == []


def test_an_id_that_two_notes_declare_is_named_once(make: Make) -> None:
    space = make({"A.md": "---\nid: n-1\n---\n", "B.md": "---\nid: n-1\n---\n"})
    (found,) = of(space, "duplicate-id")
    assert (found.path, found.cure) == ("B.md", 'take the line id: n-1 out of "B.md"')
    write(space.vault.root, "B.md", "---\n---\n")
    index(space)
    assert of(space, "duplicate-id") == []


def test_a_block_id_of_claims_in_two_notes_is_named(make: Make) -> None:
    atoms = "## Atoms\n- (fact, verified) It is so. ^a-7f3k2\n"
    space = make({"A.md": f"# A\n\n{atoms}", "B.md": f"# B\n\n{atoms}"})
    assert brief(space, "duplicate-block-id") == [("warning", "B.md", 4)]
    write(space.vault.root, "B.md", f"# B\n\n{atoms.replace('7f3k2', '7f3k3')}")
    index(space)
    assert of(space, "duplicate-block-id") == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("---\ntitle: [\n---\n", "frontmatter-invalid"), ("---\n- a\n---\n", "frontmatter-not-mapping"), ("---\nkind: note\n\ntext\n", "frontmatter-unterminated"),
        ("---\nkind: note\nkind: note\n---\n", "duplicate-key"), ("caf\udce9\n", "encoding"), (f"---\na: {'x' * 65_000}\n---\n", "frontmatter-too-large"),
        ("---\na: 1\n---\n---\nb: 2\n---\ntext\n", "second-frontmatter"),
        ("---\na: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
         "d: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n---\n", "frontmatter-too-complex"),
        ("## Atoms\n- (fact) One. ^a-1\n- (fact) Two. ^a-1\n", "duplicate-atom-id"),
    ],
    ids=lambda value: value if value in CODES else "",
)  # fmt: skip
def test_what_parsing_found_is_handed_on(make: Make, text: str, code: str) -> None:
    assert [found.path for found in of(make({"A.md": text}), code)] == ["A.md"]


def typed(space: Space, command: str) -> str:
    """Runs a cure as a person would type it, in the vault's folder."""
    return subprocess.run(["sh", "-c", command], cwd=space.vault.root, capture_output=True, text=True, check=False).stdout


def with_limits(space: Space, cure: str) -> Space:
    """The vault with the setting that a cure says to write."""
    written = re.search(r"write (\w+) = (\d+) under \[limits\] in brain.toml", cure)
    assert written
    return replace(space, config=replace(space.config, limits=replace(space.config.limits, **{written[1]: int(written[2])})))
