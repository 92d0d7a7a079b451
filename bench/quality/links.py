"""Which notes the link stage proposes: how many of the links that were hidden it finds again, and how long it takes. Offline.

    python -m bench.quality.links                       real vaults: a fifth of the links hidden, without embeddings
    python -m bench.quality.links --vectors             the same with the default embedding model
    python -m bench.quality.links --keep-words          what a hidden link showed stays in the text, as an unlinked mention would
    python -m bench.quality.links --scale VAULT         seconds and pairs by signal over an indexed vault

A hidden link goes in both directions; everything that joins the two notes is taken out of both. Found again means
that the note which held the link has the other one among its candidates. Seeds differ from run to run by `--seed` alone.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench.vaults import FIXTURES, vaults_in
from brain import __version__
from brain.config import Config, Embed, Limits
from brain.stages.context import context_of
from brain.stages.linking.candidates import Signal, Vault, find_candidates, in_order, survey
from brain.stages.linking.insight import find_hubs
from brain.stages.spelling import with_links, words_of
from brain.sync.run import sync
from brain.sync.space import Space, open_space
from brain.vault.linkscan import Found, find_links
from brain.vault.mask import mask

HIDDEN_SHARE = 0.2
NOTES_PER_RUN = 50
SIGNALS: tuple[Signal, ...] = ("mention", "neighbours", "meaning", "words")
COLUMNS = ("vault", "notes", "hidden", "found", "MRR", "h5", "h10", "cand/note", *SIGNALS, "seconds")
LEGEND = """
found: share of the hidden links among the candidates; MRR, h5, h10: by their place there. By signal: share that it proposed."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A vault without its hidden links: for each of them (source, target) the place of the target and what proposed it."""

    notes: int
    hidden: tuple[tuple[str, str], ...]
    places: Mapping[tuple[str, str], tuple[int, tuple[Signal, ...]]]
    candidates: int
    seconds: float


def main() -> None:
    """Prints what was asked for."""
    given = _arguments()
    model = "minilm" if given.vectors else "none"
    print(f"brain {__version__}, Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, embeddings: {model}\n")
    if given.scale:
        print_scale(given.scale)
        return
    print(" | ".join(COLUMNS))
    print(" | ".join("---" for _ in COLUMNS))
    for vault in vaults_in(given.vaults or FIXTURES):
        with tempfile.TemporaryDirectory() as scratch:
            shutil.copytree(vault, Path(scratch) / "vault", symlinks=True)
            print_row(vault.name, tried(Path(scratch) / "vault", model, seed=given.seed, keep_words=given.keep_words))
    print(LEGEND)


def tried(root: Path, model: str, *, seed: int, keep_words: bool) -> Trial:
    """Hides links of a copy of a vault and looks for them."""
    space = _space(root, model)
    sync(space, embed=False)
    hidden = sorted(Random(seed).sample(pairs := _joined(space), round(len(pairs) * HIDDEN_SHARE)))
    _hide(space, hidden, keep_words=keep_words)
    sync(space)
    began = time.perf_counter()
    ctx = context_of(space)
    vault = survey(ctx)
    live = {note.path: note for note in vault.live.values()}
    ends = [(source, target) for source, target in hidden if source in live and target in live]
    found = find_candidates(ctx, vault, [live[path] for path in sorted({source for source, _ in ends})])
    places = {
        (source, target): (place, candidate.signals)
        for source, target in ends
        for place, candidate in enumerate(found[live[source].nid], start=1)
        if candidate.target.path == target
    }
    return Trial(len(live), tuple(ends), places, sum(map(len, found.values())), time.perf_counter() - began)


def print_row(name: str, trial: Trial) -> None:
    """Prints one vault's figures."""
    hidden = max(1, len(trial.hidden))
    ranks = [place for place, _ in trial.places.values()]
    share = [sum(rank <= most for rank in ranks) / hidden for most in (10**9, 5, 10)]
    by_signal = [sum(signal in signals for _, signals in trial.places.values()) / hidden for signal in SIGNALS]
    per_note = trial.candidates / max(1, len({source for source, _ in trial.hidden}))
    cells = [share[0], sum(1 / rank for rank in ranks) / hidden, *share[1:]]
    print(" | ".join((
        name, str(trial.notes), str(len(trial.hidden)), *(f"{cell:.3f}" for cell in cells), f"{per_note:.1f}",
        *(f"{cell:.3f}" for cell in by_signal), f"{trial.seconds:.1f}",
    )), flush=True)  # fmt: skip


