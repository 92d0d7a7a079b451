"""Laws of review on any notes: a yes can be taken back byte for byte, a no lasts, and neither loses a word. On the real engine, few examples each."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain.stages import reconcile, review
from brain.stages.reviewing.item import Choice
from brain.stages.undo import undo
from tests.laws.test_stage_laws import NOTES, unresolved
from tests.stages.support import Vault, make_vault
from tests.stages.test_review import notes_of

PEOPLE = st.lists(NOTES, min_size=2, max_size=4)


def people(folder: str, engine: str, notes: list[str]) -> Vault:
    """A vault whose notes lie in different folders, so that every merge waits for a person."""
    vault = make_vault(Path(folder) / "v", {}, engine=engine)
    for place, (name, text) in enumerate([*zip("ABCD", notes, strict=False), ("L", "[[A]] [[B|b]] [c](c/C.md) ![[D]] [[Bark]]\n")]):
        vault.write(f"{'abcde'[place]}/{name}.md", text)
    vault.index()
    reconcile.run(vault.ctx)
    return vault


@given(notes=PEOPLE)
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
def test_a_yes_breaks_no_link_and_can_be_taken_back(engine: str, notes: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault = people(folder, engine, notes)
        before, broken = notes_of(vault), unresolved(vault)
        done = []
        for _ in range(len(review.queue(vault.ctx).open)):
            item = next(iter(review.queue(vault.ctx).open), None)
            if item is None:
                break
            report = review.decide(vault.ctx, "accept", Choice((item.id,)))
            assert not report.failed or "unlinkable" in item.rules, report.failed
            done += report.applied
        everything = b"\n".join(vault.bytes().values())
        for word in (b"words", b"no end", b"other", b"role", b"z: 1", b"part_of:: [[L]] - so"):
            assert (word in b"\n".join(before.values())) <= (word in everything), word
        assert unresolved(vault) <= broken
        for receipt in reversed(done):
            assert not undo(vault.ctx, receipt.item).left
        assert notes_of(vault) == before


@given(notes=PEOPLE)
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
def test_a_no_lasts_and_can_be_taken_back(engine: str, notes: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault = people(folder, engine, notes)
        before, waiting = notes_of(vault), review.queue(vault.ctx)
        if not waiting.open:
            return
        report = review.decide(vault.ctx, "reject", Choice(every=True))
        assert not report.failed and not review.queue(vault.ctx).all
        shutil.rmtree(vault.root / ".brain" / "index")
        vault.index()
        assert reconcile.run(vault.ctx).is_empty
        for receipt in reversed(report.applied):
            assert not undo(vault.ctx, receipt.item).left
        assert notes_of(vault) == before and review.queue(vault.ctx) == waiting
