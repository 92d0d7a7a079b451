"""A real vault, index and graph in a temporary folder, and the stages run on them at a fixed time."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from brain.config import Config, Embed
from brain.core.plan import Plan, Provenance
from brain.stages.context import Context, context_of
from brain.sync.run import sync
from brain.sync.space import Space, open_space

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


class FixedClock:
    """Always the same instant."""

    def now(self) -> datetime:
        return NOW


@dataclass(frozen=True)
class Vault:
    """A vault for one test; `ctx` is made anew on each use, as each command does."""

    root: Path
    space: Space
    numbers: count[int]
    is_indexed: bool = True

    @property
    def ctx(self) -> Context:
        ctx = replace(context_of(self.space, now=NOW), chance=lambda size: f"{next(self.numbers):0{size * 2}d}")
        return ctx if self.is_indexed else replace(ctx, sync=lambda _: None)

    def write(self, path: str, text: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8", "surrogateescape"))

    def text(self, path: str) -> str:
        return (self.root / path).read_bytes().decode("utf-8", "surrogateescape")

    def index(self) -> None:
        sync(self.space, embed=False, now=NOW)

    def bytes(self) -> dict[str, bytes]:
        """All notes, by path."""
        return {p.relative_to(self.root).as_posix(): p.read_bytes() for p in sorted(self.root.rglob("*.md"))}

    def plan(self, *edits: object, because: str = "a test wants it", **more: object) -> Plan:
        """A plan made from the files as they are now."""
        paths = sorted({edit.path for edit in edits if (self.root / edit.path).is_file()})  # type: ignore[attr-defined]
        base = {source.path: source.sha256 for source in self.space.vault.read_many(paths).values()}
        return Plan("edit", str(more.pop("key", because)), base, tuple(edits), because, **more)  # type: ignore[arg-type]


def bare_vault(root: Path, notes: Mapping[str, str]) -> Vault:
    """Writes notes exactly as given and indexes nothing: for tests of the write path alone."""
    root.mkdir(parents=True, exist_ok=True)
    space = open_space(root, Config(embed=Embed(model="none")), FixedClock(), environ={"BRAIN_MACHINE": "m-test"})
    vault = Vault(root, space, count(1), is_indexed=False)
    for path, text in notes.items():
        vault.write(path, text)
    return vault


def make_vault(root: Path, notes: Mapping[str, str], *, engine: str = "kuzu", **settings: object) -> Vault:
    """Writes notes (dedented) and indexes them."""
    root.mkdir(parents=True, exist_ok=True)
    config = Config(engine=engine, embed=Embed(model="none"), **settings)  # type: ignore[arg-type]
    space = open_space(root, config, FixedClock(), environ={"BRAIN_MACHINE": "m-test"})
    vault = Vault(root, space, count(1))
    for path, text in notes.items():
        vault.write(path, textwrap.dedent(text).lstrip("\n"))
    vault.index()
    return vault


def provenance(item: str) -> Provenance:
    """A provenance for tests that do not care about it."""
    return Provenance(item, "E.md", "0" * 64, 1, "words", "because", "rules/1")
