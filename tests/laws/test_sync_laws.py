"""Laws 1, 2 and 7: any edits, with syncs at any points, equal a rebuild; and the notes are never touched."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from brain.core.dates import iso_utc
from brain.sync.run import sync
from tests.laws.support import NOW, rebuilt_state, space_of, state_of

NAMES = ["Ada", "Bob", "ada", "Note one", "Café", "C++"]
FOLDERS = ["", "People/", "Work/Deep/"]
paths = st.builds(lambda folder, name: f"{folder}{name}.md", st.sampled_from(FOLDERS), st.sampled_from(NAMES))
targets = st.sampled_from([*NAMES, "People/Ada", "Countess", "missing", "Work/Deep/Bob#Notes"])
lines = st.one_of(
    st.builds("See [[{}]] today.".format, targets),
    st.builds("works_at:: [[{}]] - told in a call".format, targets),
    st.builds("![[{}]]".format, targets),
    st.builds("[text]({}.md)".format, st.sampled_from(["Ada", "People/Ada", "../Bob"])),
    st.sampled_from(["plain words", "#tag/sub here", "## Notes", "```", "a@b.c and ADR-016", "知识图谱"]),
)
atoms = st.builds(
    "- ({}, verified) {} [[{}]]{}".format,
    st.sampled_from(["fact", "decision", "fact, superseded 2026-03-04 by ^a-1"]),
    st.sampled_from(["Likes tea.", "Works at [[Bob]]."]),
    targets,
    st.sampled_from(["", " ^a-1", " ^a-2"]),
)
frontmatters = st.sampled_from(
    [
        "", "---\ntype: entity\nkind: person\naliases: [Countess]\n---\n", "---\nid: n-fixed\n---\n",
        '---\npart_of: "[[Bob]]"\nimportance: 0.9\nlast_confirmed: 2026-05-01\n---\n',
        '---\nstatus: superseded\nsuperseded_by: "[[Ada]]"\n---\n', '---\ndistinct_from: ["[[Bob]]"]\n---\n',
        "---\nbroken: [\n---\n", "---\r\nkind: project\r\n---\r\n",
    ]
)  # fmt: skip
bodies = st.builds(
    lambda front, some, claims: front + "\n".join(some) + ("\n## Atoms\n" + "\n".join(claims) if claims else "") + "\n",
    frontmatters, st.lists(lines, max_size=4), st.lists(atoms, max_size=3),
)  # fmt: skip


class SyncMachine(RuleBasedStateMachine):
    """A vault under edits. The model is the file system itself; the law is equality with a rebuild."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="law-"))
        self.root = self.folder / "vault"
        self.root.mkdir()
        self.space = space_of(self.root, os.environ.get("BRAIN_ENGINE", "kuzu"), "lexical")

    def teardown(self) -> None:
        sync(self.space, now=NOW)
        self.incremental_equals_rebuild()
        shutil.rmtree(self.folder, ignore_errors=True)

    @initialize(first=st.lists(st.tuples(paths, bodies), min_size=1, max_size=4))
    def some_notes(self, first: list[tuple[str, str]]) -> None:
        for path, body in first:
            self.write(path, body)

    @rule(path=paths, body=bodies)
    def write(self, path: str, body: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(body.encode())

    @rule(data=st.data(), to=paths)
    def rename(self, data: st.DataObject, to: str) -> None:
        notes = self.notes()
        if notes:
            source = data.draw(st.sampled_from(notes))
            (self.root / to).parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.root / source, self.root / to)

    @rule(data=st.data())
    def change_case(self, data: st.DataObject) -> None:
        notes = self.notes()
        if notes:
            source = data.draw(st.sampled_from(notes))
            folder, _, name = source.rpartition("/")
            os.replace(self.root / source, self.root / folder / name.swapcase().replace(".MD", ".md"))

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        notes = self.notes()
        if notes:
            (self.root / data.draw(st.sampled_from(notes))).unlink()

    @rule(data=st.data())
    def conflict_copy(self, data: st.DataObject) -> None:
        notes = [note for note in self.notes() if "sync-conflict" not in note]
        if notes:
            source = self.root / data.draw(st.sampled_from(notes))
            shutil.copy(source, source.with_name(f"{source.stem}.sync-conflict-20260101-000000-ABC.md"))

    @rule(data=st.data(), day=st.integers(1, 28))
    def touch(self, data: st.DataObject, day: int) -> None:
        """A note was served on some day: a touch record, from this machine or another."""
        if not self.is_indexed():
            return
        with self.space.catalog() as conn:
            ids = [row[0] for row in conn.execute("SELECT id FROM note ORDER BY id")]
        if ids:
            at = iso_utc(NOW.replace(month=5, day=day))
            self.space.journal.append([{"kind": "touched", "at": at, "ids": [data.draw(st.sampled_from(ids))]}])

    @rule()
    def sync_all(self) -> None:
        before = self.bytes_of_notes()
        sync(self.space, now=NOW)
        assert self.bytes_of_notes() == before

    @rule(data=st.data())
    def sync_one(self, data: st.DataObject) -> None:
        """A watcher names one path; what it does not name must still be found by the next whole sync."""
        notes = self.notes()
        if notes:
            sync(self.space, paths=[data.draw(st.sampled_from(notes))], now=NOW)

    @rule()
    def graph_lost(self) -> None:
        self.space.graph_path.unlink(missing_ok=True)

    @rule()
    def incremental_equals_rebuild(self) -> None:
        if not self.is_indexed():
            return
        sync(self.space, now=NOW)
        kept, made_anew = state_of(self.space), rebuilt_state(self.space)
        assert kept == made_anew

    def is_indexed(self) -> bool:
        return self.space.layout.catalog_path.exists()

    def notes(self) -> list[str]:
        return sorted(p.relative_to(self.root).as_posix() for p in self.root.rglob("*.md"))

    def bytes_of_notes(self) -> dict[str, bytes]:
        return {path: (self.root / path).read_bytes() for path in self.notes()}


TestSyncLaws = SyncMachine.TestCase
TestSyncLaws.settings = settings(
    max_examples=int(os.environ.get("BRAIN_LAW_EXAMPLES", "12")), stateful_step_count=14, deadline=None, report_multiple_bugs=False
)