def print_scale(root: Path) -> None:
    """Prints seconds and pairs of one run's candidates, by signal."""
    ctx = context_of(_space(root, "none"))
    began, cpu = time.perf_counter(), time.process_time()
    vault = survey(ctx)
    print(f"survey: {time.perf_counter() - began:.1f} s ({time.process_time() - cpu:.1f} s of processor), {len(vault.live):,} live notes, {vault.mentions.names_left_out:,} names left out by the limit")
    began = time.perf_counter()
    page = in_order(vault)[:NOTES_PER_RUN]
    found = find_candidates(ctx, vault, page)
    print(f"candidates of {len(page)} notes: {time.perf_counter() - began:.1f} s, {sum(map(len, found.values()))} pairs to ask about")
    _print_signals(vault)
    began = time.perf_counter()
    print(f"hubs: {len(find_hubs(ctx)):,} in {time.perf_counter() - began:.1f} s")


def _print_signals(vault: Vault) -> None:
    for signal in SIGNALS:
        if signal in vault.pairs or signal in vault.seconds:
            print(f"  {signal}: {vault.pairs.get(signal, 0):,} pairs, {vault.seconds.get(signal, 0.0):.1f} s")


def _space(root: Path, model: str) -> Space:
    return open_space(root, Config(embed=Embed(model=model)), environ={"BRAIN_MACHINE": "m-bench"})


def _joined(space: Space) -> list[tuple[str, str]]:
    """Returns the note pairs that a link in the text joins, as (holder, target), once for each two notes."""
    with space.catalog() as conn:
        rows = conn.execute(
            "SELECT DISTINCT s.path, t.path FROM link l JOIN note s USING(nid) JOIN note t ON t.nid=l.target_nid"
            " WHERE l.place='body' AND l.status='resolved' AND s.nid<>t.nid ORDER BY 1, 2"
        ).fetchall()
    first: dict[frozenset[str], tuple[str, str]] = {}
    for ends in rows:
        first.setdefault(frozenset(ends), ends)
    return sorted(first.values())


def _hide(space: Space, hidden: list[tuple[str, str]], *, keep_words: bool) -> None:
    """Takes every link between two notes of a hidden pair out of both."""
    apart = {*hidden, *((target, source) for source, target in hidden)}
    with space.catalog() as conn:
        rows = conn.execute(
            "SELECT s.path, t.path, l.raw FROM link l JOIN note s USING(nid) JOIN note t ON t.nid=l.target_nid WHERE l.place='body'"
        ).fetchall()
    wanted: dict[str, set[str]] = {}
    for source, target, raw in rows:
        if (source, target) in apart:
            wanted.setdefault(source, set()).add(raw)
    for path, raws in sorted(wanted.items()):
        place = space.vault.absolute(path)
        place.write_bytes(_without(place.read_bytes().decode("utf-8", "surrogateescape"), raws, keep_words=keep_words).encode("utf-8", "surrogateescape"))


def _without(text: str, raws: set[str], *, keep_words: bool) -> str:
    def shown(link: Found, raw: str) -> str:
        return raw if raw not in raws else words_of(link) if keep_words else ""

    return with_links(text, find_links(mask(text), text, 0, len(text), Limits().link_chars_max), shown)


def _arguments() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description="How many hidden links are proposed again.")
    arguments.add_argument("--vaults", type=Path, metavar="FOLDER")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--vectors", action="store_true")
    arguments.add_argument("--keep-words", action="store_true")
    arguments.add_argument("--scale", type=Path, metavar="VAULT", help="an indexed vault; nothing is written")
    return arguments.parse_args()


if __name__ == "__main__":
    main()
