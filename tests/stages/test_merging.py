"""A merge loses no word, claims nothing that neither note said, and leads no link astray."""

from __future__ import annotations

import pytest

from brain.config import Limits
from brain.core.plan import Applied, Held
from brain.stages import reconcile
from brain.stages.gate import decision_id
from brain.stages.growing.forest import forest_of
from brain.stages.ledger import read_ledger
from brain.stages.run import Run
from brain.stages.undo import undo
from brain.vault.parse import parse_note
from tests.stages.conftest import Make
from tests.stages.merge import merge, merge_plan
from tests.stages.support import Vault

ONE = "---\ntype: paper\ncreated: 2026-01-01\n---\none\n"
TWO = "---\ntype: paper\n---\ntwo\n"


def merged(make: Make, notes: dict[str, str]) -> Vault:
    """A vault after One took in Two."""
    vault = make({"One.md": ONE, "Two.md": TWO, **notes})
    before = vault.bytes()
    receipt = merge(vault, "One.md", "Two.md")
    assert isinstance(receipt, Applied), receipt
    after = vault.bytes()
    undo(vault.ctx)
    assert vault.bytes() == before
    undo(vault.ctx, next(item for item, record in read_ledger(vault.space.journal).intents.items() if record["stage"] == "undo"))
    assert vault.bytes() == after
    return vault


def lines(vault: Vault, path: str, start: str = "- ") -> list[str]:
    return [line for line in vault.text(path).splitlines() if line.startswith(start)]


@pytest.mark.parametrize(
    ("known", "other"),
    [
        ("- (fact, verified, superseded 2026-02-02) Leaks. [[E]] ^a-1", "- (fact, verified) Leaks. [[F]] ^a-2"),
        ("- (fact, verified) Leaks. [[E]] ^a-1", "- (fact, verified) Leaks. (from 2026-01-01) [[F]] ^a-2"),
        ("- (fact, inferred) Leaks. [[E]] ^a-1", "- (fact, verified) Leaks. [[F]] ^a-2"),
        ("- (fact) Leaks. [[E]] ^a-1", "- (risk) Leaks. [[F]] ^a-2"),
        ("- (fact) Leaks. [[E]] ^a-1", "- (fact) Leaks. [[F]] ^a-2\n  - at the stern"),
    ],
)  # fmt: skip
def test_a_claim_that_says_more_than_the_known_one_moves_as_it_is(make: Make, known: str, other: str) -> None:
    vault = merged(make, {"One.md": f"{ONE}\n## Atoms\n{known}\n", "Two.md": f"{TWO}\n## Atoms\n{other}\n"})
    assert f"## Atoms\n{known}\n{other}\n" in vault.text("One.md") and "Leaks" not in vault.text("Two.md")


def test_a_claim_that_says_no_more_gives_its_sources_alone(make: Make) -> None:
    notes = {"One.md": f"{ONE}\n## Atoms\n- (fact, verified) Leaks. [[E]] ^a-1\n", "Two.md": f"{TWO}\n## Atoms\n- (fact) leaks [[E]] [[F]] ^a-2\n"}
    assert lines(merged(make, notes), "One.md") == ["- (fact, verified) Leaks. [[E]] [[F]] ^a-1"]


@pytest.mark.parametrize("referring", [{"L.md": "[[Two#^a-2]]\n"}, {"L.md": "## Atoms\n- (fact, superseded by ^a-2) Leaked. ^a-3\n"}])
def test_a_claim_that_something_refers_to_keeps_its_id(make: Make, referring: dict[str, str]) -> None:
    notes = {"One.md": f"{ONE}\n## Atoms\n- (fact) Leaks. [[E]] ^a-1\n", "Two.md": f"{TWO}\n## Atoms\n- (fact) Leaks. [[F]] ^a-2\n"}
    assert lines(merged(make, notes | referring), "One.md") == ["- (fact) Leaks. [[E]] ^a-1", "- (fact) Leaks. [[F]] ^a-2"]


