"""Why something stands in the notes: the line it comes from, who judged it, which run wrote it; and what every run did."""

from __future__ import annotations

import re
import shutil

import pytest

from brain.errors import NotFound, UsageError
from brain.show_audit import explained_text
from brain.stages import audit, link, reconcile, walk
from brain.stages.audit import Explained
from brain.stages.ledger import read_ledger
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import Vault

SENTENCE = "It turned out that the boat [depends_on:: [[Keel]]] since spring."
EPISODE = "---\ntype: episode\ncreated: 2026-03-04\n---\nWe met.\n\nDecided: [[Boat]] is painted red\n"
TWIN = "---\ndoi: 10.1000/xyz\n---\nOn graphs.\n"
NOTES = {"Boat.md": f"# Boat\n\n{SENTENCE}\n", "Keel.md": "A keel.\n", "Inbox/E.md": EPISODE}


def why(vault: Vault, *words: str) -> Explained:
    def find(name: str) -> str:
        paths = [path for path in vault.bytes() if path in (name, f"{name}.md")]
        if not paths:
            raise NotFound(f"There is no note {name!r}.", "brain list")
        return paths[0]

    return audit.explain(vault.ctx, words, find)


def atom_of(vault: Vault) -> str:
    found = re.search(r"\^(a-\w+)", vault.text("Boat.md"))
    assert found
    return found[1]


def test_a_claim_names_its_line_its_judge_and_its_run(make: Make) -> None:
    vault = make(NOTES)
    (receipt,) = walk.run(vault.ctx).applied
    found = why(vault, atom_of(vault))
    (origin,) = found.origins
    assert (origin.episode, origin.quote, origin.state) == ("Inbox/E.md", "Decided: [[Boat]] is painted red", "landed")
    assert vault.text("Inbox/E.md").split("\n")[(origin.line or 0) - 1] == origin.quote
    assert found.path == "Boat.md" and found.text.endswith(f"^{atom_of(vault)}")
    assert [(d.item, d.stage, d.state) for d in found.decisions] == [(receipt.item, "walk", "landed")]
    assert why(vault, f"^{atom_of(vault)}") == found


@pytest.mark.parametrize("words", [("Boat", "depends_on", "Keel"), ("Boat.md|depends_on|Keel.md",), ("Boat depends_on Keel",)])
def test_a_relation_is_explained_by_the_sentence_that_states_it(make: Make, words: tuple[str, ...]) -> None:
    vault = make(NOTES)
    link.run(vault.ctx)
    found = why(vault, *words)
    assert [(o.episode, o.line, o.quote, o.judge) for o in found.origins] == [("Boat.md", 3, SENTENCE, "rules/1")]
    assert not found.is_written_by_hand


def test_a_relation_in_one_argument_may_have_names_of_several_words_and_a_note_of_that_very_name_comes_first(make: Make) -> None:
    vault = make({"My Boat.md": "## Related\n- sails_with:: [[Long Keel]] - so\n", "Long Keel.md": "x\n", "A part_of B.md": "x\n", "A.md": "x\n", "B.md": "x\n"})
    assert why(vault, "My Boat sails_with Long Keel").what == "My Boat.md|sails_with|Long Keel.md"
    assert why(vault, "A part_of B").path == "A part_of B.md"
    for words in ("Nobody part_of B", "A part_of Nobody"):
        with pytest.raises(NotFound, match="no note 'Nobody'"):
            why(vault, words)


def test_a_claim_that_a_run_marked_is_a_persons_only_as_far_as_the_journal_knows(make: Make) -> None:
    vault = make(NOTES)
    walk.run(vault.ctx)
    atom = atom_of(vault)
    shutil.rmtree(vault.space.journal.folder)
    found = why(vault, atom)
    assert found.is_unknown and not found.is_written_by_hand
    assert "the journal does not know" in explained_text(found) and "a person did" not in explained_text(found)


def test_what_nobody_but_a_person_wrote_is_said_to_be_by_hand(make: Make) -> None:
    vault = make({"A.md": "## Related\n- part_of:: [[B]] - so\n\n## Atoms\n- (fact) [[A]] is old\n", "B.md": "b\n"})
    with vault.space.catalog() as conn:
        ((atom,),) = conn.execute("SELECT id FROM atom").fetchall()
    relation, claim = why(vault, "A", "part_of", "B"), why(vault, atom)
    assert (relation.line, relation.text, relation.is_written_by_hand) == (2, "- part_of:: [[B]] - so", True)
    assert (claim.path, claim.line, claim.is_written_by_hand) == ("A.md", 5, True)
    assert why(vault, "A").is_written_by_hand


