"""Walk: marked lines become atoms of the notes they are about, once, and nothing is guessed."""

from __future__ import annotations

import pytest

from brain.config import Limits
from brain.core.ids import sha256_hex
from brain.core.judgement import Episode
from brain.core.plan import Applied, Conflict
from brain.stages import walk
from brain.stages.rules import RULES, Reading
from tests.stages.conftest import Make
from tests.stages.support import Vault

EPISODE = "---\ntype: episode\ncreated: 2026-03-04\n---\n"


def read(text: str) -> Reading:
    return RULES.read(Episode("n-1", "Inbox/E.md", "", text), Limits())


def claims(text: str) -> list[tuple[str, str, str]]:
    return [(claim.kind, claim.entity, claim.text) for claim in read(text).claims]


# What counts as a marked line


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Decided: [[X]] it is", "decision"), ("decision: [[X]] it is", "decision"), ("- Risk: [[X]] it is", "risk"),
        ("* **Fact:** [[X]] it is", "fact"), ("+ **Fact**: [[X]] it is", "fact"), ("1. _Event:_ [[X]] it is", "event"),
        ("  Open question: [[X]] it is", "open_question"), ("Question: [[X]] it is", "open_question"), ("__Person:__ [[X]] it is", "person"),
        ("Hypothesis: [[X]] it is", "hypothesis"), ("Opportunity: [[X]] it is", "opportunity"),
    ],
)  # fmt: skip
def test_a_marked_line_is_a_claim_about_the_note_it_links(line: str, kind: str) -> None:
    assert claims(f"{line}\n") == [(kind, "X", "[[X]] it is")]


@pytest.mark.parametrize(
    "line",
    [
        "We decided: [[X]] it is", "- [ ] Decision: [[X]] it is", "- [x] Decision: [[X]] it is", "> Decision: [[X]] it is", "> [!note] Risk: [[X]]",
        "Note: [[X]] it is", "Decision:: [[X]] it is", "Decision [[X]] it is", "`Decision: [[X]]`", "    Decision: [[X]]", "TODO: [[X]]",
        "Decision:", "Decision: ![[X]]", "# Decision: [[X]]", "Decisions: [[X]]", "| Decision: [[X]] |",
    ],
)  # fmt: skip
def test_anything_else_gives_no_claim(line: str) -> None:
    assert claims(f"\n{line}\n") == []


def test_a_claim_without_a_link_is_counted_and_said() -> None:
    reading = read("one\n\nRisk: it may rain\n")
    assert (reading.claims, reading.nameless) == ((), (3,))


def test_a_date_is_no_thing_that_a_claim_can_be_about() -> None:
    assert claims("Fact: since [[2026-03-04]] [[X]] is closed\n")[0][1] == "X"


def test_a_hard_wrapped_sentence_is_one_claim_and_its_quote_stands_in_the_episode() -> None:
    text = "Decision: [[X]] goes on\nin the next line.\nThis is another.\n"
    (claim,) = read(text).claims
    assert claim.quote == "Decision: [[X]] goes on\nin the next line." and claim.quote in text and claim.line == 1


def test_two_sentences_on_two_lines_stay_two() -> None:
    assert claims("Fact: [[X]] is big.\nand small\n") == [("fact", "X", "[[X]] is big.")]
    assert len(claims("Fact: [[X]] is big\nRisk: [[X]] sinks\n")) == 2


def test_a_page_from_the_web_marks_nothing() -> None:
    reading = read("---\norigin: web\n---\nDecision: [[X]] is sold\n")
    assert reading.claims == () and reading.is_prose_left


@pytest.mark.parametrize(("text", "is_left"), [("Just words.\n", True), ("# Title\n\n- [ ] task\n\n> quote\n", False), ("Risk: [[X]] sinks\n", False)])
def test_words_that_only_a_model_could_read_are_counted(text: str, is_left: bool) -> None:
    assert read(text).is_prose_left is is_left


# Where claims go


