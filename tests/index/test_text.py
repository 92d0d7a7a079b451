"""The full-text index: what is put in is found, what is taken out is not, and nothing is left behind."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.index import text as fulltext
from brain.index.text import TextDoc


@pytest.fixture
def conn():
    made = sqlite3.connect(":memory:", isolation_level=None)
    fulltext.create(made)
    yield made
    made.close()


def doc(nid, body, title="Title", aliases=(), tags=()):
    return TextDoc(nid, title, aliases, tags, body)


def put(conn, docs):
    """Adds notes in place of those that are there, as a sync does."""
    for one in docs:
        fulltext.delete(conn, [one.nid])
        rows = fulltext.prepare(one)
        fulltext.load(conn, [(one.nid, rows)])
        fulltext.count_added(conn, [rows])


def found(conn, expression):
    return sorted(fulltext.best_matching(conn, expression, 100))


def test_words_are_found_by_stem_without_case_or_accent(conn):
    put(conn, [doc(1, "Running through Zürich"), doc(2, "nothing of it")])
    assert found(conn, '"runs"') == [1]
    assert found(conn, '"ZURICH"') == [1]


def test_titles_aliases_and_tags_are_found(conn):
    put(conn, [doc(1, "", "Lighthouse", ("Beacon",), ("sea/coast",))])
    for word in ("lighthouse", "beacon", "coast"):
        assert found(conn, f'"{word}"') == [1]


def test_a_title_weighs_more_than_a_mention(conn):
    put(conn, [doc(1, "the pier, seen from afar"), doc(2, "seen from afar", "Pier")])
    assert fulltext.best_matching(conn, '"pier"', 2) == [2, 1]


def test_putting_a_note_again_replaces_it(conn):
    put(conn, [doc(1, "alpha")])
    put(conn, [doc(1, "bravo")])
    assert found(conn, '"alpha"') == []
    assert found(conn, '"bravo"') == [1]
    assert fulltext.totals(conn).notes == 1


def test_a_deleted_note_is_gone_and_so_are_its_words(conn):
    put(conn, [doc(1, "quartzite C++ 灯台"), doc(2, "keep")])
    fulltext.delete(conn, [1, 99])
    assert found(conn, '"quartzite"') == []
    assert conn.execute("SELECT term FROM text_word WHERE term NOT IN ('keep', 'titl')").fetchall() == []
    assert fulltext.docs_of(conn, [1, 2]).keys() == {2}


def test_counts_are_of_notes_not_of_places(conn):
    put(conn, [doc(1, "oak oak oak"), doc(2, "oak"), doc(3, "ash")])
    assert fulltext.notes_with_word(conn, "oak") == 2
    assert fulltext.notes_with_word(conn, "elm") == 0
    assert fulltext.notes_matching(conn, '"oak" OR "ash"') == 3


def test_the_stored_text_is_the_text_that_was_put(conn):
    given = TextDoc(7, "Ä title", ("one", "two"), ("t/u",), "line\r\n\n灯台 and ½\n", 5)
    put(conn, [given])
    assert fulltext.docs_of(conn, [7])[7] == given


def test_the_last_of_two_notes_with_one_row_id_counts(conn):
    put(conn, [doc(1, "first"), doc(1, "second")])
    assert found(conn, '"second"') == [1]
    assert found(conn, '"first"') == []


def test_text_that_is_no_text_is_taken_all_the_same(conn):
    put(conn, [doc(1, "nul \x00 then \ud800 word")])
    assert found(conn, '"word"') == [1]
    assert found(conn, '"then"') == [1]


bodies = st.text(st.sampled_from("ab 灯台c+#.🔥é\n"), max_size=30)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(1, 4), st.one_of(st.none(), bodies)), max_size=12))
def test_any_order_of_changes_leaves_what_a_fresh_index_has(steps):
    changed, fresh = (sqlite3.connect(":memory:", isolation_level=None) for _ in range(2))
    for conn in (changed, fresh):
        fulltext.create(conn)
    held = {}
    for nid, body in steps:
        if body is None:
            held.pop(nid, None)
            fulltext.delete(changed, [nid])
        else:
            held[nid] = doc(nid, body)
            put(changed, [held[nid]])
    put(fresh, held.values())
    words = "SELECT term, doc, cnt FROM text_word ORDER BY term"
    assert changed.execute(words).fetchall() == fresh.execute(words).fetchall()
    assert fulltext.totals(changed) == fulltext.totals(fresh)
    changed.execute("INSERT INTO text_index(text_index) VALUES('integrity-check')")
    for conn in (changed, fresh):
        conn.close()