def test_a_relation_line_is_dropped_only_when_all_it_says_is_said(make: Make) -> None:
    said = "## Related\n- part_of:: [[A]] - why\n- about:: [[B]]\n"
    more = "## Related\n- part_of:: [[A]]\n- about:: [[B]] - another reason\n- part_of:: [[A]], [[C]] - why\n- relates_to:: [[One]] - same data\n- blocks:: [[C]] - so\n  - and more\n"
    vault = merged(make, {"One.md": f"{ONE}\n{said}", "Two.md": f"{TWO}\n{more}", "A.md": "a\n", "B.md": "b\n", "C.md": "c\n"})
    assert lines(vault, "One.md")[2:] == ["- about:: [[B]] - another reason", "- relates_to:: [[A]], [[C]] - why", "- blocks:: [[C]] - so"]
    assert "- blocks:: [[C]] - so\n  - and more\n" in vault.text("One.md")
    assert lines(vault, "Two.md") == ["- relates_to:: [[One]] - same data"]


def test_a_link_of_the_kept_note_to_the_other_becomes_words_and_its_properties_stay_readable(make: Make) -> None:
    front = "---\ntype: paper\ncreated: 2026-01-01\nup: [[Two|- b]]\nsource: [\"[[Two]]\"]\nlist:\n  - '[[Two]]'\n  - x\n---\n"
    vault = merged(make, {"One.md": front + "See [[Two]] and ![[Two|it]].\n"})
    text = vault.text("One.md")
    assert 'up: "- b"\nsource: ["[[Two]]"]\nlist:\n  - \'Two\'\n  - x\n' in text
    assert "See Two and it.\n" in text
    with vault.space.catalog() as conn:
        assert conn.execute("SELECT malformed FROM note WHERE path='One.md'").fetchone() == (0,)


def test_what_the_absorbed_note_says_of_the_other_is_not_said_of_itself(make: Make) -> None:
    two = '---\npart_of: "[[One]]"\nnear: ["[[One]]", "[[C]]"]\nfar: ["[[Two]]"]\n---\n'
    vault = merged(make, {"Two.md": two, "C.md": "c\n"})
    assert 'near: ["[[C]]"]' in vault.text("One.md") and "part_of" not in vault.text("One.md") and "far" not in vault.text("One.md")


def test_whom_a_person_told_apart_from_either_is_told_apart_from_both(make: Make) -> None:
    vault = merged(make, {"One.md": ONE.replace("---\none", 'distinct_from: "[[C]]"\n---\none'), "Two.md": TWO.replace("---\ntwo", 'distinct_from: ["[[D]]"]\n---\ntwo'), "C.md": "c\n", "D.md": "d\n"})
    assert 'distinct_from: ["[[C]]", "[[D]]"]' in vault.text("One.md")


def test_a_link_to_a_place_that_both_notes_have_stays_with_the_words_it_means(make: Make) -> None:
    notes = {"One.md": ONE + "## Notes\nmine\n", "Two.md": TWO + "## Notes\nother\n\n## Alone\nx\n", "L.md": "[[Two#Notes]] [[Two#Alone]] [[Two#Nowhere]] [[Two]]\n"}
    assert merged(make, notes).text("L.md") == "[[Two#Notes]] [[One#Alone]] [[One#Nowhere]] [[One]]\n"


@pytest.mark.parametrize(
    ("front", "becomes"),
    [
        ("up: [[Two]] # mine\n", "up: [[One]] # mine\n"), ("up: '[[Two]]'\n", "up: '[[One]]'\n"), ("up: {a: \"[[Two]]\"}\n", "up: {a: \"[[One]]\"}\n"),
        ("up: [[Two]]\nup: [[Two]]\n", "up: [[One]]\nup: [[One]]\n"),
    ],
)  # fmt: skip
def test_a_property_is_rewritten_where_it_stands(make: Make, front: str, becomes: str) -> None:
    assert merged(make, {"L.md": f"---\n{front}---\n"}).text("L.md") == f"---\n{becomes}---\n"


def test_a_property_that_cannot_be_rewritten_keeps_its_link_and_is_counted(make: Make) -> None:
    vault = make({"C#.md": ONE, "Two.md": TWO, "L.md": "---\nup: {a: [[Two]]}\n---\n[[Two]]\n"})
    receipt = merge(vault, "C#.md", "Two.md")
    assert isinstance(receipt, Applied) and "1 property cannot be rewritten" in receipt.plan.because
    assert vault.text("L.md") == "---\nup: {a: [[Two]]}\n---\n[C#](C%23.md)\n"


