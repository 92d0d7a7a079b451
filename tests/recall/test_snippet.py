"""Blocks and quotations."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain.index.stems import Stems
from brain.recall.blocks import BLOCK_CHARS_MAX, split_blocks
from brain.recall.matches import Match, Matcher
from brain.recall.snippet import CUT_MARK, snippet_of
from brain.recall.terms import parse_query


def texts(body, **options):
    return [body[block.start : block.end] for block in split_blocks(body, **options)]


def test_a_heading_begins_a_block_and_names_those_below():
    body = "intro\n\n# One\nfirst\n\n## Two ##\nsecond\n"
    assert [(b.line, b.heading) for b in split_blocks(body)] == [(0, None), (2, "One"), (5, "Two")]


def test_a_hash_in_a_fence_is_no_heading():
    body = "# One\n```sh\n# a comment\n```\nafter\n"
    assert [b.heading for b in split_blocks(body)] == ["One"]


def test_short_paragraphs_stay_together_and_long_ones_part():
    long = "word " * 60
    assert texts("a\n\nb\n\nc\n") == ["a\n\nb\n\nc"]
    assert texts(f"{long}\n\n{long}\n") == [long, long]


def test_lines_can_be_blocks_of_their_own():
    assert texts("- one\n- two\n- three\n", alone={1}) == ["- one", "- two", "- three"]


def test_an_endless_line_is_cut_at_blanks():
    pieces = texts("word " * 1_000)
    assert max(map(len, pieces)) <= BLOCK_CHARS_MAX
    assert all(piece.strip().endswith("word") for piece in pieces)


@given(st.text(st.sampled_from("ab #`~\n\r-灯"), max_size=300), st.sets(st.integers(0, 20)))
def test_blocks_cover_every_character_that_is_not_blank_once_and_know_their_line(body, alone):
    covered = 0
    for block in split_blocks(body, alone):
        assert not body[covered : block.start].strip()
        assert block.line == body.count("\n", 0, block.start)
        assert block.end > block.start
        covered = block.end
    assert not body[covered:].strip()


def cut(body, word, chars_max, first_line=1):
    blocks = split_blocks(body)
    stems = Stems()
    matcher = Matcher(parse_query(word, terms_max=8).terms, stems)
    matches = matcher.find(matcher.prepare([body])[0])
    place = next(n for n, b in enumerate(blocks) if any(b.start <= m.start < b.end for m in matches))
    inside = [m for m in matches if blocks[place].start <= m.start < blocks[place].end]
    return snippet_of(body, blocks[place], inside, first_line=first_line, chars_max=chars_max)


def test_a_short_block_is_quoted_whole_with_its_line_in_the_file():
    snippet = cut("# Sea\n\nA pier.\n", "pier", 100, first_line=5)
    assert (snippet.text, snippet.line, snippet.heading) == ("# Sea A pier.", 5, "Sea")


def test_a_long_block_is_cut_around_the_match_at_word_bounds_with_marks():
    body = f"{'before ' * 40}the pier {'after ' * 40}"
    text = cut(body, "pier", 100).text
    assert text.startswith(CUT_MARK) and text.endswith(CUT_MARK)
    assert "the pier" in text
    assert set(text.strip(CUT_MARK).split()) <= {"before", "the", "pier", "after"}


def test_the_line_is_the_one_the_quotation_starts_on():
    body = "\n".join(f"line {n} of many words" for n in range(20)) + "\nthe pier\n"
    snippet = cut(body, "pier", 60)
    first_words = snippet.text.strip(CUT_MARK).split(" line")[0]
    assert body.split("\n")[snippet.line - 1].endswith(first_words)
    assert snippet.line > 10


def test_the_window_holds_as_many_terms_as_it_can():
    body = f"pier {'x ' * 200} red pier at night {'y ' * 200}"
    assert "red pier at night" in cut(body, "red pier night", 80).text


@given(st.text(max_size=400), st.integers(1, 80), st.lists(st.integers(0, 399), max_size=3))
def test_a_quotation_never_exceeds_its_limit(body, chars_max, places):
    for block in split_blocks(body):
        matches = [Match(p, p + 1, 0) for p in sorted(places) if block.start <= p < block.end]
        snippet = snippet_of(body, block, matches, first_line=1, chars_max=chars_max)
        assert len(snippet.text) <= chars_max
        assert "\n" not in snippet.text


def found(body, query):
    matcher = Matcher(parse_query(query, terms_max=8).terms, Stems())
    return [body[m.start : m.end] for m in matcher.find(matcher.prepare([body])[0])]


def test_matches_are_what_the_index_would_match():
    assert found("Happiness, happy; happen, sappy", "happy") == ["Happiness", "happy"]
    assert found("Zürich zurich", "ZÜRICH") == ["Zürich", "zurich"]
    assert found("ADR-016 adr 016 ADR-17", "ADR-016") == ["ADR-016", "adr 016"]
    assert found("C++ c C", "C++") == ["C++"]
    assert found("港の灯台は", "灯台") == ["灯台"]
    assert found("foo_bar foobar", "bar") == ["bar"]
    assert found("Иван и йод", "йод") == ["йод"]