def atoms_of(vault: Vault, path: str) -> list[str]:
    return [line for line in vault.text(path).splitlines() if line.startswith("- (")]


def test_a_thing_with_a_note_of_any_type_gets_its_atoms_there(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE + "Risk: [[the boat]] leaks\n", "Fleet/Boat.md": "---\naliases: [The Boat]\nmine: 1 # x\n---\nOld.\n"})
    walk.run(vault.ctx)
    text = vault.text("Fleet/Boat.md")
    assert text.startswith("---\naliases: [The Boat]\nmine: 1 # x\n---\nOld.\n\n## Atoms\n- (risk, verified) the boat leaks [[E]] ^a-")
    assert not (vault.root / "Memory").exists()


def test_a_superseded_note_passes_the_claim_on_to_its_successor(make: Make) -> None:
    vault = make({
        "Inbox/E.md": EPISODE + "Risk: [[Old]] leaks\n", "Old.md": '---\nstatus: superseded\nsuperseded_by: "[[New]]"\n---\n', "New.md": "new\n",
    })  # fmt: skip
    walk.run(vault.ctx)
    assert len(atoms_of(vault, "New.md")) == 1


def test_a_name_that_two_notes_answer_to_is_held_with_its_candidates(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE + "Risk: [[Boat]] leaks\n", "a/Boat.md": "a\n", "b/Boat.md": "b\n"})
    (held,) = walk.run(vault.ctx).held
    assert "a/Boat.md, b/Boat.md" in held.plan.because
    assert (vault.text("a/Boat.md"), vault.text("b/Boat.md")) == ("a\n", "b\n")
    assert walk.run(vault.ctx).is_empty


def test_a_near_twin_is_never_created(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE + "Fact: [[Site Map]] is old\n", "site-map.md": "---\ntitle: Map\n---\nold\n"})
    report = walk.run(vault.ctx)
    assert [held.plan.because for held in report.held] and "site-map.md" in report.held[0].plan.because
    assert not (vault.root / "Memory").exists()


def test_a_path_where_no_note_is_makes_no_note(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE + "Fact: [[../../etc/passwd]] is read\nFact: [[Fleet/Boat]] leaks\n"})
    assert len(walk.run(vault.ctx).held) == 2 and set(vault.bytes()) == {"Inbox/E.md"}


def test_a_name_that_no_file_can_have_is_kept_as_an_alias(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE + "Fact: [[What: now?]] is a question\n"})
    walk.run(vault.ctx)
    assert 'aliases: ["What: now?"]' in vault.text("Memory/Concepts/What now.md")
    with vault.space.catalog() as conn:
        assert conn.execute("SELECT status FROM link WHERE raw='[[What: now?]]'").fetchone() == ("resolved",)


def test_an_equal_claim_adds_nothing_but_its_source(make: Make) -> None:
    vault = make({
        "Inbox/1.md": EPISODE + "Fact: [[Boat]] has 3 masts.\n", "Inbox/2.md": EPISODE + "Fact: [[Boat]]  has 3 Masts\n",
        "Inbox/3.md": EPISODE + "Fact: [[Boat]] has 3 masts.\n\nFact: [[Boat]] has 3 masts\n",
    })  # fmt: skip
    walk.run(vault.ctx)
    (atom,) = atoms_of(vault, "Memory/Concepts/Boat.md")
    assert "[[1]] [[2]] [[3]] ^a-" in atom


def test_an_episode_that_grew_is_walked_for_what_is_new(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE + "Fact: [[Boat]] leaks\n"})
    walk.run(vault.ctx)
    vault.write("Inbox/E.md", vault.text("Inbox/E.md") + "\nRisk: [[Boat]] sinks\n")
    vault.index()
    walk.run(vault.ctx)
    assert [line.partition(")")[0] for line in atoms_of(vault, "Memory/Concepts/Boat.md")] == ["- (fact, verified", "- (risk, verified"]