def test_a_merge_that_would_lead_an_episode_to_a_third_note_waits_for_a_person(make: Make) -> None:
    episode = "---\ntype: episode\n---\n[[Two]]\n"
    vault = make({"a/One.md": ONE, "a/Two.md": TWO, "b/Two.md": "a third\n", "a/E.md": episode, "c/E.md": "---\ntype: episode\n---\n[[a/Two]]\n"})
    receipt = merge(vault, "a/One.md", "a/Two.md")
    assert isinstance(receipt, Held) and "links in a/E.md would lead to a third note" in receipt.plan.because


def test_a_note_that_no_link_can_lead_to_takes_nothing_in_until_it_is_renamed(make: Make) -> None:
    vault = make({"{{t}}.md": ONE, "Two.md": TWO, "L.md": "[[Two]]\n"})
    before = vault.bytes()
    receipt = merge(vault, "{{t}}.md", "Two.md")
    assert isinstance(receipt, Held) and "no link" in receipt.why and "no link can lead to {{t}}.md" in receipt.plan.because
    assert vault.bytes() == before and decision_id(merge_plan(vault, "{{t}}.md", "Two.md")) in read_ledger(vault.space.journal).settled
    (vault.root / "{{t}}.md").rename(vault.root / "T.md")
    vault.index()
    assert decision_id(merge_plan(vault, "T.md", "Two.md")) not in read_ledger(vault.space.journal).settled
    assert isinstance(merge(vault, "T.md", "Two.md"), Applied) and vault.text("L.md") == "[[T]]\n"


def test_links_that_move_lead_where_they_led(make: Make) -> None:
    vault = make({
        "a/One.md": ONE, "b/Two.md": TWO + "See [near](Near.md), [[#More]] and ![](pic.png).\n\n## More\n\n## Atoms\n- (fact) Is [[./Near]]. [s](E.md) ^a-1\n\n## Related\n- part_of:: [x](Near.md) - so\n",
        "b/Near.md": "b\n", "a/Near.md": "a\n", "b/E.md": "b\n", "b/pic.png": "picture\n",
    })  # fmt: skip
    plan = merge_plan(vault, "a/One.md", "b/Two.md")
    assert plan.concerns == ("cross-folder",)
    text = "\n".join(line for edit in plan.edits for line in getattr(edit, "lines", ()))
    assert "- (fact) Is [[b/Near]]. [s](E.md) ^a-1\n- part_of:: [[b/Near|x]] - so\ntwo\nSee [[b/Near|near]], [[#More]] and ![pic.png](../b/pic.png)." in text


def test_a_block_that_ends_the_file_is_still_a_block(make: Make) -> None:
    vault = merged(make, {"Two.md": "---\ntype: paper\n---"})
    assert vault.text("Two.md").endswith("---\n> Superseded by [[One]] on 2026-05-01.\n\n")


def test_the_lists_of_the_note_that_stays_keep_their_order(make: Make) -> None:
    one = "---\ntype: paper\ncreated: 2026-01-01\ntags:\n  - events\n  - conferences\n---\none\n"
    two = "---\ntype: paper\ntags:\n  - conferences\n  - Events\n  - boats\n---\ntwo\n"
    vault = merged(make, {"One.md": one, "Two.md": two})
    assert "tags:\n  - events\n  - conferences\n  - boats\n" in vault.text("One.md")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('source: ["[[Two]]", "[[E]]", "[[One]]"]', ["[[One]]", "[[E]]"]),
        ('source:\n  - "[[One]]"\n  - "[[Two]]"', ["[[One]]"]),
        ('source: ["[[E]]", "[[E]]", "[[Two]]"]', ["[[E]]", "[[E]]", "[[One]]"]),
        ('seen: ["[[one]]", "[[Two]]", "[[Two|her]]"]', ["[[one]]", "[[One|her]]"]),
    ],
)
def test_links_of_a_list_that_become_one_are_written_once(make: Make, before: str, after: list[str]) -> None:
    vault = merged(make, {"L.md": f"---\n{before}\n---\nx\n", "E.md": "e\n"})
    note = parse_note("L.md", vault.text("L.md"), Limits())
    assert note.properties[before.partition(":")[0]] == after


