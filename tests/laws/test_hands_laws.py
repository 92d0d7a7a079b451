"""Whatever a person does by hand, in any order: the index stays what a rebuild gives, the tree a tree, and undo gives the first bytes back."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from brain.core.plan import VIEWS
from brain.core.tree import rings_of
from brain.doctor.checks import examine
from brain.errors import BrainError
from brain.facade import Brain
from brain.stages.hands.hand import Done
from brain.stages.ledger import read_ledger
from brain.stages.undo import undo
from tests.laws.support import rebuilt_state, state_of
from tests.stages.support import NOW, make_vault

NOTES = {
    "People/Ada.md": "---\nkind: person\nimportance: 1\n---\nThe owner of [[Boat]].\n",
    "Work.md": "---\nkind: category\n---\n## Related\n- part_of:: [[Ada]]\n",
    "Play.md": "---\nkind: category\npart_of: '[[Ada]]'\n---\n",
    "Boat.md": "---\nid: n-boat\nkind: project # mine\naliases: [Ship]\ntags:\n  - sea\n---\n# Boat\n\nA boat with a [keel](a/Keel.md).\n\n## Atoms\n- (fact, verified) leaks [[E1]] ^a-1\n\n## Related\n- part_of:: [[Work]] - she said so\n- depends_on:: [[Keel]], [[Sail]]\n",
    "a/Keel.md": "---\r\ntype: artifact\r\nup: \"[[Boat]]\"\r\npart_of: \"[[Boat]]\"\r\n---\r\nHeavy. ![x](pic.png)\r\n\r\n## Related\r\n- created_by:: [[Bob]]\r\n",
    "a/Sail.md": "\ufeffWhite %% hidden %%, [part_of:: [[Boat]]] of old.\n\n## History\nSee [[a/Keel#Related|keel]] and ![[Boat]].\n",
    "People/Bob.md": "---\nkind: person\npinned: true\nrelates_to:\n  - '[[Keel]]'\n  - '[[Ship]]'\n---\nMade [[a/Keel]], `[[Boat]]`.\n",
    "b/Notes.md": "Plain [[Boat|the boat]], [[Ship]], [it](../a/Keel.md) and [[Boat#Atoms]].\n",
    "Inbox/E1.md": "---\ntype: episode\n---\nFact: [[Boat]] leaks, [[a/Sail]] is white.\n",
    "Old boat.md": "---\nstatus: superseded\nsuperseded_by: \"[[Boat]]\"\n---\nSee [[Keel]].\n",
}  # fmt: skip
NAMES = ["Ada", "Work", "Play", "Boat", "Keel", "Sail", "Bob", "Notes", "E1", "Old boat", "Ship", "New", "New one", "keel"]
KINDS = ["person", "project", "concept", "note", "category", "tool", "insight", "nonsense"]
RELATIONS = ["depends_on", "relates_to", "created_by", "part_of", "same_entity", "about", "nonsense"]
FOLDERS = ["/", "a", "b", "c/d", "Inbox"]
name = st.sampled_from(NAMES)


class HandsMachine(RuleBasedStateMachine):
    """Every hand, refused ones too, over a small vault with a tree."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="law-"))
        self.vault = make_vault(self.folder / "vault", {}, engine=os.environ.get("BRAIN_ENGINE", "kuzu"), owner="Ada")
        for path, text in NOTES.items():
            self.vault.write(path, text)
        (self.vault.root / "a/pic.png").write_bytes(b"picture")
        self.brain = Brain(self.vault.space)
        self.brain.index(embed=False)
        self.first = self.notes()

    def teardown(self) -> None:
        try:
            self.is_a_rebuild()
            for record in reversed([record for record in self.records() if record["files"]]):
                report = undo(self.vault.ctx, record["item"])
                assert report.left == (), report.left
            assert self.notes() == self.first
            self.is_a_rebuild()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    @rule(one=name, other=name, is_other_kept=st.booleans(), dry_run=st.booleans())
    def merge(self, one: str, other: str, is_other_kept: bool, dry_run: bool) -> None:
        self.by_hand(lambda: self.brain.merge(one, other, into=other if is_other_kept else None, dry_run=dry_run), dry_run)

    @rule(note=name)
    def split(self, note: str) -> None:
        before = self.notes()
        try:
            report = self.brain.split(note).report
        except BrainError as error:
            self.is_refused(error, before)
        else:
            assert self.notes() == before if report.left else report.undone
            self.holds()

    @rule(note=name, parent=st.none() | name, to=st.none() | st.sampled_from(FOLDERS), top=st.booleans(), dry_run=st.booleans())
    def move(self, note: str, parent: str | None, to: str | None, top: bool, dry_run: bool) -> None:
        self.by_hand(lambda: self.brain.move(note, parent, to=to, top=top and parent is None, dry_run=dry_run), dry_run, is_settled=to is None)

    @rule(note=name, parent=name)
    def hang(self, note: str, parent: str) -> None:
        self.by_hand(lambda: self.brain.move(note, parent), False)

    @rule(note=name, new=st.sampled_from([*NAMES, "boat", "KEEL", "a/b", "x#y"]), dry_run=st.booleans())
    def rename(self, note: str, new: str, dry_run: bool) -> None:
        self.by_hand(lambda: self.brain.rename(note, new, dry_run=dry_run), dry_run, is_settled=False)

    @rule(folder=st.sampled_from(["a", "b", "People", "Inbox", "c"]), new=st.sampled_from(["e", "a", "b"]))
    def rename_folder(self, folder: str, new: str) -> None:
        self.by_hand(lambda: self.brain.rename(folder, new), False, is_settled=False)

    @rule(note=name, kind=st.sampled_from(KINDS), is_filed=st.booleans())
    def retype(self, note: str, kind: str, is_filed: bool) -> None:
        self.by_hand(lambda: self.brain.retype(note, kind, file=is_filed), False, is_settled=not is_filed)

    @rule(note=name, words=st.sampled_from(["What it is.", "Two\nlines with [[Boat]].", "## Atoms\n- mine", "```", "[part_of:: [[Work]]]", " "]))
    def describe(self, note: str, words: str) -> None:
        self.by_hand(lambda: self.brain.describe(note, words), False)

    @rule(note=name, back=st.booleans())
    def forget(self, note: str, back: bool) -> None:
        self.by_hand(lambda: self.brain.forget(note, back=back), False)

    @rule(note=name, value=st.sampled_from([0.0, 0.5, 1.0, 7.0]))
    def importance(self, note: str, value: float) -> None:
        self.by_hand(lambda: self.brain.importance(note, value), False)

    @rule(note=name, off=st.booleans())
    def pin(self, note: str, off: bool) -> None:
        self.by_hand(lambda: self.brain.pin(note, off=off), False)

    @rule(note=name, tags=st.lists(st.sampled_from(["sea", "#work/garden", "12", "Sea"]), min_size=1, max_size=2), off=st.booleans())
    def tag(self, note: str, tags: list[str], off: bool) -> None:
        self.by_hand(lambda: self.brain.tag(note, tags, off=off), False)

    @rule(one=name, relation=st.sampled_from(RELATIONS), other=name, reason=st.sampled_from(["", "since [[Boat]] - so"]), dry_run=st.booleans())
    def link(self, one: str, relation: str, other: str, reason: str, dry_run: bool) -> None:
        self.by_hand(lambda: self.brain.link(one, relation, other, reason=reason, dry_run=dry_run), dry_run)

    @rule(one=name, other=name, relation=st.none() | st.sampled_from(RELATIONS))
    def unlink(self, one: str, other: str, relation: str | None) -> None:
        self.by_hand(lambda: self.brain.unlink(one, other, relation=relation), False)

    def by_hand(self, act: Callable[[], Done], dry_run: bool, *, is_settled: bool = True) -> None:
        """Does one thing; a refusal and a rehearsal change nothing, and the same once more has nothing to do."""
        before = self.notes()
        try:
            done = act()
        except BrainError as error:
            self.is_refused(error, before)
            return
        if dry_run or not done.receipts:
            assert self.notes() == before
            return
        assert self.notes() != before
        self.holds()
        if is_settled:
            assert act().receipts == ()

    def is_refused(self, error: BrainError, before: dict[str, bytes]) -> None:
        assert error.message and error.cure
        assert self.notes() == before

    def holds(self) -> None:
        """The index is up to the files, every note has one parent at most, nothing goes round, no relation dangles."""
        report = self.brain.index(embed=False)
        assert not (report.added or report.changed or report.removed or report.moved), report
        with self.vault.space.catalog() as conn:
            rows = conn.execute("SELECT s.path, t.path, l.status, l.edge_type, s.status FROM link l JOIN note s USING(nid) LEFT JOIN note t ON t.nid=l.target_nid")
            links = [row for row in rows if row[3] is not None]
        assert [row for row in links if row[2] not in ("resolved", "self")] == []
        parents: dict[str, set[str]] = {}
        for source, target, _, kind, status in links:
            if kind == "part_of" and status not in ("superseded", "archived") and source != target:
                parents.setdefault(source, set()).add(target)
        assert {path: above for path, above in parents.items() if len(above) > 1} == {}
        assert rings_of({path: sorted(above) for path, above in parents.items()}) == []
        assert [finding for finding in examine(self.vault.space) if finding.severity == "error"] == []
        self.is_a_rebuild()

    def is_a_rebuild(self) -> None:
        assert state_of(self.vault.space) == rebuilt_state(self.vault.space, now=NOW)

    def records(self) -> list[dict[str, object]]:
        ledger = read_ledger(self.vault.space.journal)
        return [record for item, record in ledger.intents.items() if item in ledger.landed and record["stage"] not in VIEWS]

    def notes(self) -> dict[str, bytes]:
        return {path: data for path, data in self.vault.bytes().items() if not path.startswith("Timeline/")}


TestHandsLaws = HandsMachine.TestCase
TestHandsLaws.settings = settings(
    max_examples=int(os.environ.get("BRAIN_LAW_EXAMPLES", "5")), stateful_step_count=12, deadline=None, report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.reuse, Phase.generate),
)  # fmt: skip
