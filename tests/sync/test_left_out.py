"""A note with more pieces than the limit allows: what has no vector is counted and named, and words find all of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from brain.config import Config, Embed, Limits
from brain.core.recall import Query
from brain.recall.search import search
from brain.sync.left_out import left_out_of_catalog, left_out_words
from brain.sync.run import sync
from brain.sync.space import Space, open_space
from tests.laws.support import NOW, FixedClock
from tests.sync.support import put, words

LIMITS = Limits(chunks_per_note_max=3, chunk_chars_max=200, chunk_overlap_chars=0)


@pytest.fixture
def space(tmp_path: Path, engine: str) -> Space:
    root = tmp_path / "vault"
    root.mkdir()
    config = Config(engine=engine, embed=Embed(model="lexical"), limits=LIMITS)
    return open_space(root, config, FixedClock(), environ={"BRAIN_MACHINE": "m-test"})


def sections(count: int) -> str:
    return "".join(f"## Part {number}\n\n{words(number * 10, 8)}\n\n" for number in range(count))


def test_the_pieces_that_are_left_out_are_counted_and_named(space: Space) -> None:
    put(space, "Long.md", sections(8) + "\nthe tail says quetzalcoatlus\n")
    put(space, "Short.md", sections(3))
    report = sync(space, now=NOW)
    assert report.left_out == {"Long.md": 5}
    assert report.embedded == 6
    assert report.notices == (
        "Long.md: 5 pieces have no vector (limits.chunks_per_note_max is 3): words find them, meaning does not.",
    )
    with space.catalog() as conn:
        assert left_out_of_catalog(space, conn) == {"Long.md": 5}


def test_words_find_what_has_no_vector(space: Space) -> None:
    put(space, "Long.md", sections(8) + "\nthe tail says quetzalcoatlus\n")
    sync(space, now=NOW)
    with space.catalog() as conn:
        answer = search(conn, Query("quetzalcoatlus", mode="lexical"), now=NOW, limits=LIMITS)
    assert [hit.path for hit in answer.hits] == ["Long.md"]
    assert "quetzalcoatlus" in answer.hits[0].snippets[0].text


def test_an_edit_names_them_again_and_a_split_ends_it(space: Space) -> None:
    put(space, "Long.md", sections(4))
    assert sync(space, now=NOW).left_out == {"Long.md": 1}
    put(space, "Long.md", sections(5))
    assert sync(space, now=NOW).left_out == {"Long.md": 2}
    assert sync(space, now=NOW).left_out == {}
    put(space, "Long.md", sections(3))
    report = sync(space, now=NOW)
    assert (report.changed, report.left_out, report.notices) == (("Long.md",), {}, ())


def test_without_embedding_nothing_is_left_out(space: Space) -> None:
    put(space, "Long.md", sections(8))
    plain = replace(space, config=replace(space.config, embed=Embed(model="none")))
    report = sync(plain, now=NOW)
    assert (report.left_out, report.notices) == ({}, ())


def test_many_long_notes_are_counted_beyond_the_first_ten() -> None:
    said = left_out_words({f"{number:02}.md": 1 for number in range(13)}, LIMITS)
    assert len(said) == 11 and said[-1] == "The same is so of 3 more notes (brain doctor)."
