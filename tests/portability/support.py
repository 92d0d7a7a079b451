"""A vault with notes, an attachment, a history and settings, and `Brain` on it at a fixed time."""

from __future__ import annotations

import atexit
import itertools
import shutil
import tempfile
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from brain.facade import Brain
from brain.stages.ledger import read_ledger
from brain.sync.space import open_space
from tests.laws.support import NOW, FixedClock, space_of

NOTES = {
    "Boat.md": "---\ntype: entity\nkind: project\nimportance: 0.8\ncreated: 2026-03-01\n---\n# Boat\n\nA long keel.\n\n## Related\n- depends_on:: [[Keel]] - it would fall over\n",
    "Keel.md": "# Keel\n\nLead, and [[Boat]] stands on it.\n",
    "Folder/Ünï.md": "---\r\naliases: [U]\r\n---\r\nWindows lines, no date.\r\n",
    "Inbox/2026-05-02 talk.md": "---\ntype: episode\ncreated: 2026-05-02\n---\n\nDecided: [[Boat]] gets a red sail.\n",
}


SECONDS = itertools.count()


class TickingClock(FixedClock):
    """Goes on by a second at each look, so that every command has a time of its own, in whatever vault."""

    def now(self) -> datetime:
        return NOW + timedelta(seconds=next(SECONDS))


def brain_at(root: Path, engine: str, embed: str = "lexical") -> Brain:
    """The vault at a place, as a command opens it."""
    space = space_of(root, engine, embed)
    return Brain(open_space(root, space.config, TickingClock(), environ={"BRAIN_MACHINE": "m-test"}))


def make(root: Path, engine: str, *, embed: str = "lexical") -> Brain:
    """A vault whose episode was walked, and whose notes were served once; a copy of one that is made once."""
    if root.exists():
        return made(root, engine, embed)
    shutil.copytree(made_once(engine, embed), root)
    return brain_at(root, engine, embed)


@cache
def made_once(engine: str, embed: str) -> Path:
    """The vault that the others are copies of."""
    folder = Path(tempfile.mkdtemp(prefix="vault-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return made(folder / "vault", engine, embed).root


def made(root: Path, engine: str, embed: str) -> Brain:
    """Writes the notes beside what is there, and works on them."""
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    (root / "brain.toml").write_text(f'engine = "{engine}"\n[embed]\nmodel = "{embed}"\n', "utf-8")
    (root / "sail.png").write_bytes(bytes(range(256)))
    brain = brain_at(root, engine, embed)
    brain.index()
    assert brain.run_stage("walk").applied
    brain.get("Keel")
    brain.index()
    return brain


def files_of(root: Path, *, but: tuple[str, ...] = (".brain",)) -> dict[str, bytes]:
    """Every file of a vault that lies in none of these folders."""
    found = {path.relative_to(root): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
    return {path.as_posix(): data for path, data in found.items() if not set(but) & set(path.parts)}


def journal_of(root: Path) -> dict[str, bytes]:
    """The files of the journal."""
    return files_of(root / ".brain" / "journal")


def is_walked(brain: Brain, path: str) -> bool:
    """Whether the journal counts a walk of the episode, whatever its frontmatter says."""
    return bool(read_ledger(brain.space.journal).walked(brain.get(path, touch=False).note.id))
