"""Ids that more than one claims: each note and claim has one of its own, whoever came first, and doctor says whose it was."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from random import Random

import pytest

from brain.core.identity import assigned_ids
from brain.core.ids import atom_id_of_text, note_id_of_path
from brain.doctor.checks import examine
from brain.sync.run import sync
from brain.sync.space import Space
from tests.laws.support import NOW, rebuilt_state, space_of, state_of

PATHS = ("A.md", "B.md", "C.md")
OWN = atom_id_of_text(note_id_of_path("A.md"), "Likes tea.", 0)
TWIN = assigned_ids([(1, "A.md", True, "i1"), (2, "B.md", True, "i1")])[2]


@pytest.fixture
def space(tmp_path: Path, engine: str) -> Space:
    (tmp_path / "vault").mkdir()
    return space_of(tmp_path / "vault", engine)


def claim(block_id: str = "", text: str = "Likes tea.") -> str:
    return f"## Atoms\n- (fact) {text}{block_id and f' ^{block_id}'}\n"


def note(note_id: str, body: str = "") -> str:
    return f"---\nid: {note_id}\n---\n{body}"


def put(space: Space, path: str, text: str | None) -> None:
    place = space.vault.root / path
    if text is None:
        place.unlink(missing_ok=True)
    else:
        place.write_text(text, "utf-8")


def synced(space: Space) -> dict[str, list[str]]:
    """Syncs, checks that a rebuild would say the same, and returns the ids of the atoms and of the notes, by path."""
    sync(space, now=NOW)
    assert state_of(space) == rebuilt_state(space)
    with space.catalog() as conn:
        notes = conn.execute("SELECT path, id FROM note ORDER BY path").fetchall()
        atoms = conn.execute("SELECT n.path, a.id FROM atom a JOIN note n USING(nid) ORDER BY n.path, a.ordinal").fetchall()
    assert len({row[1] for row in notes}) == len(notes) and len({row[1] for row in atoms}) == len(atoms)
    return {path: [note_id, *(atom_id for at, atom_id in atoms if at == path)] for path, note_id in notes}


ATOMS = {
    "a copied note": {"A.md": claim(OWN), "A 1.md": claim(OWN)},
    "an id by words, declared elsewhere": {"A.md": claim(), "B.md": claim(OWN)},
    "an id by words, declared in its own note": {"A.md": f"{claim()}- (fact) Other. ^{OWN}\n"},
}
NOTES = {
    "an id by path, declared elsewhere": {"A.md": claim(), "B.md": note(note_id_of_path("A.md"), claim())},
    "the id of a copy, declared elsewhere": {"A.md": note("i1"), "B.md": note("i1", claim()), "C.md": note(TWIN, "[[B]]\n")},
}


@pytest.mark.parametrize("notes", [*ATOMS.values(), *NOTES.values()], ids=[*ATOMS, *NOTES])
def test_an_id_that_two_claim_goes_to_one_in_any_order_and_is_free_again_when_that_one_is_gone(
    tmp_path: Path, engine: str, notes: dict[str, str]
) -> None:
    found = []
    for number, order in enumerate(permutations(notes)):
        root = tmp_path / str(number)
        root.mkdir()
        space = space_of(root, engine)
        for path in order:
            put(space, path, notes[path])
            ids = synced(space)
        found.append(ids)
        put(space, order[0], None)
        synced(space)
        put(space, order[0], notes[order[0]])
        assert synced(space) == ids
    assert all(ids == found[0] for ids in found)


def test_what_is_written_in_a_note_beats_what_follows_from_its_words(space: Space) -> None:
    put(space, "A.md", claim())
    put(space, "B.md", claim(OWN))
    ids = synced(space)
    assert ids["B.md"][1] == OWN and ids["A.md"][1] != OWN


def test_a_further_id_that_is_claimed_too_gives_way_and_comes_back(space: Space) -> None:
    put(space, "A.md", claim())
    put(space, "B.md", claim(OWN))
    further = synced(space)["A.md"][1]
    put(space, "C.md", claim(further, "Something else."))
    assert synced(space)["C.md"][1] == further
    put(space, "C.md", "nothing\n")
    assert synced(space)["A.md"][1] == further
    put(space, "B.md", None)
    assert synced(space)["A.md"][1] == OWN


def test_any_edits_of_notes_that_claim_each_others_ids_equal_a_rebuild(space: Space) -> None:
    random = Random(5)
    ids = [note_id_of_path("A.md"), note_id_of_path("B.md"), "i1", TWIN]
    blocks = ["", OWN, atom_id_of_text("i1", "Likes tea.", 0), atom_id_of_text(TWIN, "Likes tea.", 0)]
    for _ in range(25):
        for path in random.sample(PATHS, random.randint(1, 2)):
            body = "".join(claim(random.choice(blocks)) for _ in range(random.randint(0, 2))) + "[[A]] [[B]] [[C]]\n"
            put(space, path, random.choice([None, body, note(random.choice(ids), body), note(random.choice(ids), body)]))
        synced(space)


def edited(space: Space, path: str, old: str, new: str) -> None:
    put(space, path, (space.vault.root / path).read_text("utf-8").replace(old, new, 1))
    sync(space, now=NOW)


def test_doctor_names_who_holds_the_id_of_a_claim_and_what_cures_it(space: Space) -> None:
    put(space, "A.md", claim())
    put(space, "B.md", f"[[A]]\n{claim(OWN)}")
    sync(space, now=NOW)
    (found,) = (finding for finding in examine(space) if finding.code == "duplicate-block-id")
    assert (found.path, found.line) == ("A.md", 2)
    assert "B.md, line 3" in found.message and found.cure == f'change ^{OWN} on line 3 of "B.md"'
    edited(space, "B.md", OWN, "a-other")
    assert "duplicate-block-id" not in {finding.code for finding in examine(space)}


def test_doctor_names_who_declares_the_id_that_a_note_has_by_its_path(space: Space) -> None:
    own = note_id_of_path("A.md")
    put(space, "A.md", "[[B]]\n")
    put(space, "B.md", note(own))
    sync(space, now=NOW)
    (found,) = examine(space)
    assert (found.code, found.path) == ("duplicate-id", "A.md")
    assert "is held by B.md;" in found.message and found.cure == f'take the line id: {own} out of "B.md"'
    edited(space, "B.md", f"id: {own}\n", "")
    assert examine(space) == ()


def test_doctor_names_who_declares_the_id_of_a_copy(space: Space) -> None:
    for path, text in NOTES["the id of a copy, declared elsewhere"].items():
        put(space, path, f"{text}[[A]] [[B]] [[C]]\n")
    sync(space, now=NOW)
    found = [finding for finding in examine(space) if finding.code == "duplicate-id"]
    assert [(finding.path, finding.cure.rpartition(" ")[2]) for finding in found] == [("B.md", '"B.md"'), ("B.md", '"C.md"')]
    edited(space, "C.md", f"id: {TWIN}\n", "")
    edited(space, "B.md", "id: i1\n", "")
    assert [finding for finding in examine(space) if finding.code == "duplicate-id"] == []
