"""A note is cut into pieces that can each be understood alone, and nothing readable is left out."""

from __future__ import annotations

import base64
import itertools
import random
import re

from hypothesis import given
from hypothesis import strategies as st

from brain.config import Limits
from brain.index.chunk import ChunkText, count_left_out, split_note
from brain.vault.parse import parse_note

LIMITS = Limits()


def split(text: str, path: str = "Notes/Engine.md", limits: Limits = LIMITS) -> tuple[ChunkText, ...]:
    return split_note(parse_note(path, text, limits), text, limits)


def test_each_section_is_a_piece_under_title_and_heading_at_its_line() -> None:
    text = """---
title: Engine
---
An opening.

# Why
Because it
is fast.

## How

With numpy.
"""
    expected = (
        ChunkText(0, "Engine\nAn opening.", None, 4),
        ChunkText(1, "Engine › Why\nBecause it\nis fast.", "Why", 7),
        ChunkText(2, "Engine › How\nWith numpy.", "How", 12),
    )
    assert expected == split(text)


def test_frontmatter_is_left_out_and_code_is_kept() -> None:
    (piece,) = split("---\nsecret: word\n---\nRun this:\n\n```sh\nmake demo\n# no heading\n```\n")
    assert piece.text == "Engine\nRun this:\n```sh\nmake demo\n# no heading\n```"


def test_a_note_without_words_gives_its_title_and_headings() -> None:
    assert split("---\nkind: person\n---\n") == (ChunkText(0, "Engine", None, 1),)
    assert split("") == (ChunkText(0, "Engine", None, 1),)
    assert split("# Only\n## Headings\n## Here\n") == (ChunkText(0, "Only › Headings Here", None, 1),)


def test_a_heading_that_repeats_the_title_is_not_said_twice() -> None:
    assert [piece.text for piece in split("# Engine\n\nText.\n")] == ["Engine\nText."]


def test_lines_count_the_same_with_crlf() -> None:
    text = "---\na: 1\n---\nOne.\n\n# Two\n\nThree.\n"
    assert split(text) == split(text.replace("\n", "\r\n"))


def test_long_sections_are_cut_at_paragraphs_and_overlap() -> None:
    paragraphs = [f"Paragraph {number}. " + f"word{number} " * 40 for number in range(12)]
    pieces = split("\n\n".join(paragraphs))
    assert len(pieces) > 3
    for before, after in itertools.pairwise(pieces):
        repeated = after.text.split("\n")[1]
        assert before.text.endswith(repeated)
        assert 0 < len(repeated) <= LIMITS.chunk_overlap_chars
        assert after.text.split("\n")[2].startswith("Paragraph")
    assert [piece.line for piece in pieces] == sorted({piece.line for piece in pieces})


def test_a_paragraph_without_end_is_cut_after_sentences() -> None:
    pieces = split("This is a sentence of some length. " * 200)
    assert len(pieces) > 5
    assert all(piece.text.rstrip().endswith(".") for piece in pieces)


def test_text_without_spaces_is_cut_and_kept_whole() -> None:
    body = "".join(chr(0x4E00 + number % 2_000) for number in range(5_000))
    pieces = split(body)
    assert all(len(piece.text) <= LIMITS.chunk_chars_max for piece in pieces)
    assert set(body) <= set("".join(piece.text for piece in pieces))


def test_a_blob_becomes_its_beginning() -> None:
    blob = base64.b64encode(random.Random(1).randbytes(300_000)).decode()
    wrapped = "\n".join(blob[start : start + 76] for start in range(0, len(blob), 76))
    for text in (f"Before. ![](data:image/png;base64,{blob}) After.", f"Before.\n\n{wrapped}\n\nAfter."):
        pieces = split(text)
        assert len(pieces) == 1
        assert "Before." in pieces[0].text
        assert "After." in pieces[0].text
        assert len(pieces[0].text) < 200


def test_a_note_has_at_most_the_limit_of_pieces_and_the_rest_is_counted() -> None:
    limits = Limits(chunks_per_note_max=5)
    text = "\n\n".join(f"## Section {number}\ntext" for number in range(12))
    note = parse_note("A.md", text, limits)
    assert [piece.ordinal for piece in split_note(note, text, limits)] == [0, 1, 2, 3, 4]
    assert count_left_out(note, text, limits) == 7
    assert count_left_out(note, "", limits) == 0


def test_a_title_without_end_leaves_room_for_the_text() -> None:
    (piece,) = split("Some text.", path="Long " + "name " * 45 + ".md")
    assert piece.text.endswith("Some text.")
    assert len(piece.text) <= 220


words = st.text(alphabet="abcdefgh", min_size=1, max_size=12)
lines = st.lists(words, max_size=30).map(" ".join)
bodies = st.lists(st.one_of(lines, st.just(""), words.map("## {}".format)), max_size=40).map("\n".join)


@given(bodies, st.integers(240, 1_200), st.integers(0, 200))
def test_pieces_fit_their_limit_and_lose_no_word(body: str, chars_max: int, overlap: int) -> None:
    limits = Limits(chunk_chars_max=chars_max, chunk_overlap_chars=overlap, chunks_per_note_max=10_000)
    pieces = split(body, limits=limits)
    assert max(len(piece.text) for piece in pieces) <= chars_max
    assert list(range(len(pieces))) == [piece.ordinal for piece in pieces]
    wanted = re.findall(r"\w+", re.sub(r"^##.*$", "", body, flags=re.MULTILINE))
    assert set(wanted) <= set(re.findall(r"\w+", "\n".join(piece.text for piece in pieces)))
    source = body.split("\n")
    for piece in pieces:
        assert 1 <= piece.line <= len(source)


@given(st.text(alphabet=st.characters(), max_size=400))
def test_any_text_can_be_split(text: str) -> None:
    pieces = split(text, limits=Limits(chunk_chars_max=0, chunk_overlap_chars=500, chunks_per_note_max=0))
    assert len(pieces) == 1
