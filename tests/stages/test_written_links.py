"""Every link that a stage writes leads to the very note it stands for, whatever that note is called, or is not written."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from brain.core.plan import Applied, Held, Receipt
from brain.stages import link, walk
from brain.stages.undo import undo
from tests.laws.support import rebuilt_state, state_of
from tests.stages.conftest import Make
from tests.stages.merge import merge
from tests.stages.support import NOW, Vault, make_vault

PAPER = "---\ntype: paper\ndoi: 10.1000/x\ncreated: 2026-01-01\n---\none\n"
SAME_PAPER = "---\ntype: paper\ndoi: 10.1000/x\n---\ntwo\n"
EPISODE = "---\ntype: episode\ncreated: 2026-03-04\n---\n"

ODD = ["C#", "a^b", "[draft]", "x|y", "percent%", "a%sb", "%%c%%", "`code`", "{{t}}", "v.x", "Notes.canvas", "A.md", " lead", "trail ", "dots..", "about: me"]
ODDER = ["$$y$$", "a  b", "it's", 'say "hi"', "part_of:: x", "日本#", "&#124;", "<b>", "(paren", "- dash", "#tag", "^id", "a\\b", "x.png", "!bang", "é", "é"]
NAMES = st.one_of(st.sampled_from(ODD + ODDER), st.text(st.sampled_from("Cc#^[]|%`{}. :\"'()<>\\&;$!-é\t")), st.text(st.characters(exclude_categories=("Cs", "Nd"), exclude_characters="/\0")))
FILE_NAMES = NAMES.filter(lambda name: name.strip() and not name.startswith((".", "Two")) and len(f"{name}.md".encode()) < 200)
CONFUSERS = st.sampled_from(["nothing", "another of that name", "a case twin", "an alias of another"])
EXAMPLES = int(os.environ.get("BRAIN_LAW_EXAMPLES", "20"))
few = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), deadline=None)


@contextmanager
def vault_with(engine: str, notes: dict[str, str]) -> Iterator[Vault]:
    with tempfile.TemporaryDirectory() as folder:
        vault = make_vault(Path(folder) / "v", {}, engine=engine)
        for path, text in notes.items():
            vault.write(path, text)
        vault.index()
        yield vault


def confusing(name: str, how: str) -> dict[str, str]:
    """Notes beside the one of that name that could be taken for it."""
    twin = name.swapcase()
    if how == "a case twin":
        assume(twin != name and twin.casefold() == name.casefold() and not twin.startswith("."))
    return {
        "nothing": {}, "another of that name": {f"Elsewhere/{name}.md": "another\n"}, "a case twin": {f"Things/{twin}.md": "a twin\n"},
        "an alias of another": {"Aliased.md": f"---\naliases: [{json.dumps(name)}]\n---\n"},
    }[how]  # fmt: skip


def ends_of(vault: Vault, path: str) -> list[str | None]:
    """Where the links of a note lead, in order."""
    with vault.space.catalog() as conn:
        sql = "SELECT t.path FROM link l JOIN note n USING(nid) LEFT JOIN note t ON t.nid=l.target_nid WHERE n.path=? ORDER BY l.ordinal"
        return [end for (end,) in conn.execute(sql, (path,))]


def edges_of(vault: Vault, table: str) -> set[tuple[str, str]]:
    about = "a.text" if table == "FROM" else "a.path"
    source = "Atom" if table == "FROM" else "Note"
    with vault.ctx.graph.session() as graph:
        return {(row["a"], row["b"]) for row in graph.execute(f"MATCH (a:{source})-[e:`{table}`]->(b:Note) RETURN {about} AS a, b.path AS b")}


def linked(state: dict[str, list[str]]) -> dict[str, list[str]]:
    """A state without the nodes, whose weights are of the moment they were taken at."""
    return {table: rows for table, rows in state.items() if table not in ("Note", "Atom")}


def wrote_nothing(vault: Vault, before: dict[str, bytes], receipts: Sequence[Receipt]) -> bool:
    """Whether everything was held because no link can be written."""
    assert all(isinstance(receipt, Applied | Held) for receipt in receipts), receipts
    if not any(isinstance(receipt, Held) for receipt in receipts):
        return False
    assert all("no link" in receipt.plan.because for receipt in receipts) and vault.bytes() == before
    return True


LINKER = '---\nup: [[Two]]\nsay: \'[[Two]]\'\nall:\n- "[[Two|t]]"\n- x\n---\n[[Two]] ![[Two#Atoms]] [t](Things/Two.md#Atoms) [[#^x]]\n\n| [[Two\\|b]] | [part_of:: [[Two]]] | [[L]] |\n'


@given(name=FILE_NAMES, how=CONFUSERS)
@example("C#", "nothing")
@few
def test_after_a_merge_every_link_leads_to_the_note_that_stays(engine: str, name: str, how: str) -> None:
    kept = f"Things/{name}.md"
    notes = {kept: PAPER, "Things/Two.md": SAME_PAPER, "L.md": LINKER, "C.md": "no relation\n", **confusing(name, how)}
    with vault_with(engine, notes) as vault:
        assume(ends_of(vault, "L.md").count("Things/Two.md") == 8)
        before, meant = vault.bytes(), [kept if end == "Things/Two.md" else end for end in ends_of(vault, "L.md")]
        receipt = merge(vault, kept, "Things/Two.md")
        if not wrote_nothing(vault, before, [receipt]):
            assert ends_of(vault, "L.md") == meant
            assert edges_of(vault, "FORWARDS") == {("Things/Two.md", kept)} and set(ends_of(vault, "Things/Two.md")) == {kept}
            assert linked(state_of(vault.space)) == linked(rebuilt_state(vault.space, now=NOW))
            assert not undo(vault.ctx).left
        assert vault.bytes() == before


@given(name=FILE_NAMES, other=FILE_NAMES, how=CONFUSERS)
@example("C#", "a^b", "nothing")
@few
def test_after_a_walk_every_link_leads_to_the_episode_or_the_end_of_its_relation(engine: str, name: str, other: str, how: str) -> None:
    episode, end = f"Inbox/{name}.md", f"Things/{other}.md"
    said = f"{EPISODE}Fact: [[Boat]] leaks.\n\nFact: [[Fresh]] is new.\n\nFact: [[Known]] is old\n\n[[Boat]] depends_on:: [[Keeper]] - it is so\n"
    notes = {
        episode: said, end: "---\naliases: [Keeper]\n---\n", "Boat.md": "b\n", "C.md": "no relation\n",
        "Known.md": "---\ntype: entity\n---\n## Atoms\n- Known is old\n", **confusing(other, how),
    }  # fmt: skip
    with vault_with(engine, notes) as vault:
        assume(ends_of(vault, episode)[-1] == end)
        before = vault.bytes()
        report = walk.run(vault.ctx)
        assert not report.failed and len(report.applied) == 1
        assert {path for _, path in edges_of(vault, "FROM")} <= {episode} and {pair for pair in edges_of(vault, "EDGE") if pair[0] == "Boat.md"} <= {("Boat.md", end)}
        for path in set(vault.bytes()) - {episode, *confusing(other, how)}:
            assert set(ends_of(vault, path)) <= {episode, end, None}
            assert None not in ends_of(vault, path)
        if not report.held:
            assert edges_of(vault, "FROM") == {("Boat leaks.", episode), ("Fresh is new.", episode), ("Known is old", episode)}
            assert ("Boat.md", end) in edges_of(vault, "EDGE")
            assert set(ends_of(vault, "Memory/Concepts/Fresh.md")) == set(ends_of(vault, "Known.md")) == {episode}
        assert linked(state_of(vault.space)) == linked(rebuilt_state(vault.space, now=NOW))
        assert not undo(vault.ctx).left and vault.bytes() == before
        assert walk.run(vault.ctx).is_empty


@given(name=FILE_NAMES, how=CONFUSERS)
@example("C#", "nothing")
@few
def test_after_a_link_run_the_relation_line_leads_where_the_sentence_does(engine: str, name: str, how: str) -> None:
    end = f"Things/{name}.md"
    notes = {end: "---\naliases: [Keeper]\n---\n", "Boat.md": "The boat was [part_of:: [[Keeper]]] since spring. ^here\n", "C.md": "no relation\n", **confusing(name, how)}
    with vault_with(engine, notes) as vault:
        assume(ends_of(vault, "Boat.md") == [end])
        before = vault.bytes()
        if not wrote_nothing(vault, before, link.run(vault.ctx).receipts):
            assert ends_of(vault, "Boat.md") == [end, end] and vault.text("Boat.md").count("^here") == 1
            assert linked(state_of(vault.space)) == linked(rebuilt_state(vault.space, now=NOW))
            assert not undo(vault.ctx).left
        assert vault.bytes() == before and link.run(vault.ctx).is_empty


# By name


def test_a_link_to_a_note_that_no_wikilink_can_name_is_a_markdown_link(make: Make) -> None:
    vault = make({"C#.md": PAPER, "Two.md": SAME_PAPER, "C.md": "the other letter\n", "sub/L.md": "---\nup: [[Two]]\n---\nSee [[Two|it]] and ![[Two]].\n"})
    merge(vault, "C#.md", "Two.md")
    assert vault.text("sub/L.md") == '---\nup: "[C#](../C%23.md)"\n---\nSee [it](../C%23.md) and ![C#](../C%23.md).\n'
    assert 'superseded_by: "[C#](C%23.md)"' in vault.text("Two.md") and ends_of(vault, "sub/L.md") == ["C#.md"] * 3


def test_a_claim_about_a_note_that_forwards_by_a_markdown_link_goes_to_its_successor(make: Make) -> None:
    vault = make({"C#.md": PAPER, "Two.md": SAME_PAPER})
    merge(vault, "C#.md", "Two.md")
    vault.write("Inbox/E.md", EPISODE + "Fact: [[Two]] compiles.\n")
    vault.index()
    walk.run(vault.ctx)
    assert "Two compiles. [[E]] ^a-" in vault.text("C#.md")


def test_a_twin_in_letter_case_in_one_folder_is_named_by_its_path(make: Make) -> None:
    vault = make({"a/Boat.md": "---\naliases: [Keeper]\n---\n", "a/boat.md": "not this\n", "L.md": "The boat was [part_of:: [[Keeper]]] since spring.\n"})
    link.run(vault.ctx)
    assert "- part_of:: [[a/Boat]] - The boat" in vault.text("L.md") and ends_of(vault, "L.md") == ["a/Boat.md"] * 2


def test_a_link_in_a_claim_leads_from_its_note_where_it_led_from_the_episode(make: Make) -> None:
    vault = make({
        "Inbox/x/Map.md": "near the episode\n", "Memory/Concepts/Map.md": "near the note\n", "Inbox/x/plan.png": "a picture\n",
        "Inbox/x/E.md": EPISODE + "Fact: [[Boat]] is on [the map](Map.md), [[./Map|this map]], [[./Nowhere]] and ![p](plan.png), see [[#Sea]].\n",
        "Memory/Concepts/Boat.md": "b\n", "Memory/Concepts/Nowhere.md": "here alone\n",
    })  # fmt: skip
    walk.run(vault.ctx)
    (line,) = (line for line in vault.text("Memory/Concepts/Boat.md").splitlines() if line.startswith("- ("))
    assert line.startswith("- (fact, verified) Boat is on [[Inbox/x/Map|the map]], [[Inbox/x/Map|this map]], Nowhere and ")
    assert "![p](../../Inbox/x/plan.png), see [[E#Sea]]. [[E]] ^a-" in line
    assert [end for end in ends_of(vault, "Memory/Concepts/Boat.md") if end] == ["Inbox/x/Map.md"] * 2 + ["Inbox/x/E.md"] * 2


def test_two_new_names_of_one_episode_that_are_nearly_one_make_no_twins(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE + "Fact: [[Site Map]] is old\nFact: [[site-map]] is new\nPerson: [[Site Map]] has a face\n"})
    report = walk.run(vault.ctx)
    assert [path for path in vault.bytes() if path.startswith("Memory/")] == ["Memory/People/Site Map.md"]
    assert ["nearly this name" in held.plan.because for held in report.held] == [True]
    assert walk.run(vault.ctx).is_empty


def test_a_name_with_bytes_that_are_no_text_is_put_before_a_person(make: Make) -> None:
    vault = make({})
    vault.write("Inbox/E.md", EPISODE + "Fact: [[caf\udce9]] is shut\nFact: [[Bar]] is near [[caf\udce9]]\n")
    vault.index()
    report = walk.run(vault.ctx)
    assert len(report.held) == 1 and "no text" in report.held[0].plan.because
    assert "Bar is near [[caf\udce9]]" in vault.text("Memory/Concepts/Bar.md")


def test_an_unclear_end_of_a_relation_is_put_before_a_person(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE + "[[Boat]] part_of:: [[Fleet]]\n", "Boat.md": "b\n", "a/Fleet.md": "1\n", "b/Fleet.md": "2\n"})
    (held,) = walk.run(vault.ctx).held
    assert "[[Fleet]] is unclear" in held.plan.because and vault.text("Boat.md") == "b\n"


def test_a_new_note_and_a_relation_to_it_in_one_episode_are_linked(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE + "Fact: [[What: now?]] is a question.\n\n[[Boat]] part_of:: [[What: now?]] - as asked\n", "Boat.md": "b\n"})
    walk.run(vault.ctx)
    assert ends_of(vault, "Boat.md") == ["Memory/Concepts/What now.md"]


def test_an_episode_of_which_two_lie_in_two_folders_is_named_by_its_path(make: Make) -> None:
    vault = make({"Inbox/a/E.md": EPISODE + "Fact: [[Boat]] leaks.\n", "Inbox/b/E.md": EPISODE + "Fact: [[Boat]] leaks.\n", "Boat.md": "b\n"})
    walk.run(vault.ctx)
    assert "[[Inbox/a/E]] [[Inbox/b/E]] ^a-" in vault.text("Boat.md") and ends_of(vault, "Boat.md") == ["Inbox/a/E.md", "Inbox/b/E.md"]


def test_a_source_that_is_named_by_another_spelling_is_not_named_twice(make: Make) -> None:
    vault = make({
        "Inbox/E.md": EPISODE + "Fact: [[Boat]] leaks.\n\nFact: [[Boat]] sinks.\n",
        "Boat.md": '---\ntype: entity\nlast_confirmed: 2026-04-01\nsource: ["[[Inbox/E]]"]\n---\n## Atoms\n- (fact) leaks. [it](Inbox/E.md) ^a-1\n- (fact) Boat leaks. [it](Inbox/E.md) ^a-2\n',
    })  # fmt: skip
    walk.run(vault.ctx)
    text = vault.text("Boat.md")
    assert 'source: ["[[Inbox/E]]"]' in text and "- (fact) Boat leaks. [it](Inbox/E.md) ^a-2\n" in text and "Boat sinks. [[E]] ^a-" in text


@pytest.mark.parametrize(
    ("bullet", "becomes"),
    [
        ("- Boat leaks", "- Boat leaks [[E]] ^a-"), ("- Boat leaks.", "- Boat leaks. [[E]]"), ("- (fact) Boat leaks ^mine", "- (fact) Boat leaks [[E]] ^mine"),
        ("- (fact, verified) Boat leaks [[D]]", "- (fact, verified) Boat leaks [[D]] [[E]]"),
    ],
)  # fmt: skip
def test_a_source_more_on_a_persons_bullet_is_read_as_one(make: Make, bullet: str, becomes: str) -> None:
    vault = make({"Inbox/E.md": EPISODE + "Fact: [[Boat]] leaks\n", "Boat.md": f"## Atoms\n{bullet}\n"})
    with vault.space.catalog() as conn:
        before = conn.execute("SELECT id FROM atom").fetchall()
    walk.run(vault.ctx)
    assert vault.text("Boat.md").splitlines()[1].startswith(becomes) and {path for _, path in edges_of(vault, "FROM")} == {"Inbox/E.md"}
    with vault.space.catalog() as conn:
        assert conn.execute("SELECT id FROM atom").fetchall() == before


def test_a_bullet_whose_last_link_is_a_part_of_what_it_says_keeps_saying_it(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE + "Fact: [[Boat]] met [[Bo]]\n", "Boat.md": "## Atoms\n- Boat met [[Bo]]\n", "Bo.md": "b\n"})
    walk.run(vault.ctx)
    assert edges_of(vault, "FROM") == {("Boat met [[Bo]].", "Inbox/E.md")}


@pytest.mark.parametrize("name", ["50$$", "a  b", "half%%"])
def test_a_link_in_a_claim_to_a_name_that_an_atom_cannot_hold_is_written_anew(make: Make, name: str) -> None:
    vault = make({"Inbox/E.md": EPISODE + f"Fact: [[Boat]] costs [[{name}]] now.\n", "Boat.md": "b\n", f"{name}.md": "x\n"})
    walk.run(vault.ctx)
    assert ends_of(vault, "Boat.md") == [f"{name}.md", "Inbox/E.md"]


@pytest.mark.parametrize("mark", ["%%", "$$", "<!--"])
def test_a_mark_that_a_claim_leaves_open_hides_no_link_and_the_claim_is_known_again(make: Make, mark: str) -> None:
    said = f"Fact: [[Boat]] is 50{mark} off.\n\nFact: [[Boat]] is at 60{mark} now.\n"
    vault = make({"Inbox/E.md": EPISODE + said, "Boat.md": "b\n"})
    walk.run(vault.ctx)
    assert [path for path in ends_of(vault, "Boat.md") if path] == ["Inbox/E.md"] * 2 and len(edges_of(vault, "FROM")) == 2
    vault.write("Inbox/F.md", EPISODE + said)
    vault.index()
    walk.run(vault.ctx)
    assert sorted(ends_of(vault, "Boat.md")) == ["Inbox/E.md"] * 2 + ["Inbox/F.md"] * 2 and vault.text("Boat.md").count("- (fact") == 2
