"""Laws 1 and 2 for renames: whatever is renamed, edited, copied and begun anew, in any order and between any
syncs, the stores equal a rebuild, no two notes have one id, and a note whose bytes moved alone keeps its own."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from brain.sync.run import sync
from tests.laws.support import NOW, rebuilt_state, space_of, state_of
from tests.sync.support import words

paths = st.builds("{}{}.md".format, st.sampled_from(["", "Deep/"]), st.sampled_from(["Ada", "ada", "Bob", "Cy"]))
tails = st.sampled_from(["", " and more", " [[Bob]]", "\n\n" + words(9_000, 12)])
bodies = st.builds(lambda block, tail: words(100 * block, 20) + tail, st.integers(0, 3), tails)


class MovesMachine(RuleBasedStateMachine):
    """A vault whose notes move about. `fresh` tells whether the catalog is of the files as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="moves-"))
        self.root = self.folder / "vault"
        self.root.mkdir()
        self.space = space_of(self.root, os.environ.get("BRAIN_ENGINE", "kuzu"))
        self.fresh = False

    def teardown(self) -> None:
        self.sync_all()
        assert state_of(self.space) == rebuilt_state(self.space)
        shutil.rmtree(self.folder, ignore_errors=True)

    @rule(path=paths, body=bodies)
    def write(self, path: str, body: str) -> None:
        self.place(path).write_text(body)
        self.fresh = False

    @precondition(lambda self: self.notes())
    @rule(data=st.data(), to=paths, tail=tails, is_new_file=st.booleans())
    def rename_and_edit(self, data: st.DataObject, to: str, tail: str, is_new_file: bool) -> None:
        source = self.drawn(data)
        text = source.read_text() + tail
        os.replace(source, self.place(to))
        if is_new_file:
            (self.root / ".saving").write_text(text)
            os.replace(self.root / ".saving", self.root / to)
        else:
            (self.root / to).write_text(text)
        self.fresh = False

    @precondition(lambda self: self.notes())
    @rule(data=st.data(), to=paths, body=bodies)
    def rename_and_begin_anew(self, data: st.DataObject, to: str, body: str) -> None:
        source = self.drawn(data)
        os.replace(source, self.place(to))
        source.write_text(body)
        self.fresh = False

    @precondition(lambda self: self.notes())
    @rule(data=st.data(), to=paths)
    def copy(self, data: st.DataObject, to: str) -> None:
        source = self.drawn(data)
        if source != self.place(to):
            shutil.copy2(source, self.place(to))
            self.fresh = False

    @precondition(lambda self: self.notes())
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        self.drawn(data).unlink()
        self.fresh = False

    @rule()
    def sync_all(self) -> None:
        sync(self.space, now=NOW)
        self.fresh = True

    @precondition(lambda self: self.notes())
    @rule(data=st.data())
    def sync_one(self, data: st.DataObject) -> None:
        sync(self.space, paths=[self.drawn(data).relative_to(self.root).as_posix()], now=NOW)

    @precondition(lambda self: self.fresh and self.notes())
    @rule(data=st.data(), to=paths)
    def a_move_alone_keeps_the_id(self, data: st.DataObject, to: str) -> None:
        source = self.drawn(data)
        if self.place(to).exists():
            return
        path = source.relative_to(self.root).as_posix()
        before = self.ids()
        os.rename(source, self.root / to)
        sync(self.space, now=NOW)
        after = self.ids()
        assert after.pop(to) == before.pop(path) and after == before

    def ids(self) -> dict[str, str]:
        with self.space.catalog() as conn:
            return dict(conn.execute("SELECT path, id FROM note"))

    def place(self, path: str) -> Path:
        (self.root / path).parent.mkdir(exist_ok=True)
        return self.root / path

    def drawn(self, data: st.DataObject) -> Path:
        return data.draw(st.sampled_from(self.notes()))

    def notes(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*.md") if not path.name.startswith("."))


TestMovesLaws = MovesMachine.TestCase
TestMovesLaws.settings = settings(
    max_examples=int(os.environ.get("BRAIN_LAW_EXAMPLES", "12")), stateful_step_count=14, deadline=None, report_multiple_bugs=False
)
