"""A vault for one test, indexed, and a look at what doctor says of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from brain.core.dates import iso_utc
from brain.core.finding import Finding
from brain.core.plan import Patch, Plan
from brain.doctor.checks import examine
from brain.stages.record import intent_record
from brain.sync.run import sync
from brain.sync.space import Space
from tests.laws.support import NOW, space_of

Make = Callable[..., Space]


@pytest.fixture
def make(tmp_path: Path, engine: str) -> Make:
    """Writes notes and other files, and indexes them."""

    def made(files: dict[str, str], embed: str = "none") -> Space:
        for path, text in files.items():
            write(tmp_path / "vault", path, text)
        space = space_of(tmp_path / "vault", engine, embed)
        sync(space, now=NOW, embed=False)
        return space

    return made


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(text.encode("utf-8", "surrogateescape"))


def index(space: Space) -> None:
    sync(space, now=NOW)


def of(space: Space, code: str) -> list[Finding]:
    return [finding for finding in examine(space) if finding.code == code]


def brief(space: Space, code: str) -> list[tuple[str, str, int]]:
    """Severity, path and line of what has a code."""
    return [(finding.severity, finding.path, finding.line) for finding in of(space, code)]


def die_half_way(space: Space) -> None:
    """Leaves what a kill leaves between the intent and its end: the note is changed, and nothing says that it landed."""
    before = space.vault.read("A.md")
    plan = Plan("edit", "k", {"A.md": before.sha256}, (), "a test wants it")
    patch = Patch("A.md", before.data, b"[[B]] changed\n")
    space.journal.append([intent_record(plan, [patch], run="r-1", item="r-1.x", decision="d-1", at=iso_utc(NOW))])
    write(space.vault.root, "A.md", "[[B]] changed\n")