def test_a_list_that_cannot_be_set_anew_has_a_link_twice_rather_than_an_old_one(make: Make) -> None:
    vault = merged(make, {"L.md": '---\nsource: ["[[One]]", "[[Two]]", 3]\n---\nx\n'})
    assert parse_note("L.md", vault.text("L.md"), Limits()).properties["source"] == ["[[One]]", "[[One]]", 3]


# Which note stays


SHARED = "---\ntype: entity\nkind: artifact\nserial: HG-4471-K\ndoi: 10.1000/xyz123\ncreated: {}\n---\n{}\n"


@pytest.mark.parametrize(
    ("notes", "stays"),
    [
        ({"Generator.md": SHARED.format("2026-02-01", "g"), "Sawmill alternator.md": SHARED.format("2026-01-01", "s, of which a long story is told"), "A.md": "[[Generator]]\n", "B.md": "[[Generator]] [[Sawmill alternator]]\n"}, "Generator.md"),
        ({"Generator.md": SHARED.format("2026-02-01", "g, of which a long story is told"), "Sawmill alternator.md": SHARED.format("2026-01-01", "s")}, "Generator.md"),
        ({"Generator.md": SHARED.format("2026-02-01", "g\n\n## Atoms\n- (fact) It runs.\n"), "Sawmill alternator.md": SHARED.format("2026-01-01", "s" * 200)}, "Generator.md"),
        ({"Generator.md": SHARED.format("2026-02-01", "g"), "Sawmill alternator.md": SHARED.format("2026-01-01", "s")}, "Sawmill alternator.md"),
        ({"Generator.md": SHARED.format("2026-02-01", "g [[Generator]]"), "Sawmill alternator.md": SHARED.format("2026-01-01", "s, longer than that. [[Generator]]")}, "Sawmill alternator.md"),
    ],
    ids=["more links", "more text", "more claims", "the older", "links of the two do not count"],
)  # fmt: skip
def test_the_note_that_a_person_would_keep_stays(make: Make, notes: dict[str, str], stays: str) -> None:
    vault = make(notes)
    plans = [merge_plan(vault, *ends, is_told=False) for ends in (("Generator.md", "Sawmill alternator.md"), ("Sawmill alternator.md", "Generator.md"))]
    assert plans[0] == plans[1] and isinstance(Run(vault.ctx, "reconcile", dry_run=False).commit(plans[0]), Applied)
    gone = ({"Generator.md", "Sawmill alternator.md"} - {stays}).pop()
    assert "status: superseded" in vault.text(gone) and "status: superseded" not in vault.text(stays)


def paper(title: str, body: str, more: str = "") -> str:
    return f"---\ntype: paper\ntitle: {title}\ndoi: 10.1000/1\n{more}---\n{body}"


@pytest.mark.parametrize(
    ("low", "liked"),
    [
        (paper("Graphs at sea", "low\n\n## Related\n- part_of:: [[Middle]]\n"), "Low"), (paper("Graphs at sea", "low\n", 'part_of: "[[Middle]]"\n'), "High"),
        (paper("Graphs at sea", "low is (part_of:: [[Middle]]) so\n"), "High"),
    ],
)  # fmt: skip
def test_a_merge_does_not_make_a_note_part_of_what_hangs_off_it(make: Make, low: str, liked: str) -> None:
    vault = make({
        "Low.md": low, "Middle.md": "- part_of:: [[High]]\n", "High.md": paper("The sea graphs", "high\n"), "L.md": f"[[{liked}]]\n", "M.md": f"[[{liked}]]\n",
    })  # fmt: skip
    before = vault.bytes()
    assert len(reconcile.run(vault.ctx).applied) == 1
    with vault.space.catalog() as conn:
        assert forest_of(conn, None).parents == {"Middle.md": ("High.md",)}
    undo(vault.ctx)
    assert before.items() <= vault.bytes().items()
