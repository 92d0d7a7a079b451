"""Which notes are one thing: how well that is told without a language model. Offline.

    python -m bench.quality.matching                           records, real vaults and the labelled set
    python -m bench.quality.matching --set FOLDER --split kept the labelled set alone
    python -m bench.quality.matching --vaults FOLDER           what would be merged in real vaults: read each line
    python -m bench.quality.matching --records FOLDER          `febrl/` and `splink/` in that folder
    python -m bench.quality.matching --scale VAULT             seconds and pairs by signal; a run with nothing to do

`--vectors` embeds the notes with the default model first, `--json FILE` writes the figures down. Cuts were
chosen on Febrl 1 and on the split `tune` of the labelled set; `kept` is looked at when a method is finished.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from functools import reduce
from operator import add
from pathlib import Path

from bench.quality import records
from bench.quality.records import Labelled
from bench.quality.tally import COLUMNS, LEGEND, Figures, Tally, tally_of
from bench.quality.trial import examined, indexed
from bench.scale import machine
from bench.vaults import vaults_in
from brain import __version__
from brain.config import Config, Embed
from brain.stages.context import context_of
from brain.stages.matching.find import find_matches
from brain.sync.run import sync
from brain.sync.space import open_space

FIXTURES = Path(os.environ.get("BRAIN_FIXTURES", Path(__file__).resolve().parents[3] / "shared"))
SETS = Path(__file__).resolve().parent / "sets"


def main() -> None:
    """Prints the tables asked for."""
    given = _arguments()
    is_all = not (given.set or given.vaults or given.records or given.scale)
    print(f"brain {__version__}, Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, embeddings: {_model(given)}\n")
    figures: list[Figures] = []
    if given.records or is_all:
        figures += print_table(record_sets(given.records or FIXTURES / "datasets"), _model(given))
    if given.set or is_all:
        for split in ("tune", "kept") if given.split == "both" else (given.split,):
            print(f"\nlabelled set, {split}")
            figures += print_table(records.worlds(given.set or SETS, split), _model(given), total=f"labelled, {split}")
    merges = print_vaults(given.vaults or FIXTURES / "vaults", given.top) if given.vaults or is_all else {}
    if given.scale:
        print_scale(given.scale)
    if given.json:
        written = {"machine": machine(), "embeddings": _model(given), "sets": figures, "merges_by_rules_in_real_vaults": merges}
        given.json.write_text(json.dumps(written, indent=1, sort_keys=True) + "\n", "utf-8")


def record_sets(folder: Path) -> Iterator[Labelled]:
    """Yields the record sets that lie in a folder."""
    yield from (records.febrl(folder / "febrl", number) for number in (1, 2, 3))
    yield records.splink(folder / "splink")


def print_table(sets: Iterator[Labelled], model: str, *, total: str = "") -> list[Figures]:
    """Prints a row for each set, and one for all when that has a name; returns the figures of each set, or those of all."""
    print(" | ".join(COLUMNS))
    print(" | ".join("---" for _ in COLUMNS))
    tallies = []
    for labelled in sets:
        with indexed(labelled.notes, model=model) as space:
            trial = examined(space)
        tallies.append(tally_of(trial, labelled))
        print(row_of(tallies[-1]), flush=True)
    if total and tallies:
        tallies = [reduce(add, tallies).named(total)]
        print(row_of(tallies[0]))
    print(LEGEND)
    return [tally.figures for tally in tallies]


def row_of(tally: Tally) -> str:
    """Returns a row of the table."""
    return " | ".join(str(tally.figures[column]) for column in COLUMNS)


def print_vaults(folder: Path, top: int) -> Mapping[str, int]:
    """Prints what rules alone would merge in real vaults, and the first questions; returns the number of merges."""
    merges = {}
    for vault in vaults_in(folder):
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / "vault"
            shutil.copytree(vault, copy, symlinks=True)
            space = open_space(copy, Config(embed=Embed(model="none")), environ={"BRAIN_MACHINE": "m-bench"})
            sync(space)
            trial = examined(space)
        certain = [match for match in trial.matches if match.tier == "certain"]
        questions = [match for match in trial.matches if match.tier != "certain"]
        merges[vault.name] = len(certain)
        print(f"{vault.name}: {len(trial.paths)} notes, {len(certain)} merges by rules alone, {len(questions)} questions, {trial.seconds:.1f} s", flush=True)
        for match in [*certain, *questions[:top]]:
            left, right = trial.ends(match.one, match.other)
            print(f"  {match.tier} {match.rank:.1f} {left} = {right}\n    {'; '.join((*match.evidence, *(f'but {veto}' for veto in match.vetoes)))}")
    return merges


def print_scale(vault: Path) -> None:
    """Prints seconds and pairs of a first run over an indexed vault, of a second one, and of one after a change of one note."""
    space = open_space(vault, Config(embed=Embed(model="none")), environ={"BRAIN_MACHINE": "m-bench"})
    (space.layout.index / "matching.sqlite").unlink(missing_ok=True)
    for label in ("first run", "nothing to do", "one note changed"):
        if label == "one note changed":
            with space.catalog() as conn:
                path = vault / conn.execute("SELECT path FROM note WHERE kind<>'episode' ORDER BY path LIMIT 1").fetchone()[0]
            path.write_bytes(path.read_bytes() + b"\nchanged\n")
            sync(space)
        began, cpu = time.perf_counter(), time.process_time()
        found = find_matches(context_of(space))
        print(f"{label}: {time.perf_counter() - began:.1f} s ({time.process_time() - cpu:.1f} s of processor), {found.looked_at} notes looked at,"
              f" {found.proposed} pairs compared, {found.left_out} left out by the limit, {found.total} worth a decision", flush=True)  # fmt: skip
        for signal, count in sorted(found.counts.items()):
            print(f"  {signal}: {count} pairs, {found.seconds.get(signal, 0.0):.1f} s")


def _model(given: argparse.Namespace) -> str:
    return "minilm" if given.vectors else "none"


def _arguments() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description="How well duplicates are told without a language model.")
    arguments.add_argument("--records", type=Path, metavar="FOLDER")
    arguments.add_argument("--set", type=Path, metavar="FOLDER", help="holds entities.jsonl and worlds/")
    arguments.add_argument("--split", choices=("tune", "kept", "all", "both"), default="both")
    arguments.add_argument("--vaults", type=Path, metavar="FOLDER")
    arguments.add_argument("--top", type=int, default=0, metavar="N", help="print the first N questions of each vault too")
    arguments.add_argument("--scale", type=Path, metavar="VAULT", help="an indexed vault; one of its notes is changed")
    arguments.add_argument("--vectors", action="store_true")
    arguments.add_argument("--json", type=Path, metavar="FILE")
    return arguments.parse_args()


if __name__ == "__main__":
    main()
