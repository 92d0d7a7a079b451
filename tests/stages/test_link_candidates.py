"""Which notes may be related: names without a link, notes two links apart, near ones; and what is no candidate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from brain.config import Embed
from brain.stages import link
from brain.stages.context import context_of
from brain.stages.linking.candidates import Candidate, find_candidates, in_order, survey
from brain.stages.linking.mentions import find_mentions
from brain.stages.linking.near import terms_held
from brain.stages.linking.notes import live_notes
from brain.sync.run import sync
from tests.stages.conftest import Make
from tests.stages.support import NOW, Vault


def mentions(vault: Vault, **more: int) -> list[tuple[str, str, int]]:
    """Where a text names another note: source, target, line."""
    with vault.space.catalog() as conn:
        live = live_notes(conn, vault.space.config)
        found = find_mentions(conn, live, vault.space.config.limits, holding=terms_held(conn), **more).found
    return [(live[m.source].path, live[m.target].path, m.line) for m in found]


def candidates(vault: Vault) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    ctx = vault.ctx
    seen = survey(ctx)
    found = find_candidates(ctx, seen, in_order(seen))
    return {seen.live[nid].path: [(c.target.path, c.signals) for c in of_note] for nid, of_note in found.items() if of_note}


def test_a_name_in_the_text_of_another_note_is_a_mention_on_its_line(make: Make) -> None:
    vault = make({"Boat.md": "---\nmine: 1\n---\nfirst\n\nShe lies in the HARBOUR of Genoa.\n", "Harbour of Genoa.md": "h\n"})
    assert mentions(vault) == [("Boat.md", "Harbour of Genoa.md", 6)]


def test_an_alias_is_a_name_too_and_a_hard_wrap_does_not_break_it(make: Make) -> None:
    vault = make({"Boat.md": "She lies in the old\nharbour now.\n", "H.md": "---\naliases: [Old Harbour]\n---\n"})
    assert mentions(vault) == [("Boat.md", "H.md", 1)]


@pytest.mark.parametrize(
    "text",
    [
        "She lies in the `Harbour` now.\n", "```\nHarbour\n```\n", "<!-- Harbour -->\n", "%% Harbour %%\n", "Harbours and Harbouring are other words.\n",
        "See [[Harbour]] and the Harbour again.\n", "See [the Harbour](https://example.org/x).\n", "See ![[Harbour.png]].\n",
        "words\n\n## Related\n- part_of:: [[Fleet]] - told in the Harbour\n", "---\nplace: Harbour\n---\nno word of it\n",
        "---\ntype: episode\n---\nThe Harbour is full.\n", "---\nstatus: archived\n---\nThe Harbour is full.\n", "Inner-city Harbour_front is one word.\n",
    ],
)  # fmt: skip
def test_code_links_parts_of_words_and_notes_that_are_never_rewritten_mention_nothing(make: Make, text: str) -> None:
    assert mentions(make({"Boat.md": text, "Harbour.md": "h\n", "Fleet.md": "f\n"})) == []


@pytest.mark.parametrize(
    "others",
    [
        {"a/Harbour.md": "1\n", "b/Harbour.md": "2\n"}, {"A.md": "---\naliases: [Harbour]\n---\n", "B.md": "---\naliases: [Harbour]\n---\n"},
        {"Harbour.md": "---\nstatus: superseded\nsuperseded_by: '[[Boat]]'\n---\n"}, {"Inbox/Harbour.md": "waits\n"}, {"Timeline/Harbour.md": "t\n"},
        {"Archive/Harbour.md": "t\n"},
    ],
)  # fmt: skip
def test_a_name_that_two_notes_answer_to_or_of_a_note_that_is_not_current_is_no_mention(make: Make, others: dict[str, str]) -> None:
    assert mentions(make({"Boat.md": "She lies in the harbour.\n", **others})) == []


def test_a_file_name_goes_before_the_alias_of_another_note(make: Make) -> None:
    vault = make({"Boat.md": "In the harbour.\n", "Harbour.md": "h\n", "B.md": "---\naliases: [Harbour]\n---\n"})
    assert mentions(vault) == [("Boat.md", "Harbour.md", 1)]


def test_dates_and_names_of_two_letters_are_no_names_of_things(make: Make) -> None:
    assert mentions(make({"Boat.md": "On 2026-03-04 we met QA.\n", "2026-03-04.md": "d\n", "QA.md": "q\n"})) == []


def test_names_in_scripts_without_blanks_are_found_inside_a_run(make: Make) -> None:
    vault = make({"Boat.md": "我们保存知识图谱的笔记。\n", "知识图谱.md": "k\n", "图谱的.md": "no word\n"})
    assert ("Boat.md", "知识图谱.md", 1) in mentions(vault)


def test_the_rarest_names_are_looked_for_first_and_the_rest_is_counted(make: Make) -> None:
    often = {f"N{number}.md": "The Plan is old.\n" for number in range(4)}
    vault = make({"Boat.md": "The Skerry and the Plan.\n", "Skerry.md": "s\n", "Plan.md": "p\n", **often})
    assert mentions(vault, names_max=1) == [("Boat.md", "Skerry.md", 1)]
    assert mentions(vault)[0] == ("Boat.md", "Skerry.md", 1) and len(mentions(vault)) == 6


def test_two_notes_that_are_linked_either_way_are_no_candidates(make: Make) -> None:
    vault = make({"Boat.md": "In the harbour with the Keel.\n", "Harbour.md": "See [[Boat]].\n", "Keel.md": "---\npart_of: '[[Boat]]'\n---\n"})
    assert mentions(vault) == []
    assert not any(path in ("Boat.md", "Harbour.md") for path, _ in candidates(vault).get("Boat.md", []))


def test_notes_that_are_linked_with_the_same_notes_are_neighbours(make: Make) -> None:
    vault = make({"Boat.md": "[[Fleet]] [[Crew]]\n", "Ship.md": "[[Fleet]]\n", "Raft.md": "[[Fleet]] [[Crew]]\n", "Fleet.md": "f\n", "Crew.md": "c\n"})
    of_boat = candidates(vault)["Boat.md"]
    assert [path for path, signals in of_boat if "neighbours" in signals] == ["Raft.md", "Ship.md"] and of_boat[0][0] == "Raft.md"


def test_a_mention_comes_first_and_says_all_that_proposes_it(make: Make) -> None:
    vault = make({"Boat.md": "[[Fleet]] like the Raft.\n", "Ship.md": "[[Fleet]]\n", "Raft.md": "[[Fleet]]\n", "Fleet.md": "f\n"})
    first, second = candidates(vault)["Boat.md"]
    assert first[0] == "Raft.md" and {"mention", "neighbours"} <= set(first[1]) and second[0] == "Ship.md"


def test_notes_near_in_meaning_are_candidates(make: Make) -> None:
    words = "old oak planks caulked with tar below the waterline each spring"
    vault = make({"Boat.md": f"{words}\n", "Hull.md": f"{words} again\n", "Tax.md": "income declared to the office\n"})
    space = replace(vault.space, config=replace(vault.space.config, embed=Embed(model="lexical")))
    sync(space, now=NOW)
    ctx = context_of(space, now=NOW)
    seen = survey(ctx)
    found = find_candidates(ctx, seen, in_order(seen))
    pairs = {(c.source.path, c.target.path) for of_note in found.values() for c in of_note if "meaning" in c.signals}
    assert pairs == {("Boat.md", "Hull.md"), ("Hull.md", "Boat.md")}


def test_notes_that_share_rare_words_are_candidates(make: Make) -> None:
    vault = make({"Alone.md": "caulking the garboard strake\n", "Hull.md": "the garboard strake [[Fleet]]\n", "Fleet.md": "f\n", "Tax.md": "[[Fleet]]\n"})
    assert ("Hull.md", ("words",)) in candidates(vault)["Alone.md"]


def test_each_note_has_no_more_candidates_than_the_limit(make: Make) -> None:
    names = ["Skerry", "Harbour", "Lantern", "Anchor"]
    vault = make({"Boat.md": "Skerry, Harbour, Lantern and Anchor.\n", **{f"{name}.md": "x\n" for name in names}})
    ctx = vault.ctx
    ctx = replace(ctx, config=replace(ctx.config, limits=replace(ctx.config.limits, candidates_per_note_max=2)))
    seen = survey(ctx)
    assert [len(of_note) for of_note in find_candidates(ctx, seen, [n for n in in_order(seen) if n.path == "Boat.md"]).values()] == [2]


# Without a model


def test_without_a_model_mentions_are_counted_and_offered_and_nothing_is_written(make: Make) -> None:
    vault = make({"Boat.md": "She lies in the harbour.\n", "Harbour.md": "h [[Fleet]]\n", "Fleet.md": "[[Boat]]\n"})
    before = vault.bytes()
    report = link.run(vault.ctx)
    assert (report.waiting, report.found, report.is_empty, vault.bytes()) == (1, 1, True, before)
    assert any("Boat.md, line 1 → Harbour.md (its text names it without a link)" in notice for notice in report.notices)
    assert vault.space.journal.records({"linked", "answered", "held"}) == []


def test_without_a_model_an_isolated_note_is_named_with_what_is_nearest(make: Make) -> None:
    vault = make({"Alone.md": "caulking the garboard strake\n", "Hull.md": "the garboard strake [[Fleet]]\n", "Fleet.md": "f\n"})
    assert "Nothing is linked with Alone.md; nearest to it: Hull.md." in link.run(vault.ctx).notices


def test_a_vault_with_nothing_to_offer_says_nothing(make: Make) -> None:
    report = link.run(make({"Boat.md": "See [[Fleet]].\n", "Fleet.md": "f\n"}).ctx)
    assert (report.found, report.waiting, report.notices) == (0, 0, ())


def test_a_candidate_says_what_proposed_it(make: Make) -> None:
    vault = make({"Boat.md": "She lies in the harbour.\n", "Harbour.md": "h\n"})
    ctx = vault.ctx
    seen = survey(ctx)
    found = [c for of_note in find_candidates(ctx, seen, in_order(seen)).values() for c in of_note if "mention" in c.signals]
    assert [(type(c), c.source.path, c.target.path, c.line) for c in found] == [(Candidate, "Boat.md", "Harbour.md", 1)]
