"""What doctor finds: each check on a vault that has what it looks for, and silence where all is well."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from brain.core.finding import Finding
from brain.doctor.checks import examine
from brain.doctor.codes import CODES
from brain.doctor.state import status_of
from brain.sync.run import sync
from brain.sync.space import Space
from tests.laws.support import NOW, space_of

BRAIN = Path(__file__).resolve().parents[2] / "brain"
Make = Callable[..., Space]


@pytest.fixture
def make(tmp_path: Path, engine: str) -> Make:
    """Writes notes and indexes them."""

    def made(notes: dict[str, str], embed: str = "none") -> Space:
        for path, text in notes.items():
            (tmp_path / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "vault" / path).write_bytes(text.encode("utf-8", "surrogateescape"))
        space = space_of(tmp_path / "vault", engine, embed)
        sync(space, now=NOW, embed=False)
        return space

    return made


def of(space: Space, code: str) -> list[Finding]:
    return [finding for finding in examine(space) if finding.code == code]


def test_a_vault_in_order_has_no_findings(make: Make) -> None:
    assert examine(make({"A.md": "[[B]]\n", "B.md": "Hello.\n"})) == ()


def test_every_code_that_is_used_is_in_the_list_and_every_code_of_the_list_is_used() -> None:
    assert codes_in_source() == set(CODES)


def test_a_broken_link_is_named_with_its_line(make: Make) -> None:
    (found,) = of(make({"A.md": "one\n\n[[Nobody]]\n"}), "broken-link")
    assert (found.severity, found.path, found.line) == ("error", "A.md", 3)


def test_an_ambiguous_link_comes_with_targets_to_paste(make: Make) -> None:
    space = make({"A.md": "[[Plan]]\n", "x/Plan.md": "x\n", "y/Plan.md": "y\n"})
    (found,) = of(space, "ambiguous-link")
    assert found.cure == 'write [[x/Plan]] or [[y/Plan]] in "A.md"'
    (space.vault.root / "A.md").write_text("[[y/Plan]]\n", "utf-8")
    sync(space, now=NOW)
    assert of(space, "ambiguous-link") == []


def test_an_alias_that_is_the_name_of_another_note_is_a_clash(make: Make) -> None:
    space = make({"A.md": "---\naliases: [plan]\n---\n[[B]]\n", "Plan.md": "x\n", "B.md": "---\naliases: [Alone]\n---\nx\n"})
    (found,) = of(space, "alias-clash")
    assert found.path == "A.md"
    assert "links by that name mean Plan.md" in found.message


def test_an_alias_of_two_notes_is_a_clash_of_both(make: Make) -> None:
    space = make({"A.md": "---\naliases: [Boss]\n---\n", "B.md": "---\naliases: [boss]\n---\n"})
    assert [found.path for found in of(space, "alias-clash")] == ["A.md", "B.md"]
    assert all("are ambiguous" in found.message for found in of(space, "alias-clash"))


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


def test_marks_of_a_merge_are_found_on_their_line_but_not_a_rule_of_equal_signs(make: Make) -> None:
    marked = "---\nkind: note\n---\none\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"
    space = make({"A.md": marked, "B.md": "Title\n=======\ntext <<<<<<< here\n"})
    assert [(f.path, f.line) for f in of(space, "conflict-marks")] == [("A.md", 5)]


def test_a_second_copy_left_by_a_syncer_is_named(make: Make) -> None:
    space = make({"A.md": "a\n", "A.sync-conflict-20260101-120000-ABCDEFG.md": "b\n"})
    (found,) = of(space, "conflict-copy")
    assert "A.sync-conflict" in found.path


def test_a_file_that_is_too_large_is_named_and_an_excluded_one_is_not(make: Make) -> None:
    space = make({"Large.md": "x" * 4_000_001, "node_modules/Readme.md": "x\n"})
    assert [found.path for found in of(space, "skipped-file")] == ["Large.md"]


def test_paths_that_differ_only_in_case_are_twins(make: Make, tmp_path: Path) -> None:
    (tmp_path / "probe").touch()
    if (tmp_path / "PROBE").exists():
        pytest.skip("this file system holds only one of them")
    (found,) = of(make({"Plan.md": "a\n", "plan.md": "b\n"}), "case-twin")
    assert (found.path, "Plan.md" in found.message) == ("plan.md", True)


def test_ids_that_two_notes_declare_are_named_once(make: Make) -> None:
    (found,) = of(make({"A.md": "---\nid: n-1\n---\n", "B.md": "---\nid: n-1\n---\n"}), "duplicate-id")
    assert "n-1" in found.message


def test_block_ids_of_claims_that_stand_in_two_notes_are_named(make: Make) -> None:
    atoms = "## Atoms\n- (fact, verified) It is so. ^a-7f3k2\n"
    (found,) = of(make({"A.md": f"# A\n\n{atoms}", "B.md": f"# B\n\n{atoms}"}), "duplicate-block-id")
    assert (found.path, found.line) == ("B.md", 4)


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


def test_a_changed_file_puts_the_index_behind(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    (space.vault.root / "B.md").write_text("longer than before\n", "utf-8")
    (found,) = examine(space)
    assert (found.code, found.cure) == ("index-behind", "brain index")
    assert status_of(space).index == "behind"


def test_texts_without_a_vector_wait(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"}, embed="lexical")
    (found,) = of(space, "vectors-waiting")
    assert found.message.startswith("2 pieces")
    sync(space, now=NOW)
    assert examine(space) == ()


def test_a_missing_graph_is_behind(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    space.graph_path.unlink()
    assert {found.code for found in examine(space)} <= {"graph-behind", "index-behind"}
    assert examine(space)
    sync(space, now=NOW)
    assert examine(space) == ()


@pytest.mark.parametrize("store", ["catalog", "graph"])
def test_a_store_that_cannot_be_read_is_an_error_and_rebuild_cures_it(make: Make, store: str) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    place = space.layout.catalog_path if store == "catalog" else space.graph_path
    place.write_bytes(b"this is something else entirely\n" * 300)
    broken = of(space, "index-broken")
    assert [(found.severity, found.cure) for found in broken] == [("error", "brain rebuild")]
    sync(space, now=NOW, full=True)
    assert examine(space) == ()


def test_a_line_of_the_journal_that_is_no_record_is_named(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    place = space.layout.journal / "m-other" / "2026-01.jsonl"
    place.parent.mkdir(parents=True)
    place.write_text('{"kind": "touched", "at": "2026-01-01T00:00:00Z", "ids": []}\nnot a record\n', "utf-8")
    assert [(f.path, f.line) for f in of(space, "journal-line")] == [("2026-01.jsonl", 2)]


def test_a_vault_without_an_index_says_only_that(tmp_path: Path, engine: str) -> None:
    space = space_of(tmp_path, engine)
    assert [found.code for found in examine(space)] == ["not-indexed"]
    assert not any(tmp_path.iterdir())


def test_findings_are_sorted_known_and_cured(make: Make) -> None:
    space = make({"A.md": "[[Nobody]]\n[[Plan]]\n", "x/Plan.md": "---\n- a\n---\n", "y/Plan.md": "caf\udce9\n", "Z.md": "<<<<<<< a\n=======\n>>>>>>> b\n"})
    found = examine(space)
    assert found == examine(space)
    assert [f.severity for f in found] == sorted((f.severity for f in found), key=("error", "warning", "info").index)
    assert {f.code for f in found} >= {"broken-link", "ambiguous-link", "frontmatter-not-mapping", "encoding", "conflict-marks", "orphan"}
    assert [f for f in found if f.code not in CODES or not f.cure.strip() or not f.message.endswith(".")] == []


def test_doctor_writes_nothing(make: Make) -> None:
    space = make({"A.md": "[[Nobody]]\n"})
    before = {path: path.read_bytes() for path in space.vault.root.rglob("*") if path.is_file()}
    examine(space)
    status_of(space)
    assert {path: path.read_bytes() for path in space.vault.root.rglob("*") if path.is_file()} == before


def codes_in_source() -> set[str]:
    """Every word that source gives a finding (or a frontmatter problem) as its code."""
    found = set()
    for path in BRAIN.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and name in ("Finding", "Problem", "BadYaml") and node.args and isinstance(node.args[0], ast.Constant):
                found.add(str(node.args[0].value))
        if path.name in ("frontmatter.py", "properties.py"):
            found |= set(re.findall(r'"(frontmatter-[a-z-]+)"', path.read_text("utf-8")))
    return found
