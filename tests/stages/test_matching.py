"""Finding pairs in a real vault: who is compared with whom and why, and that only what changed is looked at again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from brain.config import Limits
from brain.errors import IndexBroken
from brain.stages.matching import find
from brain.stages.matching.candidates import find_candidates
from brain.stages.matching.facts import live_rows, read_facts
from brain.stages.matching.find import Found, find_matches, index_of
from brain.stages.matching.meaning import Meanings
from brain.stages.matching.proposals import Proposals
from brain.stages.matching.signals import by_identifiers
from brain.stages.matching.store import FILE_NAME, Form, Store, open_store
from brain.vault.layout import Layout
from tests.stages.conftest import Make
from tests.stages.support import Vault

DOI = "---\ndoi: 10.1000/1\n---\n"
TEMPLATE = Path(__file__).resolve().parents[2] / "vault-template"
CROWD = {f"Crowd {letter}.md": f"{letter * 5} {letter * 7}\n" for letter in "bcdfghjk"}


def pairs_of(vault: Vault, found: Found) -> dict[tuple[str, str], str]:
    """Returns the tier of each pair of paths."""
    with vault.space.catalog() as conn:
        paths = dict(conn.execute("SELECT id, path FROM note"))
    return {tuple(sorted((paths[match.one], paths[match.other]))): match.tier for match in found.matches}  # type: ignore[misc]


def candidates_of(vault: Vault) -> dict[tuple[str, str], tuple[str, ...]]:
    """Returns the signals of every candidate, by paths."""
    ctx = vault.ctx
    with ctx.catalog() as conn, open_store(Layout(vault.root).index) as store:
        rows = live_rows(conn, left_out=())
        paths = {row.id: row.path for row in rows}
        index = index_of(ctx, conn, store, rows)
        found = find_candidates(ctx, index, Meanings(None, {}), [row.id for row in rows])
    return {tuple(sorted((paths[one], paths[other]))): signals for (one, other), signals in found.pairs.items()}  # type: ignore[misc]


def test_each_pair_says_which_signals_proposed_it(make: Make) -> None:
    vault = make({
        **CROWD,
        "Sea graphs.md": DOI + "zebrawood\n", "Graphs at sea.md": DOI,
        "Mill.md": "[[Fire insurance]] cedarwood\n", "Blautal.md": "[[Fire insurance]]\n",
        "Lachlan Berry.md": "Giblin Street\n", "Lachlna Bery.md": "Giblni Street\n",
        "Oak.md": "the zebrawood table\n",
    })  # fmt: skip
    found = candidates_of(vault)
    assert {"identifiers", "names"} <= set(found["Graphs at sea.md", "Sea graphs.md"])
    assert "letters" in found["Lachlan Berry.md", "Lachlna Bery.md"] and "names" not in found["Lachlan Berry.md", "Lachlna Bery.md"]
    assert "words" in found["Oak.md", "Sea graphs.md"]
    assert "links" not in found.get(("Blautal.md", "Mill.md"), ()) and "words" not in found.get(("Blautal.md", "Oak.md"), ())


def test_the_notes_of_a_new_vault_and_the_first_own_ones_raise_no_question(make: Make) -> None:
    vault = make({path.relative_to(TEMPLATE).as_posix(): path.read_text("utf-8") for path in TEMPLATE.rglob("*.md")})
    found = find_matches(vault.ctx)
    assert (found.looked_at, found.matches) == (3, ())  # all but the episode
    for path, text in {"Ada Lind.md": "Ada rows on the harbour.", "Boat.md": "The boat lies in the harbour.", "Harbour.md": "Grey water and gulls."}.items():
        vault.write(path, f"{text}\n")
    vault.index()
    assert find_matches(vault.ctx).matches == ()


def test_a_link_that_few_others_have_proposes_a_pair(make: Make) -> None:
    vault = make({**CROWD, "Mill.md": "[[Fire insurance]]\n", "Blautal.md": "[[Fire insurance]]\n", "Fire insurance.md": ""})
    assert "links" in candidates_of(vault)["Blautal.md", "Mill.md"]


def test_a_note_is_compared_with_its_likeliest_partners_only_and_the_rest_is_counted(make: Make) -> None:
    twelve = {f"Boat {name}.md": "the same words in each of them\n" for name in "abcdefghijkl"}
    vault = make(twelve, limits=Limits(candidates_per_note_max=3))
    found = find_matches(vault.ctx)
    assert found.proposed <= 12 * 3 and found.left_out > 0 and found.looked_at == 12


def test_an_identifier_of_many_notes_pairs_those_that_share_a_word_of_their_names_too(make: Make) -> None:
    vault = make({f"Note {name}.md": DOI for name in "bcdfghjk"} | {"Sea graphs.md": DOI, "Graphs.md": DOI})
    with vault.space.catalog() as conn:
        ids = dict(conn.execute("SELECT path, id FROM note"))
    partners = list(by_identifiers(vault.ctx.graph, set(ids.values())))
    expected = sorted((ids["Sea graphs.md"], ids["Graphs.md"]))
    assert expected in [[one, other] for one, other, _ in partners] and not any(ids["Note b.md"] in partner for partner in partners if ids["Graphs.md"] in partner)


def test_what_is_never_one_thing_with_another_is_left_out(make: Make) -> None:
    vault = make({
        **CROWD, "Sea graphs.md": DOI, "Inbox/Sea graphs.md": "---\ntype: episode\ndoi: 10.1000/1\n---\n", "Timeline/Sea graphs.md": DOI,
        "Old/Sea graphs.md": "---\nstatus: superseded\ndoi: 10.1000/1\n---\n", "Broken/Sea graphs.md": "---\ndoi: [10.1000/1\n---\nSea graphs\n",
    })  # fmt: skip
    assert pairs_of(vault, find_matches(vault.ctx)) == {} and find_matches(vault.ctx).looked_at == 0


def test_only_what_changed_is_looked_at_again(make: Make) -> None:
    vault = make({"Sea graphs.md": DOI, "Graphs at sea.md": DOI, "Boat.md": "b\n", **CROWD})
    first = find_matches(vault.ctx)
    again = find_matches(vault.ctx)
    assert (first.looked_at, again.looked_at) == (11, 0) and again.matches == first.matches
    vault.write("Boat.md", "another boat\n")
    vault.index()
    assert find_matches(vault.ctx).looked_at == 1


def test_a_pair_follows_what_its_notes_become(make: Make) -> None:
    vault = make({"Sea graphs.md": DOI, "Graphs at sea.md": DOI, **CROWD})
    assert pairs_of(vault, find_matches(vault.ctx)) == {("Graphs at sea.md", "Sea graphs.md"): "certain"}
    vault.write("Sea graphs.md", "---\ndoi: 10.1000/2\n---\n")
    vault.index()
    assert pairs_of(vault, find_matches(vault.ctx)) == {}
    vault.write("Sea graphs.md", DOI)
    vault.index()
    assert pairs_of(vault, find_matches(vault.ctx)) == {("Graphs at sea.md", "Sea graphs.md"): "certain"}
    (vault.root / "Sea graphs.md").unlink()
    vault.index()
    assert pairs_of(vault, find_matches(vault.ctx)) == {}


def test_a_third_note_with_the_identifier_makes_the_first_two_uncertain(make: Make) -> None:
    vault = make({"Sea graphs.md": DOI, "Graphs at sea.md": DOI, **CROWD})
    assert "certain" in pairs_of(vault, find_matches(vault.ctx)).values()
    vault.write("The sea: graphs at.md", DOI)
    vault.index()
    assert set(pairs_of(vault, find_matches(vault.ctx)).values()) == {"stated"}


def test_what_would_join_notes_that_do_not_fit_is_no_longer_certain(make: Make) -> None:
    vault = make({
        "A.md": "---\ntitle: Sea graphs\ndoi: 10.1000/1\ndate: 2026-01-01\n---\n",
        "B.md": "---\ntitle: Graphs at sea\ndoi: 10.1000/1\nisbn: 978-3-16-148410-0\n---\n",
        "C.md": "---\ntitle: The graphs, at sea\nisbn: 9783161484100\ndate: 2026-02-02\n---\n",
    })  # fmt: skip
    tiers = pairs_of(vault, find_matches(vault.ctx))
    assert sorted(tiers.values()) == ["certain", "stated"] and ("A.md", "C.md") not in tiers


def test_notes_told_apart_by_a_link_of_any_form_are_no_pair(make: Make) -> None:
    for written in ('"[[Graphs at sea]]"', '"[[papers/Graphs at sea|it]]"', '["[x](papers/Graphs%20at%20sea.md)"]', "Graphs at sea"):
        vault = make({"Sea graphs.md": DOI.replace("doi", f"distinct_from: {written}\ndoi"), "papers/Graphs at sea.md": DOI})
        assert pairs_of(vault, find_matches(vault.ctx)) == {}, written


def test_the_result_does_not_depend_on_the_order_in_which_notes_came(make: Make) -> None:
    notes = {"Sea graphs.md": DOI, "Graphs at sea.md": DOI, "Mira Holt.md": "---\naliases: [Mira]\n---\n", "Mira.md": "m\n", **CROWD}
    vault = make({})
    for path, text in notes.items():
        vault.write(path, text)
        vault.index()
        found = find_matches(vault.ctx)
    (vault.space.layout.index / FILE_NAME).unlink()
    anew = find_matches(vault.ctx)
    assert pairs_of(vault, anew) == pairs_of(vault, found) and anew.total == found.total


def test_a_run_that_died_before_it_had_judged_is_done_again(make: Make) -> None:
    vault = make({"Sea graphs.md": DOI, "Graphs at sea.md": DOI, **CROWD})
    with vault.ctx.catalog() as conn, open_store(vault.space.layout.index) as store:
        rows = live_rows(conn, left_out=())
        index_of(vault.ctx, conn, store, rows)  # forms are stored, nothing is judged yet
        assert set(store.marks().values()) == {""}
    assert "certain" in pairs_of(vault, find_matches(vault.ctx)).values()


@pytest.mark.parametrize("damage", [b"no database at all", b""])
def test_a_damaged_store_is_made_anew(make: Make, damage: bytes) -> None:
    vault = make({"Sea graphs.md": DOI, "Graphs at sea.md": DOI})
    found = find_matches(vault.ctx)
    (vault.space.layout.index / FILE_NAME).write_bytes(damage * 200)
    assert find_matches(vault.ctx).matches == found.matches


def test_another_method_looks_at_everything_again(make: Make) -> None:
    vault = make({"Sea graphs.md": DOI, "Graphs at sea.md": DOI})
    find_matches(vault.ctx)
    with open_store(vault.space.layout.index) as store:
        store.remember({"method": "an older one"})
    assert find_matches(vault.ctx).looked_at == 2


def test_a_vault_that_has_grown_much_is_looked_at_again(make: Make) -> None:
    vault = make({"Sea graphs.md": DOI, "Graphs at sea.md": DOI})
    find_matches(vault.ctx)
    for path, text in CROWD.items():
        vault.write(path, text)
    vault.index()
    assert find_matches(vault.ctx).looked_at == 2 + len(CROWD)


def test_open_pairs_beyond_the_bound_are_forgotten_least_likely_first(store: Store) -> None:
    marks = dict.fromkeys("abcdef", "m")
    pairs = [find.Match("a", other, "open", float(rank), float(rank), "", "", (), (), ()) for rank, other in enumerate("bcde")]
    store.settle(marks, [*pairs, find.Match("a", "f", "stated", 0.0, -9.0, "", "copy", (), (), ())])
    store.trim(2)
    assert [(match.other, match.tier) for match in store.matches()] == [("e", "open"), ("d", "open"), ("f", "stated")]
    assert [match.other for match in store.matches(1)] == ["e", "f"] and store.count() == 3


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


def test_forms_come_back_as_they_were_put(store: Store) -> None:
    numbers = np.array([1, 2, 4_000_000_000], np.uint32)
    store.put([Form("a", numbers, numbers[:0], numbers)])
    (form,) = store.forms()
    assert form.features.tolist() == numbers.tolist() and form.tokens.tolist() == []
    store.forget(["a"])
    assert list(store.forms()) == []


def test_facts_are_what_the_catalog_knows(make: Make) -> None:
    vault = make({
        "People/Ada.md": "---\ntype: person\naliases: [A. L.]\nborn: 1815\ndistinct_from: \"[[Bo]]\"\n---\nSee [[Bo|him]] and [[nobody]].\n", "Bo.md": "b\n",
    })  # fmt: skip
    with vault.space.catalog() as conn:
        nid, bo = conn.execute("SELECT nid, (SELECT id FROM note WHERE path='Bo.md') FROM note WHERE path='People/Ada.md'").fetchone()
        ((_, facts),) = read_facts(conn, [nid])
    assert (facts.title, facts.kind, facts.aliases, facts.properties["born"] if facts.properties else None) == ("Ada", "person", ("A. L.",), 1815)
    assert facts.links == ((bo, "Bo"), ("nobody", "nobody")) and facts.told_apart == (bo,) and "See" in facts.body


def test_partners_proposed_again_are_stronger_and_unknown_notes_are_passed_over() -> None:
    proposals = Proposals(known={"a", "b", "c"})
    proposals.add("names", [("a", "b", 1.0), ("a", "c", 1.0), ("a", "c", 1.0), ("a", "x", 9.0)])
    assert proposals.pairs(most=1) == {("a", "c"): ("names",)} and proposals.left_out == 1
    assert proposals.counts["names"] == 2


def test_a_store_that_another_process_holds_is_named_and_not_deleted(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.remember({"kept": "yes"})
    holder = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(IndexBroken, match="locked"), open_store(tmp_path, wait_s=0.05) as store:
            store.clear()
    finally:
        holder.close()
    with open_store(tmp_path) as store:
        assert store.meta("kept") == "yes"


def test_where_nothing_can_be_written_pairs_are_found_in_memory(tmp_path: Path) -> None:
    with open_store(tmp_path / "missing") as store:
        store.remember({"kept": "no"})
    assert not (tmp_path / "missing").exists()


def test_the_list_of_what_is_still_to_be_done_is_no_thing(make: Make) -> None:
    vault = make({**CROWD, "LOOPS-INBOX.md": DOI + "zebrawood\n", "Graphs at sea.md": DOI + "zebrawood\n"})
    assert pairs_of(vault, find_matches(vault.ctx)) == {}
