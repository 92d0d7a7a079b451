"""Search, end to end over a tiny catalog."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.config import Limits
from brain.errors import BrainError, UsageError
from brain.recall.search import search


def test_a_note_is_found_by_its_words_whatever_their_ending_case_or_accent(catalog):
    catalog.note("A.md", "She was running through Zürich.\n")
    catalog.note("B.md", "nothing of it\n")
    assert catalog.paths("RUNS") == ["A.md"]
    assert catalog.paths("zurich") == ["A.md"]


@pytest.mark.parametrize(
    "text",
    ["don't", "a/b.md", "ADR-016", "TODO: paint", "v20.04", "5 GB/s", "C++", "c++", "fog-horn-9", "bo@ex.test", "foo_bar", "foo bar",
     "C#", ".NET", "🔥"],
)  # fmt: skip
def test_special_words_are_found(catalog, text):
    body = (
        "We don't ship v20.04; see a/b.md and ADR-016. TODO: paint. Speed is 5 GB/s, C++ too. fog-horn-9 e-mail"
        " bo@ex.test\n\nfoo_bar in C# on .NET 🔥\n"
    )
    catalog.note("D.md", body)
    catalog.note("E.md", "nothing of it\n")
    assert catalog.paths(text, mode="lexical") == ["D.md"]


def test_a_symbol_word_is_not_its_letter(catalog):
    catalog.note("C.md", "plain c code, vitamin c\n")
    catalog.note("Cpp.md", "old C++ code\n")
    assert catalog.paths("C++") == ["Cpp.md"]
    assert catalog.paths("C#") == []


@pytest.mark.parametrize(("text", "path"), [("灯台", "ja.md"), ("灯", "ja.md"), ("る", "ja.md"), ("渡轮时刻表", "zh.md"), ("등대", "ko.md")])
def test_scripts_without_blanks_are_searched(catalog, text, path):
    catalog.note("ja.md", "港の灯台は夜に光る。\n")
    catalog.note("zh.md", "## 一\n" + "无关内容。" * 200 + "\n## 末\n渡轮时刻表在仓库门后。\n")
    catalog.note("ko.md", "등대는 밤에 빛난다.\n")
    hits = catalog.search(text).hits
    assert [hit.path for hit in hits] == [path]
    assert text in hits[0].snippets[0].text


def test_a_quoted_phrase_must_stand_in_the_note(catalog):
    catalog.note("A.md", "the red pier at night\n")
    catalog.note("B.md", "the pier is red\n")
    assert catalog.paths('"red pier"') == ["A.md"]
    assert catalog.paths("“red pier” night") == ["A.md"]
    assert sorted(catalog.paths("red pier")) == ["A.md", "B.md"]
    assert "quoted" in (catalog.search('"pier red"').why_empty or "") or catalog.search('"pier red"').hits == ()


def test_a_phrase_in_a_script_without_blanks_must_stand_in_a_row(catalog):
    catalog.note("A.md", "渡轮时刻表\n")
    catalog.note("B.md", "时刻 渡轮 刻表\n")
    assert catalog.paths('"渡轮时刻表"') == ["A.md"]


def test_a_compound_that_no_note_has_is_looked_for_by_its_words(catalog):
    catalog.note("A.md", "read it, then write it\n")
    assert catalog.paths("read/write") == ["A.md"]


def test_stop_words_are_dropped_unless_nothing_is_left(catalog):
    catalog.note("A.md", "where is the office\n")
    catalog.note("B.md", "office hours\n")
    catalog.note("Who.md", "the who played\n")
    assert set(catalog.paths("where is the office")) == {"A.md", "B.md"}
    assert catalog.paths("the who")[0] == "Who.md"


@pytest.mark.parametrize("name", ["Pier", "pier", "PIER", "Landing stage", "Pier.md", "Notes/Pier.md", "[[Pier]]", "A pier by the sea"])
def test_the_note_that_is_named_so_comes_first(catalog, name):
    catalog.note("Much.md", "pier landing stage " * 40 + "\n")
    catalog.note("Notes/Pier.md", "For boats.\n", title="A pier by the sea", aliases=("Landing Stage",))
    assert catalog.paths(name)[0] == "Notes/Pier.md"
    assert "exact name" in catalog.search(name).hits[0].parts


def test_the_thing_itself_stands_above_a_mention(catalog):
    catalog.note("Mention.md", "We met Ada at the harbour, Ada said so.\n")
    catalog.note("Ada Lovelace.md", "A mathematician.\n")
    assert catalog.paths("ada")[0] == "Ada Lovelace.md"


def test_an_old_exact_match_stays_near_the_top(catalog):
    catalog.note("Old.md", "The master valve code word is zephyrine.\n", created="2030-03-05", importance=0.9)
    for n in range(15):
        catalog.note(f"new{n}.md", f"Recent chatter number {n} about valves and codes.\n", created="2030-12-31")
    assert catalog.paths("master valve code word zephyrine")[0] == "Old.md"


def test_of_equal_notes_the_fresher_comes_first_and_explains_the_other(catalog):
    catalog.note("A old.md", "spruce\n", created="2024-01-01")
    catalog.note("B new.md", "spruce\n", created="2030-12-31")
    hits = catalog.search("spruce").hits
    assert [hit.path for hit in hits] == ["B new.md", "A old.md"]
    assert hits[1].parts["decay"] < 0


def test_parts_add_up_to_the_score(catalog):
    first = catalog.note("Pier.md", "A pier for boats.\n\nMore about boats.\n", created="2029-01-01")
    catalog.chunk(first, "pier boats")
    second = catalog.note("Other.md", "Boats and ropes.\n", created="2030-01-01")
    catalog.chunk(second, "boats ropes")
    for hit in catalog.search("pier boats", expand=True).hits:
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-5)


def test_a_note_without_the_words_is_found_by_its_vector(catalog):
    near = catalog.note("Near.md", "A place for vessels.\n")
    catalog.chunk(near, "harbour vessels")
    far = catalog.note("Far.md", "Bread and butter.\n")
    catalog.chunk(far, "bread butter")
    assert catalog.paths("harbour") == ["Near.md"]
    assert catalog.paths("harbour", mode="vector") == ["Near.md"]
    assert catalog.paths("harbour", mode="lexical") == []
    assert catalog.search("harbour").signals == ("words", "vector")


def test_the_snippet_of_a_vector_hit_is_where_its_chunk_is(catalog):
    nid = catalog.note("A.md", f"{'Bread and butter. ' * 12}\n\n{'Vessels lie here. ' * 12}\n")
    catalog.chunk(nid, "bread butter", line=1)
    catalog.chunk(nid, "harbour vessels", line=3)
    snippet = catalog.search("harbour").hits[0].snippets[0]
    assert snippet.line == 3
    assert snippet.text.startswith("Vessels")


def test_garbage_finds_nothing_and_says_so(catalog):
    nid = catalog.note("A.md", "A place for boats.\n")
    catalog.chunk(nid, "place boats")
    answer = catalog.search("qzxv wqkj")
    assert answer.hits == ()
    assert "qzxv wqkj" in (answer.why_empty or "")


def test_words_that_no_note_has_are_named(catalog):
    catalog.note("A.md", "boats\n")
    answer = catalog.search("boats qzxv")
    assert [hit.path for hit in answer.hits] == ["A.md"]
    assert "No note has: qzxv." in answer.notices


@pytest.mark.parametrize("text", ["", "   ", "\n", "\0", "!!!", '""', "***"])
def test_a_query_without_a_word_says_so(catalog, text):
    catalog.note("A.md", "x\n")
    answer = catalog.search(text)
    assert answer.hits == ()
    assert "type a word" in (answer.why_empty or "")


def test_an_empty_index_is_told_apart_from_no_match(catalog):
    assert "brain index" in (catalog.search("pier").why_empty or "")
    catalog.note("A.md", "boats\n")
    why = catalog.search("pier").why_empty or ""
    assert "brain index" not in why and "'pier'" in why


def test_only_superseded_matches_are_told_apart(catalog):
    catalog.note("Old.md", "spruce\n", status="superseded")
    answer = catalog.search("spruce")
    assert answer.hits == ()
    assert "--superseded" in (answer.why_empty or "")
    assert catalog.paths("spruce", include_superseded=True) == ["Old.md"]
    assert catalog.paths("spruce", statuses=("superseded",)) == ["Old.md"]


def test_a_superseded_note_brings_its_successor_and_stands_below_it(catalog):
    old = catalog.note("Old.md", "The office is in Oslo.\n", status="superseded")
    new = catalog.note("New.md", "It moved to Bergen.\n")
    catalog.link(old, new, "superseded_by")
    answer = catalog.search("Oslo office")
    assert [hit.path for hit in answer.hits] == ["New.md"]
    assert answer.hits[0].via == "Old.md"
    assert "1 superseded note left out; --superseded shows them." in answer.notices
    both = catalog.search("Oslo office", include_superseded=True).hits
    assert [(hit.path, hit.successor) for hit in both] == [("New.md", None), ("Old.md", "New.md")]


def test_a_superseded_claim_is_quoted_after_its_correction(catalog):
    body = "## Atoms\n- Works at Acme as a welder. ^a-old\n- Works at Initech. ^a-new\n"
    atoms = (
        {"id": "a-old", "line": 2, "status": "superseded", "superseded_by": "a-new", "superseded_on": "2030-03-04"},
        {"id": "a-new", "line": 3},
    )
    catalog.note("Ada.md", body, atoms=atoms)
    snippets = catalog.search("welder at acme").hits[0].snippets
    assert [snippet.line for snippet in snippets] == [3, 2]


def test_a_search_as_of_a_day_sees_the_claims_of_that_day(catalog):
    body = "## Atoms\n- Works at Acme. ^a-old\n- Works at Initech. ^a-new\n"
    atoms = (
        {"id": "a-old", "line": 2, "status": "superseded", "superseded_by": "a-new", "superseded_on": "2030-03-04"},
        {"id": "a-new", "line": 3, "valid_from": "2030-03-04"},
    )
    catalog.note("Ada.md", body, atoms=atoms, created="2029-01-01")
    assert catalog.paths("initech", as_of="2030-01-01") == []
    assert catalog.paths("initech", as_of="2030-06-01") == ["Ada.md"]
    assert catalog.search("acme", as_of="2030-01-01").hits[0].snippets[0].line == 2
    assert catalog.paths("acme", as_of="2030-06-01") == []


def test_neighbours_are_appended_with_the_note_that_leads_to_them(catalog):
    hub = catalog.note("Hub.md", "the spruce hub\n")
    out = catalog.note("Out.md", "something else\n")
    into = catalog.note("In.md", "something more\n")
    catalog.note("Alone.md", "nothing\n")
    catalog.link(hub, out)
    catalog.link(into, hub)
    assert catalog.paths("spruce") == ["Hub.md"]
    hits = catalog.search("spruce", expand=True).hits
    assert [(hit.path, hit.via) for hit in hits] == [("Hub.md", None), ("In.md", "Hub.md"), ("Out.md", "Hub.md")]
    assert len(catalog.search("spruce", expand=True, limit=1).hits) == 2


def test_neighbours_pass_the_filters_too(catalog):
    hub = catalog.note("Memory/Hub.md", "the spruce hub\n")
    out = catalog.note("Inbox/Out.md", "something else\n")
    catalog.link(hub, out)
    assert catalog.paths("spruce", expand=True, folder="Memory") == ["Memory/Hub.md"]


def test_a_model_that_cannot_be_reached_leaves_the_words(catalog):
    class Unreachable:
        model, dims = "far", 16

        def embed(self, texts):
            raise BrainError("The endpoint did not answer.", "try again later")

    nid = catalog.note("A.md", "spruce\n")
    catalog.chunk(nid, "spruce")
    catalog.embedder = Unreachable()
    answer = catalog.search("spruce")
    assert [hit.path for hit in answer.hits] == ["A.md"]
    assert answer.signals == ("words",)
    assert any("did not answer" in notice for notice in answer.notices)


def test_a_vector_search_without_a_model_says_why_nothing_came(catalog):
    catalog.note("A.md", "spruce\n")
    answer = catalog.search("spruce", mode="vector")
    assert answer.hits == ()
    assert "no embedding model" in (answer.why_empty or "")


def test_an_unknown_mode_and_a_date_that_is_none_are_refused(catalog):
    catalog.note("A.md", "x\n")
    with pytest.raises(UsageError, match="mode"):
        catalog.search("x", mode="psychic")
    with pytest.raises(UsageError, match="no date"):
        catalog.search("x", since="soon")


def test_words_over_the_limit_are_left_out_and_said(catalog):
    catalog.note("A.md", "first\n")
    answer = catalog.search("first second third", limits=replace(Limits(), search_terms_max=2))
    assert [hit.path for hit in answer.hits] == ["A.md"]
    assert any("last 1 words" in notice or "last 1 word" in notice for notice in answer.notices)


def test_the_limit_counts_notes_and_nothing_is_written(catalog):
    for n in range(5):
        catalog.note(f"{n}.md", "spruce\n")
    before = catalog.conn.total_changes
    assert len(catalog.search("spruce", limit=3).hits) == 3
    assert catalog.search("spruce", limit=0).hits == ()
    assert len(catalog.search("spruce", limit=10**30).hits) == 5
    assert catalog.conn.total_changes == before


def test_equal_scores_are_ordered_by_path(catalog):
    for name in ("c", "a", "b"):
        catalog.note(f"{name}.md", "spruce\n", created="2030-01-01")
    assert catalog.paths("spruce") == ["a.md", "b.md", "c.md"]


@settings(deadline=None, max_examples=150)
@given(text=st.one_of(st.text(), st.text(st.sampled_from('ab"*()^:-+{}[]NEARORNOT \0灯🔥.#@_'), max_size=40)), mode=st.sampled_from(["hybrid", "lexical"]))
def test_any_query_text_is_answered_the_same_way_twice(new_catalog, text, mode):
    catalog = new_catalog()
    nid = catalog.note("A.md", "a b NEAR OR NOT 灯台 🔥 C++ a_b\n", tags=("x/y",), aliases=("ab",))
    catalog.chunk(nid, "a b")
    first = catalog.search(text, mode=mode)
    assert first == catalog.search(text, mode=mode)
    assert first.hits or first.why_empty
    catalog.conn.close()


def test_ten_thousand_characters_of_anything_are_a_query(catalog):
    catalog.note("A.md", "x\n")
    for text in ('"' * 10_001, "x " * 5_000, "灯" * 10_000, "(" * 10_000, "a" * 10_000):
        answer = catalog.search(text)
        assert answer.hits or answer.why_empty


def test_search_runs_on_a_connection_that_cannot_write(catalog):
    catalog.note("A.md", "spruce\n")
    catalog.conn.execute("PRAGMA query_only=ON")
    assert catalog.paths("spruce") == ["A.md"]
    assert search.__module__ == "brain.recall.search"
