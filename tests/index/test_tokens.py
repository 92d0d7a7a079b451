"""What the index is given of a text."""

from __future__ import annotations

import base64
import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from brain.index.stems import Stems
from brain.index.tokens import (
    TOKENIZE,
    WORD_CHARS_MAX,
    encode_symbols,
    index_forms,
    normal_form,
    run_terms,
    storable,
)


def test_plain_english_is_left_to_the_tokenizer():
    text = "# Heading\n\nSome words, a [[link]] and #tag."
    assert index_forms(text) == (text, "")


def test_scripts_without_blanks_become_pairs_and_leave_the_plain_half():
    plain, encoded = index_forms("see 灯台 now")
    assert plain.split() == ["see", "now"]
    assert encoded.split() == ["灯台", "台"]


def test_a_run_gives_every_pair_and_its_last_character():
    assert run_terms("渡轮时刻") == ("渡轮", "轮时", "时刻", "刻")
    assert run_terms("港") == ("港",)


def test_symbol_words_are_encoded_beside_the_text():
    for word, text in (("C++", "we use C++ here"), ("C#", "in C#."), (".NET", "on .NET now"), (".NET", ".NET first")):
        plain, encoded = index_forms(text)
        assert plain == text
        assert encoded == encode_symbols(word)


def test_headings_tags_and_file_names_are_no_symbol_words():
    for text in ("## Heading\n### Next", "#tag and a #b", "a/b.md", "v1.2.3", "end. Next", "see [a](b.md#part)"):
        assert index_forms(text)[1] == ""


def test_pictographs_are_encoded_as_letters_and_digits():
    _, encoded = index_forms("hot 🔥 stuff")
    assert encoded == encode_symbols("🔥")
    assert encoded.endswith(str(ord("🔥")))


def test_a_base64_blob_is_left_out_and_the_words_around_it_stay():
    blob = base64.b64encode(bytes(range(256)) * 40).decode()
    plain, encoded = index_forms(f"before ![x](data:image/png;base64,{blob}) after")
    assert "before" in plain and "after" in plain
    assert len(plain) < 100
    assert encoded == ""


def test_a_word_longer_than_the_limit_is_left_out():
    assert index_forms("a" * (WORD_CHARS_MAX + 1))[0].strip() == ""
    assert index_forms("a" * WORD_CHARS_MAX)[0].strip() != ""


def test_composed_and_decomposed_text_are_the_same():
    assert normal_form("Cafe\u0301") == normal_form("Caf\u00e9")
    assert index_forms("\u1103\u1173\u11bc\u1103\u1162") == index_forms("등대")


@given(st.text())
def test_any_text_gives_forms_that_a_database_can_hold(text):
    for half in index_forms(text):
        assert half == half.encode("utf-8").decode("utf-8")


@given(st.text(st.characters(categories=["Cs", "Cc", "Ll"])))
def test_a_storable_text_has_as_many_characters(text):
    assert len(storable(text)) == len(text)


@given(st.lists(st.text(max_size=12), max_size=8))
def test_stems_are_those_of_the_index_itself(words):
    words = [storable(word) for word in words]
    conn = sqlite3.connect(":memory:")
    conn.execute(f"CREATE VIRTUAL TABLE t USING fts5(x, tokenize='{TOKENIZE}')")
    conn.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')")
    stems = Stems()
    for word in words:
        conn.execute("DELETE FROM t")
        conn.execute("INSERT INTO t VALUES(?)", (word,))
        expected = tuple(row[0] for row in conn.execute("SELECT term FROM v ORDER BY offset"))
        assert stems.of(word) == expected
    stems.close()
    conn.close()
