"""The last look in numbers: kept beside the index, read at once, never in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.doctor.checks import examine
from brain.doctor.last import brief_of, remember
from brain.errors import NotFound
from brain.sync.space import Space
from tests.doctor.conftest import Make, index, write
from tests.laws.support import NOW, space_of


def look(space: Space) -> None:
    remember(space, examine(space), NOW)


def test_the_last_look_is_told_in_one_line(make: Make) -> None:
    space = make({"A.md": "[[Nobody]]\n![[cat.png]]\n", "B.md": "[[A]]\n"})
    look(space)
    last = brief_of(space)
    assert last.counts == {"error": 0, "warning": 1, "info": 1}
    assert last.codes == {"broken-link": 1, "missing-asset": 1}
    assert last.text == "1 warning, 1 info (brain doctor, 2026-06-01 12:00 UTC)"


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