def test_after_a_rename_it_is_still_explained(make: Make) -> None:
    vault = make(NOTES)
    link.run(vault.ctx)
    (vault.root / "Boat.md").rename(vault.root / "Ship.md")
    vault.index()
    found = why(vault, "Ship", "depends_on", "Keel")
    assert [(o.episode, o.line) for o in found.origins] == [("Ship.md", 3)]
    assert [d.paths for d in why(vault, "Ship").decisions] == [("Ship.md",)]


def test_words_that_were_edited_away_stand_nowhere_and_that_is_said(make: Make) -> None:
    vault = make(NOTES)
    link.run(vault.ctx)
    vault.write("Boat.md", vault.text("Boat.md").replace("It turned out", "It seems"))
    vault.index()
    assert [o.line for o in why(vault, "Boat", "depends_on", "Keel").origins] == [None]


def test_what_was_taken_back_says_so(make: Make) -> None:
    vault = make(NOTES)
    walk.run(vault.ctx)
    atom = atom_of(vault)
    undo(vault.ctx)
    found = why(vault, atom)
    assert (found.path, found.text) == ("", "") and [d.state for d in found.decisions] == ["undone"] and found.origins[0].state == "undone"


def test_a_merge_is_explained_by_its_item_and_by_either_note(make: Make) -> None:
    vault = make({"Graphs at sea.md": TWIN, "Sea graphs.md": TWIN})
    (receipt,) = reconcile.run(vault.ctx).applied
    found = why(vault, receipt.item)
    assert found.decisions[0].stage == "reconcile" and {"Graphs at sea.md", "Sea graphs.md"} <= set(found.decisions[0].paths)
    assert why(vault, "Graphs at sea").decisions == why(vault, "Sea graphs").decisions == found.decisions


def test_what_is_not_there_is_an_error_with_a_way_on(make: Make) -> None:
    vault = make(NOTES)
    for words in (("a-zzzzzzzz",), ("nobody",), ("Boat", "part_of", "Keel"), ("Boat", "depends_on", "nobody")):
        with pytest.raises(NotFound):
            why(vault, *words)
    with pytest.raises(UsageError):
        why(vault, "Boat", "Keel")


def test_runs_are_the_latest_first_with_what_became_of_their_items(make: Make) -> None:
    vault = make(NOTES)
    first, second = walk.run(vault.ctx), link.run(vault.ctx)
    undo(vault.ctx, second.run)
    undoing, linked, walked = audit.runs(vault.ctx)
    assert (undoing.stage, linked.run, walked.run) == ("undo", second.run, first.run)
    assert [item.state for item in linked.items] == ["undone"] and [item.state for item in walked.items] == ["landed"]
    assert audit.run_called(vault.ctx, first.run) == walked
    with pytest.raises(NotFound):
        audit.run_called(vault.ctx, "r-none")


@pytest.mark.parametrize("path", ["../outside.md", "x" * 300 + ".md", "nul.md/\x01", ".hidden/A.md"])
def test_a_record_that_names_no_file_of_the_vault_has_no_line(make: Make, path: str) -> None:
    vault = make(NOTES)
    walk.run(vault.ctx)
    atom = atom_of(vault)
    (record,) = vault.space.journal.records({"provenance"})[:1]
    vault.space.journal.append([record | {"episode": path}])
    assert [(origin.episode, origin.line is None) for origin in why(vault, atom).origins if origin.episode == path] == [(path, True)]


@pytest.mark.parametrize("damage", [{"question": {"evidence": 5}}, {"question": 5}])
def test_a_question_that_cannot_be_read_is_no_evidence(make: Make, damage: dict[str, object]) -> None:
    vault = make(NOTES)
    (receipt,) = walk.run(vault.ctx).applied
    decision = read_ledger(vault.ctx.journal).intents[receipt.item]["decision"]
    vault.space.journal.append([{"kind": "held", "at": "2026-01-01T00:00:00Z", "decision": decision} | damage])
    (found,) = why(vault, atom_of(vault)).decisions
    assert found.evidence == ()