def test_an_episode_that_another_tool_stamped_is_walked_already(make: Make) -> None:
    vault = make({"Inbox/E.md": "---\ntype: episode\nbrain_processed: 2026-01-01\n---\nFact: [[Boat]] leaks\n"})
    assert walk.run(vault.ctx).is_empty


def test_an_inbox_note_with_nothing_marked_is_left_as_it_is_and_not_looked_at_again(make: Make) -> None:
    vault = make({"Inbox/Plain.md": "words\n"})
    report = walk.run(vault.ctx)
    assert (vault.text("Inbox/Plain.md"), report.waiting) == ("words\n", 1)
    assert walk.run(vault.ctx).is_empty


def test_what_the_limit_leaves_out_is_counted_and_done_by_the_next_runs(make: Make) -> None:
    vault = make({f"Inbox/{n}.md": EPISODE + f"Fact: [[Boat]] is number {n}\n" for n in range(5)})
    assert [(r.found, r.left_out) for r in (walk.run(vault.ctx, limit=2) for _ in range(3))] == [(2, 3), (2, 1), (1, 0)]
    assert len(atoms_of(vault, "Memory/Concepts/Boat.md")) == 5 and walk.run(vault.ctx).is_empty


def test_every_atom_has_its_line_and_words_in_the_episode_as_it_now_is(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE + "words\n\nFact: [[Boat]] leaks since\nthe storm\n\n[[Boat]] part_of:: [[Fleet]] - it sails\n", "Fleet.md": "x\n"})
    walk.run(vault.ctx)
    records = vault.space.journal.records({"provenance"})
    lines = vault.text("Inbox/E.md").split("\n")
    assert {r["item"][:2] for r in records} == {"a-", "Me"} and {r["judge"] for r in records} == {"rules/1"}
    for record in records:
        count = record["quote"].count("\n") + 1
        assert "\n".join(lines[record["line"] - 1 :][:count]) == record["quote"]
        assert record["episode_sha256"] == sha256_hex(vault.bytes()["Inbox/E.md"])


def test_a_broken_frontmatter_is_not_stamped_but_walked_once(make: Make) -> None:
    text = "---\na: b: c\n---\nFact: [[Boat]] leaks\n"
    vault = make({"Inbox/E.md": text})
    walk.run(vault.ctx)
    assert vault.text("Inbox/E.md") == text and len(atoms_of(vault, "Memory/Concepts/Boat.md")) == 1
    assert walk.run(vault.ctx).is_empty


def test_a_person_who_writes_while_it_is_walked_is_not_overwritten(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE + "Fact: [[Boat]] leaks\n", "Boat.md": "b\n"})
    ctx = vault.ctx
    run = walk.Run(ctx, "walk", dry_run=False)
    walking = walk.Walking(ctx, run.reading, walk.Names(ctx), run.ledger)
    source = run.reading.read("Inbox/E.md")
    assert source is not None
    episode = Episode("n-1", source.path, source.sha256, source.text)
    (plan,) = walk.plan_walk(walking, episode, walk.adjudicate(episode, ctx))
    vault.write("Boat.md", "b, and a person's words\n")
    assert isinstance(run.commit(plan), Conflict) and vault.text("Boat.md") == "b, and a person's words\n"
    assert [type(r) for r in walk.run(vault.ctx).receipts] == [Applied]


def test_a_relation_between_two_notes_is_written_where_it_starts(make: Make) -> None:
    line = "- [[Boat]] depends on:: [[Fleet]] - no fleet, no boat\n"
    vault = make({"Inbox/E.md": EPISODE + line, "Inbox/F.md": EPISODE + line, "Boat.md": "b\n", "Fleet.md": "f\n"})
    walk.run(vault.ctx)
    assert vault.text("Boat.md") == "b\n\n## Related\n- depends_on:: [[Fleet]] - no fleet, no boat\n"


def test_a_relation_to_nothing_makes_no_edge(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE + "[[Boat]] part_of:: [[Nowhere]]\n", "Boat.md": "b\n"})
    walk.run(vault.ctx)
    assert vault.text("Boat.md") == "b\n"
