"""Laws 1, 2 and 7 of forgetting: whatever is touched, by whom and in what order, weights are what the notes, the journal and now say."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from brain.config import Config, Decay, Embed
from brain.core.dates import iso_utc
from brain.errors import BrainError
from brain.facade import Brain
from brain.sync.run import sync
from brain.sync.space import Space, open_space
from tests.laws.support import NOW, FixedClock, state_of

NOTES = {
    "Ada.md": "---\nkind: person\nimportance: 0.2\n---\n",
    "Top.md": "---\nkind: category\n---\n",
    "Up.md": "---\ncreated: 2018-03-01\nimportance: 0\npart_of: '[[Top]]'\n---\n",
    "a/Mid.md": "---\ncreated: 2024-03-01\nimportance: 0\npart_of: '[[Up]]'\n---\n",
    "a/Low.md": "---\nimportance: 0.1\npart_of: '[[Mid]]'\nhalf_life_days: 4\n---\n## Atoms\n- (fact, verified) leaks ^a-1\n\n## Related\n- depends_on:: [[Leaf]]\n",
    "Leaf.md": "---\nid: n-leaf\ncreated: 2026-05-01\nkind: event\nimportance: 0\npart_of: '[[Low]]'\n---\nOn 3 June.\n",
    "Lone.md": "---\ncreated: 2018-03-01\nimportance: 0\npinned: true\n---\n",
    "b/Old.md": "---\ncreated: 2018-03-01\nimportance: 0\n---\nSee [[Leaf]].\n## Related\n- relates_to:: [[Lone]]\n",
}  # fmt: skip
TEXTS = [
    "---\nid: n-leaf\nimportance: 0\n---\nTaken [[Top]].\n", "---\nkind: event\ncreated: 2026-01-01\nimportance: 0\n---\nFrom 5-7 June to 2 May 2031.\n",
    "---\nimportance: 0\ncreated: 2019-01-01\nlast_confirmed: 2025-01-01\npart_of: '[[Mid]]'\n---\n## Atoms\n- (event) met on 4 May 2026 ^a-2\n",
    "---\nimportance: .nan\npinned: maybe\nhalf_life_days: -3\ncreated: 9999-12-31\n---\n", "part_of:: [[Leaf]]\n",
]  # fmt: skip
NAMES = ["Ada", "Top", "Up", "Mid", "Low", "Leaf", "Lone", "Old", "New"]
FOLDERS = st.dictionaries(st.sampled_from(["a", "b", "a/c", ""]), st.sampled_from([1.0, 30.0, 4000.0]), max_size=2)
name = st.sampled_from(NAMES)


class ForgettingMachine(RuleBasedStateMachine):
    """Touches of two machines, hands and a clock over a small tree."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="law-"))
        self.root = self.folder / "vault"
        self.clock, self.decay = FixedClock(NOW), Decay()
        for path, text in NOTES.items():
            self.put(path, text)
        self.brain.index(embed=False)

    @property
    def brain(self) -> Brain:
        return Brain(self.space(self.root))

    def space(self, root: Path) -> Space:
        config = Config(engine=os.environ.get("BRAIN_ENGINE", "kuzu"), embed=Embed(model="none"), decay=self.decay)
        return open_space(root, config, self.clock, environ={"BRAIN_MACHINE": "m-test"})

    def teardown(self) -> None:
        try:
            self.is_a_rebuild()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def put(self, path: str, text: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")

    @rule(note=name, is_by_hand=st.booleans())
    def touch(self, note: str, is_by_hand: bool) -> None:
        try:
            if is_by_hand:
                assert self.brain.reinforce(note).after == 1.0
            else:
                self.brain.get(note)
        except BrainError as error:
            assert error.cure

    @rule(data=st.data(), days=st.integers(-3000, 30), levels=st.lists(st.lists(st.integers(0, 9), max_size=3), min_size=1, max_size=4))
    def touch_elsewhere(self, data: st.DataObject, days: int, levels: list[list[int]]) -> None:
        """Another machine's record comes, of any time."""
        ids = [*self.rows("SELECT id FROM note ORDER BY path"), "n-unknown"]
        served, *above = [[ids[at % len(ids)] for at in level] for level in levels]
        self.comes({"kind": "touched", "at": iso_utc(self.clock.now() + timedelta(days=days)), "ids": served, "above": above})

    @rule(data=st.data(), days=st.integers(-3000, 0))
    def written_elsewhere(self, data: st.DataObject, days: int) -> None:
        relations = "SELECT s.path||'|'||l.edge_type||'|'||t.path FROM link l JOIN note s USING(nid) JOIN note t ON t.nid=l.target_nid WHERE l.edge_type<>''"
        item = data.draw(st.sampled_from(["a-1", "a-2", *sorted(set(self.rows(relations)))]))
        record = {"item": item, "plan": "p", "episode": "E.md", "line": 1, "quote": "q", "reason": "r", "judge": "rules/1"}
        self.comes({"kind": "provenance", "at": iso_utc(self.clock.now() + timedelta(days=days)), **record})

    @rule(days=st.integers(-400, 400))
    def time_passes(self, days: int) -> None:
        self.clock.moment += timedelta(days=days)

    @rule(folders=FOLDERS)
    def set_half_lives(self, folders: dict[str, float]) -> None:
        self.decay = Decay(folders=folders)

    @rule(path=st.sampled_from([*NOTES, "New.md", "a/c/Leaf.md"]), text=st.sampled_from([*TEXTS, *NOTES.values()]))
    def write(self, path: str, text: str) -> None:
        self.put(path, text)

    @rule(data=st.data(), to=st.none() | st.sampled_from(["a/c/Moved.md", "b/Leaf.md", "New.md"]))
    def rename_or_delete(self, data: st.DataObject, to: str | None) -> None:
        path = self.root / data.draw(st.sampled_from(sorted(self.rows("SELECT path FROM note"))))
        if path.exists() and to is None:
            path.unlink()
        elif path.exists() and to is not None:
            (self.root / to).parent.mkdir(parents=True, exist_ok=True)
            path.replace(self.root / to)

    @rule(note=name, parent=st.none() | name, value=st.sampled_from([None, 0.0, 1.0]), pin=st.none() | st.booleans())
    def change_by_hand(self, note: str, parent: str | None, value: float | None, pin: bool | None) -> None:
        for act in (
            lambda: parent and self.brain.move(note, parent), lambda: value is not None and self.brain.importance(note, value),
            lambda: pin is not None and self.brain.pin(note, off=pin),
        ):  # fmt: skip
            try:
                act()
            except BrainError as error:
                assert error.cure

    @rule(limit=st.sampled_from([None, 1]))
    def prune(self, limit: int | None) -> None:
        """What a rehearsal names is archived, and nothing that is pinned or was touched now; then nothing is left to do."""
        planned = [receipt.plan.key for receipt in self.brain.prune(limit=limit, dry_run=True).applied]
        report = self.brain.prune(limit=limit)
        assert [receipt.plan.key for receipt in report.applied] == planned
        for receipt in report.applied:
            (patch,) = receipt.patches
            assert b"pinned: true" not in (patch.before or b"") and b"archived" in (patch.after or b"")
        assert limit or not self.brain.prune().receipts

    @rule()
    def undo(self) -> None:
        self.brain.index(embed=False)
        try:
            self.brain.undo()
        except BrainError as error:
            assert error.cure

    @rule()
    def weighing_again_changes_nothing(self) -> None:
        self.brain.decay()
        once = state_of(self.space(self.root))
        self.brain.decay(at=self.clock.now() + timedelta(days=900))
        self.brain.decay()
        assert state_of(self.space(self.root)) == once

    @rule()
    def is_a_rebuild(self) -> None:
        self.brain.decay()
        kept = rounded(state_of(self.space(self.root)))
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.root, copy)
        shutil.rmtree(copy / ".brain/index")
        spread(copy / ".brain/journal")
        anew = self.space(copy)
        sync(anew, now=self.clock.now())
        assert kept == rounded(state_of(anew))

    def rows(self, query: str) -> list[str]:
        with self.space(self.root).catalog() as conn:
            return [text for (text,) in conn.execute(query)]

    def comes(self, record: dict[str, object]) -> None:
        place = self.root / ".brain/journal/m-other/2026-05.jsonl"
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def spread(journal: Path) -> None:
    """Gives every record of a touch and of what was written to a third machine, in the opposite order."""
    taken: list[str] = []
    for place in sorted(journal.rglob("*.jsonl")):
        lines = place.read_text("utf-8").splitlines(keepends=True)
        taken += [line for line in lines if json.loads(line)["kind"] in ("touched", "provenance")]
        place.write_text("".join(line for line in lines if json.loads(line)["kind"] not in ("touched", "provenance")), "utf-8")
    (journal / "m-third").mkdir(parents=True)
    (journal / "m-third/2026-05.jsonl").write_text("".join(reversed(taken)), "utf-8")


def rounded(state: dict[str, list[str]]) -> dict[str, list[str]]:
    """Weights to nine places: the engine and Python compute powers in ways that differ in the last bit."""
    return {table: [re.sub(r"'weight', ([^)]+)\)", lambda found: f"'weight', {float(found[1]):.9f})", row) for row in rows] for table, rows in state.items()}


TestForgettingLaws = ForgettingMachine.TestCase
TestForgettingLaws.settings = settings(
    max_examples=int(os.environ.get("BRAIN_LAW_EXAMPLES", "6")), stateful_step_count=12, deadline=None, report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.reuse, Phase.generate),
)  # fmt: skip
