"""A link by bare name gets the path of the note it means when a second note has that name; nothing else moves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.config import Limits
from brain.core.plan import Applied
from brain.doctor.checks import examine
from brain.stages import qualify
from brain.stages.diff import diff_of
from brain.stages.qualify import qualified
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import Vault, make_vault

INCUMBENT = {"x/Plan.md": "The plan.\n"}


def named(vault: Vault) -> set[str]:
    """Notes in which doctor finds a bare link."""
    return {finding.path for finding in examine(vault.space) if finding.code == "bare-link"}


def leads(vault: Vault) -> list[tuple[str, str, str | None]]:
    """Every link with its status and the note it leads to."""
    with vault.space.catalog() as conn:
        return conn.execute(
            "SELECT s.path, l.status, t.path FROM link l JOIN note s USING(nid) LEFT JOIN note t ON t.nid=l.target_nid ORDER BY s.path, l.ordinal"
        ).fetchall()


def test_links_get_the_path_of_the_incumbent_before_the_newcomer_is_indexed(make: Make) -> None:
    vault = make({**INCUMBENT, "A.md": "[[Plan]], [[plan|ours]] and ![[Plan#Goals]].\r\n"})
    vault.write("y/Plan.md", "Another.\n")
    report = qualify.run(vault.ctx)
    assert (report.found, report.left_out, len(report.applied), report.failed) == (1, 0, 1, ())
    assert vault.text("A.md") == "[[x/Plan]], [[x/Plan|ours]] and ![[x/Plan#Goals]].\r\n"
    vault.index()
    assert leads(vault) == [("A.md", "resolved", "x/Plan.md")] * 3
    assert named(vault) == set()


def test_a_dry_run_shows_the_same_and_writes_nothing(make: Make) -> None:
    vault = make({**INCUMBENT, "A.md": "[[Plan]]\n", "x/B.md": "[[Plan]]\n"})
    vault.write("y/Plan.md", "Another.\n")
    before = vault.bytes()
    shown = diff_of(qualify.run(vault.ctx, dry_run=True).receipts)
    assert vault.bytes() == before
    qualify.run(vault.ctx)
    assert shown.count("+[[x/Plan]]") == 2
    assert (vault.text("A.md"), vault.text("x/B.md")) == ("[[x/Plan]]\n", "[[x/Plan]]\n")


def test_undo_gives_every_byte_back_and_the_links_are_left_from_then_on(make: Make) -> None:
    vault = make({**INCUMBENT, "A.md": "[[Plan]]\n", "x/B.md": "[[Plan]]\n"})
    vault.write("y/Plan.md", "Another.\n")
    before = vault.bytes()
    run = qualify.run(vault.ctx).run
    undo(vault.ctx, run)
    assert vault.bytes() == before
    assert named(vault) == set()
    again = qualify.run(vault.ctx)
    assert again.receipts == () and "a person took that back before: A.md, x/B.md" in again.notices[0]


def test_a_second_run_plans_nothing(make: Make) -> None:
    vault = make({**INCUMBENT, "A.md": "[[Plan]]\n"})
    vault.write("y/Plan.md", "Another.\n")
    qualify.run(vault.ctx)
    assert qualify.run(vault.ctx).receipts == ()


def test_an_ambiguous_link_is_never_guessed(make: Make) -> None:
    vault = make({**INCUMBENT, "y/Plan.md": "Another.\n", "A.md": "[[Plan]]\n"})
    assert (qualify.run(vault.ctx).receipts, vault.text("A.md")) == ((), "[[Plan]]\n")


def test_a_link_that_leads_to_its_neighbour_only_by_its_place_says_so(make: Make) -> None:
    vault = make({**INCUMBENT, "y/Plan.md": "Another.\n", "x/A.md": "[[Plan]]\n", "y/B.md": "[[Plan]]\n"})
    assert named(vault) == {"x/A.md", "y/B.md"}
    qualify.run(vault.ctx)
    assert (vault.text("x/A.md"), vault.text("y/B.md")) == ("[[x/Plan]]\n", "[[y/Plan]]\n")


def test_a_note_that_links_two_doubled_names_is_planned_once_for_each(make: Make) -> None:
    vault = make({**INCUMBENT, "x/Goals.md": "The goals.\n", "A.md": "[[Plan]] [[Goals]]\n"})
    vault.write("y/Plan.md", "Another.\n")
    vault.write("y/Goals.md", "Others.\n")
    assert len(qualify.run(vault.ctx, dry_run=True).applied) == 2
    report = qualify.run(vault.ctx)
    assert (len(report.applied), vault.text("A.md")) == (2, "[[x/Plan]] [[x/Goals]]\n")
    undo(vault.ctx, report.applied[-1].item)
    assert vault.text("A.md") == "[[Plan]] [[x/Goals]]\n"


@pytest.mark.parametrize(
    ("incumbent", "linker", "why"),
    [
        ("Plan.md", "[[Plan]]\n", "at the top of the vault"), ("x [1]/Plan.md", "[[Plan]]\n", "cannot be written in a link"),
        ("x# y/Plan.md", "[[Plan]]\n", "cannot be written in a link"), (" x/Plan.md", "[[Plan]]\n", "cannot be written in a link"),
        ("x/Plan.md", "---\ntype: episode\n---\n[[Plan]]\n", "episodes"), ("x/Plan.md", "---\nstatus: superseded\n---\n[[Plan]]\n", "no longer current"),
        ("x/Plan.md", "---\nrelated: '[[Plan]]'\n---\n", "only wikilinks"), ("x/Plan.md", "[Plan](Plan.md)\n", "only wikilinks"),
    ],
)  # fmt: skip
def test_what_cannot_be_qualified_stays_and_is_accounted_for(make: Make, incumbent: str, linker: str, why: str) -> None:
    vault = make({incumbent: "The plan.\n", "A.md": linker})
    vault.write("y/Plan.md", "Another.\n")
    report = qualify.run(vault.ctx)
    assert report.receipts == () and vault.text("A.md") == linker
    (notice,) = report.notices
    assert why in notice and notice.endswith(": A.md.")
    assert named(vault) == set()


def test_a_generated_note_is_not_rewritten(make: Make) -> None:
    vault = make({**INCUMBENT, "Timeline/2026-05-01.md": "[[Plan]]\n"})
    vault.write("y/Plan.md", "Another.\n")
    assert qualify.run(vault.ctx).receipts == ()


@pytest.mark.parametrize("text", ["`[[Plan]]`\n", "```\n[[Plan]]\n```\n", "[[x/Plan]]\n", "[[Nick]]\n", "[x](x/Plan.md)\n"])
def test_code_paths_and_aliases_are_none_of_it(make: Make, text: str) -> None:
    vault = make({"x/Plan.md": "---\naliases: [Nick]\n---\n", "A.md": text})
    vault.write("y/Plan.md", "Another.\n")
    report = qualify.run(vault.ctx)
    assert (report.found, report.receipts, report.notices, vault.text("A.md")) == (0, (), (), text)


def test_a_move_is_no_collision(make: Make) -> None:
    vault = make({**INCUMBENT, "A.md": "[[Plan]]\n"})
    (vault.root / "y").mkdir()
    (vault.root / "x/Plan.md").rename(vault.root / "y/Plan.md")
    assert qualify.run(vault.ctx).found == 0


def test_a_namesake_that_was_deleted_takes_no_name_any_more(make: Make) -> None:
    vault = make({**INCUMBENT, "y/Plan.md": "Another.\n", "x/A.md": "[[Plan]]\n"})
    (vault.root / "y/Plan.md").unlink()
    assert qualify.run(vault.ctx).found == 0


def test_two_newcomers_of_one_name_have_no_incumbent(make: Make) -> None:
    vault = make({"A.md": "[[Plan]]\n"})
    vault.write("x/Plan.md", "One.\n")
    vault.write("y/Plan.md", "Another.\n")
    assert qualify.run(vault.ctx).found == 0


def test_a_linker_that_was_edited_since_is_left_alone_and_named(make: Make) -> None:
    vault = make({**INCUMBENT, "A.md": "[[Plan]]\n", "B.md": "[[Plan]]\n"})
    vault.write("y/Plan.md", "Another.\n")
    vault.write("A.md", "Edited. [[Plan]]\n")
    report = qualify.run(vault.ctx)
    assert (vault.text("A.md"), vault.text("B.md")) == ("Edited. [[Plan]]\n", "[[x/Plan]]\n")
    assert report.notices == ("Left as they are, because they or the note they mean changed since they were indexed: A.md.",)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_linker_that_may_not_be_written_is_left_alone_and_named(make: Make) -> None:
    vault = make({**INCUMBENT, "A.md": "[[Plan]]\n", "B.md": "[[Plan]]\n"})
    (vault.root / "A.md").chmod(0o444)
    vault.index()
    vault.write("y/Plan.md", "Another.\n")
    report = qualify.run(vault.ctx)
    assert (vault.text("A.md"), vault.text("B.md")) == ("[[Plan]]\n", "[[x/Plan]]\n")
    assert report.notices == ("Left as they are, because they cannot be written: A.md.",)


def test_a_limit_leaves_the_rest_to_the_next_run_and_counts_it(make: Make) -> None:
    vault = make({**INCUMBENT, "A.md": "[[Plan]] [[Plan]]\n", "B.md": "[[Plan]]\n"}, limits=Limits(links_per_collision_max=1))
    vault.write("y/Plan.md", "Another.\n")
    assert [qualify.run(vault.ctx).left_out for _ in range(4)] == [2, 1, 0, 0]
    assert (vault.text("A.md"), vault.text("B.md")) == ("[[x/Plan]] [[x/Plan]]\n", "[[x/Plan]]\n")


def test_a_superseded_namesake_takes_no_name_away(make: Make) -> None:
    vault = make({**INCUMBENT, "y/Plan.md": "---\nstatus: superseded\n---\nOld.\n", "A.md": "[[Plan]]\n"})
    assert (named(vault), qualify.run(vault.ctx).found) == (set(), 0)


def test_a_note_whose_bytes_are_no_text_keeps_them(make: Make) -> None:
    vault = make({**INCUMBENT, "A.md": "caf\udce9 [[Plan]]\n"})
    vault.write("y/Plan.md", "Another.\n")
    qualify.run(vault.ctx)
    assert vault.text("A.md") == "caf\udce9 [[x/Plan]]\n"


@pytest.mark.parametrize(
    ("raw", "written"),
    [
        ("[[Plan]]", "[[x/Plan]]"), ("![[Plan]]", "![[x/Plan]]"), ("[[ Plan |a]]", "[[x/Plan|a]]"), ("[[Plan#A#B|a]]", "[[x/Plan#A#B|a]]"),
        ("[[Plan#^b]]", "[[x/Plan#^b]]"), ("[[Plan\\|a]]", "[[x/Plan\\|a]]"), ("[[Plan&#124;a]]", "[[x/Plan&#124;a]]"), ("[[plan.MD]]", "[[x/Plan.md]]"),
        ("[[Plan|[1]]]", "[[x/Plan|[1]]]"),
    ],
)  # fmt: skip
def test_only_the_target_of_a_link_changes(raw: str, written: str) -> None:
    assert qualified(raw, "x/Plan.md") == written


def test_an_ampersand_in_a_name_is_part_of_it() -> None:
    assert qualified("[[R&D#A]]", "x/R&D.md") == "[[x/R&D#A]]"


FOLDERS = st.sampled_from(["", "x/", "y/", "x/z/"])
STEMS = st.sampled_from(["Plan", "Goals", "plan"])
NOTES = st.dictionaries(st.builds(lambda folder, stem: f"{folder}{stem}.md", FOLDERS, STEMS), st.lists(STEMS, max_size=3), min_size=1, max_size=6)


@pytest.mark.slow
@settings(max_examples=12)
@given(notes=NOTES, newcomers=NOTES)
def test_whatever_collides_a_qualified_link_means_what_it_meant(
    tmp_path_factory: pytest.TempPathFactory, engine: str, notes: dict[str, list[str]], newcomers: dict[str, list[str]]
) -> None:
    root: Path = tmp_path_factory.mktemp("law") / "vault"
    vault = make_vault(root, {path: " ".join(f"[[{stem}]]" for stem in stems) + "\n" for path, stems in notes.items()}, engine=engine)
    meant = {(source, place): target for place, (source, _, target) in enumerate(leads(vault)) if target}
    for path in newcomers.keys() - notes.keys():
        vault.write(path, "New.\n")
    report = qualify.run(vault.ctx)
    assert report.failed == ()
    touched = {patch.path for receipt in report.receipts if isinstance(receipt, Applied) for patch in receipt.patches}
    vault.index()
    now = [row for row in leads(vault) if row[0] in notes]
    for (source, place), target in meant.items():
        if source in touched and "/" in target:
            assert now[place] == (source, "resolved", target)
    qualify.run(vault.ctx)  # links of a name that no note had before lead by their place alone by now
    assert named(vault) == set()
