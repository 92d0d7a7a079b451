"""The last look in numbers: kept beside the index, read at once, never in the way."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from brain.doctor.checks import examine
from brain.doctor.last import brief_of, remember
from brain.errors import NotFound
from brain.sync.space import Space
from tests.doctor.conftest import Make, index, write
from tests.laws.support import NOW, FixedClock, space_of


def look(space: Space) -> None:
    remember(space, examine(space), NOW)


def test_the_last_look_is_told_in_one_line(make: Make) -> None:
    space = make({"A.md": "[[Nobody]]\n![[cat.png]]\n", "B.md": "[[A]]\n"})
    look(space)
    last = brief_of(space)
    assert last.counts == {"error": 0, "warning": 1, "info": 1}
    assert last.codes == {"broken-link": 1, "missing-asset": 1}
    assert last.text == "1 warning, 1 info; missing-asset first (brain doctor, just now)"


@pytest.mark.parametrize(
    ("later", "said"),
    [(59, "just now"), (61, "1 minute ago"), (3_599, "59 minutes ago"), (7_300, "2 hours ago"), (86_400, "1 day ago"), (900_000, "10 days ago")],
)
def test_the_last_look_says_how_old_it_is(make: Make, later: int, said: str) -> None:
    space = make({"A.md": "[[Nobody]]\n"})
    look(space)
    then = replace(space, clock=FixedClock(NOW + timedelta(seconds=later)))
    assert brief_of(then).text == f"2 info; broken-link first (brain doctor, {said})"


def test_a_look_that_an_older_version_kept_is_told_without_its_worst(make: Make) -> None:
    space = make({"A.md": "[[Nobody]]\n"})
    write(space.layout.index, "doctor.json", '{"at": "2026-06-01T11:00:00Z", "generation": "x", "counts": {"error": 0, "warning": 0, "info": 1}, "codes": {"orphan": 1}}')
    assert brief_of(space).text == "1 info (brain doctor, 1 hour ago, and the index changed since)"


def test_a_broken_vault_says_so_first(make: Make) -> None:
    space = make({"A.md": "---\na: [\n---\n[[B]]\n", "B.md": "---\n- b\n---\n"})
    look(space)
    assert brief_of(space).text.startswith("BRAIN BROKEN: 2 errors")


def test_a_vault_in_order_has_nothing_to_put_right(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    look(space)
    assert brief_of(space).text.startswith("nothing to put right (brain doctor, ")


def test_a_look_before_the_last_index_says_so(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    look(space)
    write(space.vault.root, "C.md", "[[A]]\n")
    index(space)
    assert brief_of(space).text.endswith(", and the index changed since)")
    look(space)
    assert brief_of(space).is_current


@pytest.mark.parametrize("held", [None, "", "[]", "{", '{"at": "x", "generation": "1", "counts": 5, "codes": {}}', '{"at": "x", "generation": "1", "counts": {"error": 1}, "codes": {}}'])
def test_without_a_usable_last_look_the_cure_is_to_look(make: Make, held: str | None) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    if held is not None:
        write(space.layout.index, "doctor.json", held)
    with pytest.raises(NotFound) as caught:
        brief_of(space)
    assert caught.value.cure == "brain doctor"


def test_a_vault_without_an_index_stays_without_a_file(tmp_path: Path, engine: str) -> None:
    space = space_of(tmp_path, engine)
    look(space)
    assert list(space.vault.root.iterdir()) == []


def test_the_worst_is_what_there_is_most_of_among_the_gravest(make: Make) -> None:
    space = make({"A.md": "[[Nobody]]\n![[a.png]]\n![[b.png]]\n[[Plan]]\n", "x/Plan.md": "[[A]]\n", "y/Plan.md": "[[A]]\n[[No]]\n[[None]]\n"})
    look(space)
    assert brief_of(space).worst == "missing-asset"
