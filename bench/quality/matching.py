"""Which notes are one thing: how well that is told without a language model. Offline.

    python -m bench.quality.matching                           records, real vaults and the labelled set
    python -m bench.quality.matching --set FOLDER --split kept the labelled set alone
    python -m bench.quality.matching --vaults FOLDER           what would be merged in real vaults: read each line
    python -m bench.quality.matching --records FOLDER          `febrl/` and `splink/` in that folder
    python -m bench.quality.matching --scale VAULT             seconds and pairs by signal; a run with nothing to do

`--vectors` embeds the notes with the default model first. Cuts were chosen on Febrl 1 alone.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.quality import records, score
from bench.quality.records import Labelled
from bench.quality.trial import Trial, examined, indexed
from bench.vaults import vaults_in
from brain import __version__
from brain.config import Config, Embed
from brain.stages.context import context_of
from brain.stages.matching.find import find_matches
from brain.sync.run import sync
from brain.sync.space import open_space

FIXTURES = Path(os.environ.get("BRAIN_FIXTURES", Path(__file__).resolve().parents[3] / "shared"))
SETS = Path(__file__).resolve().parent / "sets"
QUESTIONS_PER_NOTE = (1, 2)
COLUMNS = (
    "set", "notes", "same", "blocked", "cand/note", "P", "R", "F1", "certain", "wrong", "applied", "questions", "for .9", *(f"joined@{budget}" for budget in QUESTIONS_PER_NOTE), "seconds",
)  # fmt: skip
LEGEND = """
blocked: share of the true pairs among the candidates. P, R, F1: every pair above the cut joined, where groups fit.
certain: share of the true pairs that rules alone call one thing; wrong: pairs that they call so and are not;
applied: of the certain what the gate does not keep for a person (people, two folders).
questions: what a person is asked in all; for .9: after how many of them nine tenths of the true pairs are joined;
joined@n: share joined after n questions for each note (certain ones included), answers being right.
"""


def main() -> None:
    """Prints the tables asked for."""
    given = _arguments()
    is_all = not (given.set or given.vaults or given.records or given.scale)
    print(f"brain {__version__}, Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, embeddings: {_model(given)}\n")
    if given.records or is_all:
        print_table(record_sets(given.records or FIXTURES / "datasets"), _model(given))
    if given.set or is_all:
        for split in ("tune", "kept") if given.split == "both" else (given.split,):
            print(f"\nlabelled set, {split}")
            print_table(records.worlds(given.set or SETS, split), _model(given), with_total=True)
    if given.vaults or is_all:
        print_vaults(given.vaults or FIXTURES / "vaults", given.top)
    if given.scale:
        print_scale(given.scale)


def record_sets(folder: Path) -> Iterator[Labelled]:
    """Yields the record sets that lie in a folder."""
    yield from (records.febrl(folder / "febrl", number) for number in (1, 2, 3))
    yield records.splink(folder / "splink")


def print_table(sets: Iterator[Labelled], model: str, *, with_total: bool = False) -> None:
    """Prints a row for each set, and one for all."""
    print(" | ".join(COLUMNS))
    print(" | ".join("---" for _ in COLUMNS))
    total: list[score.Fit] = []
    for labelled in sets:
        with indexed(labelled.notes, model=model) as space:
            trial = examined(space)
        fits = print_row(trial, labelled)
        total = [one + other for one, other in zip(total, fits, strict=True)] if total else fits
    if with_total and total:
        blocked, decided, certain, applied, *joined = total
        print(f"all: same {blocked.wanted}, blocked {blocked.recall:.3f}, P {decided.precision:.3f} R {decided.recall:.3f} F1 {decided.f1:.3f},"
              f" certain {certain.recall:.3f} wrong {certain.found - certain.right}, applied {applied.recall:.3f}, joined {' '.join(f'{each.recall:.3f}' for each in joined)}")  # fmt: skip
    print(LEGEND)


def print_row(trial: Trial, labelled: Labelled) -> list[score.Fit]:
    """Prints one set's figures; returns what can be added up."""
    blocked = score.fit(trial.judged, labelled)
    decided = score.fit(score.decided_pairs(trial), labelled)
    certain = score.fit(score.certain_pairs(trial), labelled)
    applied = score.fit(score.certain_pairs(trial, without_a_person=True), labelled)
    reading = score.read_questions(trial, labelled, [budget * len(trial.paths) for budget in QUESTIONS_PER_NOTE])
    print(" | ".join((
        labelled.name, str(len(trial.paths)), str(len(labelled.same)), f"{blocked.recall:.4f}", f"{len(trial.judged) / len(trial.paths):.1f}",
        f"{decided.precision:.4f}", f"{decided.recall:.4f}", f"{decided.f1:.4f}", f"{certain.recall:.3f}", str(certain.found - certain.right),
        f"{applied.recall:.3f}", str(reading.questions), "never" if reading.needed is None else str(reading.needed),
        *(f"{joined.recall:.3f}" for joined in reading.joined), f"{trial.seconds:.1f}",
    )), flush=True)  # fmt: skip
    return [blocked, decided, certain, applied, *reading.joined]


def print_vaults(folder: Path, top: int) -> None:
    """Prints what rules alone would merge in real vaults, and the first questions."""
    for vault in vaults_in(folder):
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / "vault"
            shutil.copytree(vault, copy, symlinks=True)
            space = open_space(copy, Config(embed=Embed(model="none")), environ={"BRAIN_MACHINE": "m-bench"})
            sync(space)
            trial = examined(space)
        certain = [match for match in trial.matches if match.tier == "certain"]
        questions = [match for match in trial.matches if match.tier != "certain"]
        print(f"{vault.name}: {len(trial.paths)} notes, {len(certain)} merges by rules alone, {len(questions)} questions, {trial.seconds:.1f} s", flush=True)
        for match in [*certain, *questions[:top]]:
            left, right = trial.ends(match.one, match.other)
            print(f"  {match.tier} {match.rank:.1f} {left} = {right}\n    {'; '.join((*match.evidence, *(f'but {veto}' for veto in match.vetoes)))}")


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
    return arguments.parse_args()


if __name__ == "__main__":
    main()
