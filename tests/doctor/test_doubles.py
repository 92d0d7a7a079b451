"""Notes that may be one thing: each finding goes to zero by what it says."""

from __future__ import annotations

import re

import numpy as np
import pytest

from brain.doctor.closeness import EXACT_MAX, close_pairs
from brain.sync.space import Space
from tests.doctor.conftest import Make, index, of, write

LONG = "The kettle whistles at seven and the cat waits beside the door until somebody opens it for her.\n"


def set_apart(space: Space, cure: str) -> None:
    """Does what the cure says after `write`."""
    line, path = re.findall(r'write (distinct_from: "[^"]+") into "([^"]+)"', cure)[0]
    text = (space.vault.root / path).read_text("utf-8")
    write(space.vault.root, path, f"---\n{line}\n---\n{text}")
    index(space)


def test_two_notes_of_one_file_name_are_named_once_and_can_be_kept_apart(make: Make) -> None:
    space = make({"x/Grey Harbour.md": "one\n", "y/Grey harbour.md": "two\n"})
    (found,) = of(space, "duplicate-name")
    assert (found.severity, found.path) == ("info", "x/Grey Harbour.md")
    assert found.message == "'grey harbour' is also the name of y/Grey harbour.md."
    set_apart(space, found.cure)
    assert of(space, "duplicate-name") == []


def test_two_titles_that_are_one_are_named_and_a_merge_settles_it(make: Make) -> None:
    space = make({"A.md": "---\ntitle: Ada Lovelace\n---\nx\n", "B.md": "---\ntitle: ada lovelace\n---\ny\n"})
    (found,) = of(space, "duplicate-name")
    assert found.cure.startswith("brain merge A.md B.md")
    write(space.vault.root, "B.md", "---\ntitle: ada lovelace\nstatus: superseded\nsuperseded_by: '[[A]]'\n---\ny\n")
    index(space)
    assert of(space, "duplicate-name") == []


@pytest.mark.parametrize(
    "files",
    [
        {"x/README.md": "a\n", "y/README.md": "b\n"},
        {"x/2026-01-01.md": "a\n", "y/2026-01-01.md": "b\n"},
        {"A.md": "---\ntitle: API\n---\nx\n", "B.md": "---\ntitle: API\n---\ny\n"},
        {"A.md": "---\ntitle: '{{title}} of it'\n---\nx\n", "B.md": "---\ntitle: '{{title}} of it'\n---\ny\n"},
        {"x/Plan.md": "---\ntype: episode\n---\na\n", "y/Plan.md": "b\n"},
    ],
    ids=["a file for its folder", "a day", "one word", "a form", "an episode"],
)
def test_names_that_many_may_have_are_no_doubles(make: Make, files: dict[str, str]) -> None:
    assert of(make(files), "duplicate-name") == []


def test_notes_that_say_the_same_are_a_pair_until_they_are_kept_apart(make: Make) -> None:
    space = make({"A.md": LONG * 3, "B.md": LONG * 3, "C.md": "Tax returns are due in April.\n"}, embed="lexical")
    assert of(space, "duplicate-meaning") == []  # nothing is embedded yet, and `vectors-waiting` says so
    assert of(space, "vectors-waiting") != []
    index(space)
    (found,) = of(space, "duplicate-meaning")
    assert (found.severity, found.path) == ("info", "A.md")
    assert re.fullmatch(r"It says nearly what B\.md says \(cosine 0\.99\)\.", found.message)
    set_apart(space, found.cure)
    assert of(space, "duplicate-meaning") == []


def test_a_note_that_says_much_more_is_no_double(make: Make) -> None:
    space = make({"A.md": LONG, "B.md": LONG + "\n\n" + "Of something else entirely, at length. " * 60 + "\n"}, embed="lexical")
    index(space)
    assert of(space, "duplicate-meaning") == []


def test_notes_that_were_begun_from_one_form_are_no_doubles(make: Make) -> None:
    space = make({f"Day {number}.md": LONG * 8 for number in range(12)}, embed="lexical")
    index(space)
    assert of(space, "duplicate-meaning") == []
    (space.vault.root / "Day 11.md").unlink()
    index(space)
    assert len(of(space, "duplicate-meaning")) == 55  # each of eleven with each


def test_among_many_the_close_pairs_are_found_as_among_few() -> None:
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((EXACT_MAX + 500, 64)).astype(np.float32)
    planted = [(number, EXACT_MAX + number) for number in range(0, 400, 7)]
    for one, other in planted:
        rows[other] = rows[one] + 0.05 * rng.standard_normal(64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = {(one, other) for one, other, _ in close_pairs(rows, 0.98)}
    scores = rows @ rows.T
    exact = {(int(one), int(other)) for one, other in np.argwhere(scores >= 0.98) if one < other}
    assert set(planted) <= exact
    assert found <= exact
    assert len(found) >= 0.95 * len(exact)
    assert close_pairs(rows, 0.98) == close_pairs(rows, 0.98)


def test_the_look_over_few_misses_none() -> None:
    rows = np.eye(4, dtype=np.float32)[[0, 1, 0, 2, 1]]
    assert close_pairs(rows, 0.98) == [(0, 2, 1.0), (1, 4, 1.0)]


def test_a_merge_by_the_command_that_is_named_leaves_no_double(make: Make) -> None:
    space = make({"A.md": LONG * 3, "B.md": LONG * 3}, embed="lexical")
    index(space)
    (found,) = of(space, "duplicate-meaning")
    command = found.cure.partition(", or")[0]
    environ = {"BRAIN_EMBED_MODEL": "lexical", "BRAIN_ENGINE": space.engine, "BRAIN_MACHINE": "m-test"}
    run_brain(space, command, environ)
    index(space)
    assert of(space, "duplicate-meaning") == []


def run_brain(space: Space, command: str, environ: dict[str, str]) -> None:
    from shlex import split

    from tests.commands.support import run

    words = split(command)
    assert words[0] == "brain"
    ran = run(*words[1:], vault=space.vault.root, env=environ)
    assert ran.code == 0, ran.err
