"""Prune: what has faded and that nothing keeps is archived, and comes back with undo."""

from __future__ import annotations

from brain.config import Decay
from brain.facade import Brain
from brain.stages import pruning
from brain.stages.undo import undo
from tests.stages.conftest import Make
from tests.stages.support import Vault

OLD = "---\ncreated: 2019-01-01\nimportance: 0\n{}---\nwords\n"


def archived(vault: Vault) -> list[str]:
    return sorted(path for path, data in vault.bytes().items() if b"status: archived" in data)


def test_a_faded_note_that_nothing_keeps_is_archived_and_no_other(make: Make) -> None:
    vault = make({
        "Old.md": OLD.format(""), "Person.md": OLD.format("type: person\n"), "Category.md": OLD.format("type: category\n"),
        "Pinned.md": OLD.format("pinned: true\n"), "Parent.md": OLD.format(""), "Part.md": OLD.format("part_of: '[[Parent]]'\n"),
        "Linked.md": OLD.format(""), "Fresh.md": "---\ncreated: 2026-04-30\n---\n[[Linked]]\n", "Episode.md": OLD.format("type: episode\n"),
        "Vital.md": "---\ncreated: 2019-01-01\nimportance: 0.7\n---\n", "Inbox/Old.md": OLD.format(""),
        "Dead.md": OLD.format("status: superseded\n"), "Half.md": "---\nimportance: 0\ncreated: [2019\n---\n",
        "Pair.md": OLD.format("") + "[[Old]]\n",
    })  # fmt: skip
    report = pruning.run(vault.ctx)
    assert archived(vault) == ["Old.md", "Pair.md", "Part.md"]
    assert report.found == 3
    assert not pruning.run(vault.ctx).receipts, "a second run finds nothing"


def test_a_note_without_frontmatter_is_archived_by_a_block_of_its_own(make: Make) -> None:
    vault = make({"2019-01-01 walk.md": "words\n", "F.md": "---\ncreated: 2026-04-30\n---\n"}, decay=Decay({"": 1.0}))
    pruning.run(vault.ctx)
    assert archived(vault) == ["2019-01-01 walk.md"]
    assert vault.text("2019-01-01 walk.md").endswith("---\nwords\n")


def test_a_rehearsal_writes_nothing_and_a_limit_is_counted(make: Make) -> None:
    vault = make({f"{name}.md": OLD.format("") for name in "ABC"})
    before = vault.bytes()
    assert len(pruning.run(vault.ctx, dry_run=True).applied) == 3
    assert vault.bytes() == before
    report = pruning.run(vault.ctx, limit=2)
    assert (len(report.applied), report.left_out, len(archived(vault))) == (2, 1, 2)


def test_undo_brings_them_back_byte_for_byte_and_they_are_not_archived_again(make: Make) -> None:
    vault = make({"A.md": OLD.format(""), "B.md": OLD.format("")})
    before = vault.bytes()
    report = pruning.run(vault.ctx)
    undo(vault.ctx, report.run)
    assert vault.bytes() == before
    assert not pruning.run(vault.ctx).receipts


def test_pruning_is_a_verb_of_the_vault(make: Make) -> None:
    vault = make({"A.md": OLD.format("")})
    assert [r.plan.because for r in Brain(vault.space).prune().applied] == ["A.md has faded to 0.000 since 2019-01-01"]
