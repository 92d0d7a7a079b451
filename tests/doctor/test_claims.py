"""Claims that want a look: overtaken, resting on what is superseded, without a source."""

from __future__ import annotations

from brain.core.dates import iso_utc
from brain.stages.confirm import confirm
from brain.stages.context import context_of
from tests.doctor.conftest import Make, brief, index, of, write
from tests.laws.support import NOW


def test_a_plan_of_long_ago_is_overtaken_until_it_has_an_end(make: Make) -> None:
    space = make({"A.md": "## Atoms\n- (fact, verified) Ada will move to Graz. (from 2025-01-01) ^a1\n"})
    (found,) = of(space, "overtaken-claim")
    assert (found.severity, found.path, found.line) == ("info", "A.md", 2)
    assert "end line 2 with (to DATE)" in found.cure
    write(space.vault.root, "A.md", "## Atoms\n- (fact, verified) Ada will move to Graz. (from 2025-01-01) (to 2025-03-01) ^a1\n")
    index(space)
    assert of(space, "overtaken-claim") == []


def test_a_link_to_a_superseded_claim_is_a_warning_until_the_note_is_confirmed(make: Make) -> None:
    old = "## Atoms\n- (fact, verified, superseded 2026-01-01 by ^a2) Ada lives in Graz. ^a1\n- (fact, verified) Ada lives in Linz. ^a2\n"
    space = make({"A.md": old, "B.md": "Write to her in [[A#^a1]].\n"})
    (found,) = of(space, "rests-on-superseded")
    assert (found.severity, found.path, found.line) == ("warning", "B.md", 1)
    assert found.cure.startswith("still so: brain stale --confirm B.md;")
    confirm(context_of(space, now=NOW), "B.md")
    index(space)
    assert of(space, "rests-on-superseded") == []


def test_an_inferred_claim_names_what_it_comes_from_or_is_found(make: Make) -> None:
    space = make({"A.md": "## Atoms\n- (fact, inferred) Ada likes tea. ^a1\n- A person wrote this.\n- (fact, verified) And this.\n", "E.md": "[[A]]\n"})
    assert brief(space, "unsourced-claim") == [("info", "A.md", 2)]
    write(space.vault.root, "A.md", "## Atoms\n- (fact, inferred) Ada likes tea. [[E]] ^a1\n- A person wrote this.\n")
    index(space)
    assert of(space, "unsourced-claim") == []


def test_a_claim_that_the_journal_knows_is_brains_whatever_it_says_of_itself(make: Make) -> None:
    space = make({"A.md": "## Atoms\n- Ada likes tea. ^a1\n", "E.md": "[[A]]\n"})
    assert of(space, "unsourced-claim") == []
    source = {"item": "a1", "episode": "E.md", "episode_sha256": "0" * 64, "line": 1, "quote": "x", "reason": "x", "judge": "rules/1"}
    space.journal.append([{"kind": "provenance", "at": iso_utc(NOW), "plan": "r-1.x", **source}])
    index(space)
    (found,) = of(space, "unsourced-claim")
    write(space.vault.root, "A.md", "## Atoms\n- (fact, verified) Ada likes tea. ^a1\n")
    assert "or (fact, verified) if you know it" in found.cure
    index(space)
    assert of(space, "unsourced-claim") == []


def test_a_claim_whose_only_episode_is_gone_is_found_until_that_is_back(make: Make) -> None:
    space = make({"A.md": "## Atoms\n- (fact, inferred) Ada likes tea. [[Talk]] ^a1\n- (fact, inferred) And cake. [[Talk]] [[B]] ^a2\n", "B.md": "b\n"})
    (found,) = of(space, "lost-source")
    assert (found.severity, found.path, found.line) == ("info", "A.md", 2)
    assert "Talk" in found.message and "brain explain a1" in found.cure
    write(space.vault.root, "Talk.md", "Ada likes tea.\n")
    index(space)
    assert of(space, "lost-source") == []
