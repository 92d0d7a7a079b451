"""Indexes real vaults and says what came of their notes and links; quotes links to be checked by hand.

    python -m bench.vaults [FOLDER…]                     a table, one row a vault
    python -m bench.vaults --sample 20 --seed 1 VAULT    links drawn at random, each with the line it stands in

A folder that holds vaults counts as all of them; without one it is `$BRAIN_FIXTURES/vaults`. Every vault is
copied first, so that nothing is written beside anyone's notes.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sqlite3
import tempfile
import time
from pathlib import Path
from random import Random

from brain import __version__
from brain.config import Config, Embed
from brain.index.resolution import candidates_of
from brain.sync.run import sync
from brain.sync.space import Space, open_space

FIXTURES = Path(os.environ.get("BRAIN_FIXTURES", Path(__file__).resolve().parents[2] / "shared")) / "vaults"
COLUMNS = "vault", "files", "notes", "excluded", "links", "resolved", "broken", "ambiguous", "external", "atoms", "findings", "seconds"
NOTE_STATUSES = "resolved", "self", "broken", "ambiguous"
LINE_CHARS_MAX = 160


def main() -> None:
    """Prints the table, or the sample."""
    arguments = argparse.ArgumentParser(description="What indexing makes of real vaults.")
    arguments.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    arguments.add_argument("--sample", type=int, default=0, metavar="N", help="quote N links of each vault instead")
    arguments.add_argument("--seed", type=int, default=1, help="choose other links")
    arguments.add_argument("--status", nargs="+", default=NOTE_STATUSES, metavar="WORD", help="draw from links of these statuses")
    given = arguments.parse_args()
    vaults = [vault for folder in given.folders or [FIXTURES] for vault in vaults_in(folder)]
    if not given.sample:
        print(f"brain {__version__}, Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, no embeddings\n")
        print(" | ".join(COLUMNS))
        print(" | ".join("---" for _ in COLUMNS))
    for vault in vaults:
        with tempfile.TemporaryDirectory() as scratch:
            print_vault(vault, Path(scratch) / "vault", given)


def vaults_in(folder: Path) -> list[Path]:
    """Returns the folder itself when notes or settings lie in it, else the folders in it."""
    inside = sorted(place for place in folder.iterdir() if place.is_dir() and not place.name.startswith("."))
    is_collection = folder.name == "vaults" and bool(inside)
    return inside if is_collection else [folder]


def print_vault(vault: Path, copy: Path, given: argparse.Namespace) -> None:
    """Indexes a copy of one vault and prints its row or its sample."""
    shutil.copytree(vault, copy, symlinks=True)
    space = open_space(copy, Config(embed=Embed(model="none")), environ={"BRAIN_MACHINE": "m-bench"})
    began = time.perf_counter()
    report = sync(space)
    seconds = time.perf_counter() - began
    with space.catalog() as conn:
        if given.sample:
            print_sample(space, conn, vault.name, given)
            return
        files = count_files(vault)
        numbers = [files, report.notes, files - report.notes, *counts(conn)]
    print(" | ".join([vault.name, *(str(number) for number in numbers), f"{seconds:.1f}"]), flush=True)


def count_files(vault: Path) -> int:
    """Counts Markdown files, those in hidden folders and links among them."""
    return sum(name.lower().endswith(".md") for _, _, names in os.walk(vault) for name in names)


def counts(conn: sqlite3.Connection) -> list[int]:
    """Returns links, resolved (to its own note too), broken, ambiguous, external (files that are no notes too), atoms, findings."""
    status = dict(conn.execute("SELECT status, count(*) FROM link GROUP BY status"))
    resolved = status.get("resolved", 0) + status.get("self", 0)
    outside = status.get("external", 0) + status.get("asset", 0)
    rest = [conn.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("atom", "finding")]
    return [sum(status.values()), resolved, status.get("broken", 0), status.get("ambiguous", 0), outside, *rest]


def print_sample(space: Space, conn: sqlite3.Connection, name: str, given: argparse.Namespace) -> None:
    """Quotes links drawn at random: where they stand, the line as it is in the file, what they resolved to."""
    marks = ",".join("?" * len(given.status))
    rows = conn.execute(
        "SELECT n.path, l.line, l.raw, l.place, l.form, l.status, t.path, l.target, l.key FROM link l JOIN note n USING(nid)"
        f" LEFT JOIN note t ON t.nid=l.target_nid WHERE l.status IN ({marks}) ORDER BY n.path, l.ordinal",
        tuple(given.status),
    ).fetchall()
    print(f"\n{name}: {given.sample} of {len(rows)} links, seed {given.seed}")
    for number in sorted(Random(given.seed).sample(range(len(rows)), min(given.sample, len(rows)))):
        path, line, raw, place, form, status, target_path, target, key = rows[number]
        found = target_path or "-"
        if status == "ambiguous":
            found = ", ".join(candidates_of(conn, path, target, form, key))
        print(f"{path}:{line} [{place}] {raw}\n    {status}: {found}\n    {source_line(space, path, line)}")


def source_line(space: Space, path: str, line: int) -> str:
    """Returns one line of a note as it is in the file, cut to what fits a terminal."""
    lines = space.vault.read(path).text.split("\n")
    return lines[line - 1].strip()[:LINE_CHARS_MAX] if 0 < line <= len(lines) else "(no such line)"


if __name__ == "__main__":
    main()
