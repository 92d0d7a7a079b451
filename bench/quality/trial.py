"""A vault of labelled notes, indexed, and everything that matching makes of it: what the tables count."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.quality.records import Ends
from brain.config import Config, Embed
from brain.core.matching.tiers import Judged
from brain.stages.context import Context, context_of
from brain.stages.matching.candidates import Candidates, find_candidates
from brain.stages.matching.facts import live_rows
from brain.stages.matching.find import Profiles, compare, find_matches, index_of
from brain.stages.matching.meaning import meanings_of
from brain.stages.matching.store import Match, open_store
from brain.sync.run import sync
from brain.sync.space import Space, open_space


@dataclass(frozen=True, slots=True)
class Trial:
    """What was found; pairs are paths in order."""

    paths: Mapping[str, str]
    """Note id → path, of the notes that were looked at."""
    candidates: Candidates
    judged: Mapping[Ends, Judged]
    matches: tuple[Match, ...]
    seconds: float

    def ends(self, one: str, other: str) -> Ends:
        """Returns the paths of two note ids, in order."""
        left, right = sorted((self.paths[one], self.paths[other]))
        return left, right


@contextmanager
def indexed(notes: Mapping[str, str], *, model: str = "none") -> Iterator[Space]:
    """Writes notes into a new vault and indexes it; the vault is gone afterwards."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "vault"
        for path, text in notes.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
        space = open_space(root, Config(embed=Embed(model=model)), environ={"BRAIN_MACHINE": "m-bench"})
        sync(space)
        yield space


def examined(space: Space) -> Trial:
    """Runs matching over an indexed vault as a stage would, and keeps what a stage throws away."""
    ctx = context_of(space)
    began = time.perf_counter()
    matches = find_matches(ctx).matches
    seconds = time.perf_counter() - began
    return Trial(*_everything(ctx), matches, seconds)


def _everything(ctx: Context) -> tuple[Mapping[str, str], Candidates, Mapping[Ends, Judged]]:
    with ctx.catalog() as conn, tempfile.TemporaryDirectory() as scratch, open_store(Path(scratch)) as store:
        rows = live_rows(conn, left_out=(ctx.config.folders.timeline, ctx.config.folders.loops))
        index = index_of(ctx, conn, store, rows)
        meanings = meanings_of(ctx, conn, index.row_of.keys())
        candidates = find_candidates(ctx, index, meanings, [row.id for row in rows])
        profiles = Profiles(conn, {row.id: row.nid for row in rows}, index, meanings)
        judged = {}
        for _, pair in compare(profiles, list(candidates.pairs)):
            left, right = sorted((pair.left.path, pair.right.path))
            judged[left, right] = pair
    return {row.id: row.path for row in rows}, candidates, judged
