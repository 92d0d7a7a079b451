"""Doctor over a vault that is indexed: the whole look, each check that takes long, and the brief one as a command.

    python -m bench.doctor VAULT --repeats 3 --write figures.json

Figures are medians of wall-clock and processor seconds; the load of the machine is printed with them. Nothing in the
vault changes but what doctor keeps of its last look.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from brain.doctor.checks import CHECKS, examine
from brain.doctor.last import remember
from brain.doctor.view import view_of
from brain.facade import Brain
from brain.stages.ledger import read_ledger
from brain.sync.space import Space

SHOWN_S_MIN = 0.05
"""Checks that take less are left out of the list."""


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Returns wall-clock and processor seconds of one call."""
    began, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - began, time.process_time() - used


def medians(runs: list[tuple[float, float]]) -> dict[str, float]:
    """Returns the medians of both figures."""
    wall, processor = zip(*runs, strict=True)
    return {"wall_s": round(statistics.median(wall), 3), "processor_s": round(statistics.median(processor), 3)}


def checks_of(space: Space, repeats: int) -> dict[str, dict[str, float]]:
    """Returns the figures of each check alone, and of the look at files that all of them share."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for _ in range(repeats):
        ledger = read_ledger(space.journal)
        with space.catalog() as conn:
            found["(files)"].append(timed(lambda: view_of(space, conn, ledger)))  # noqa: B023 - called at once
            view = view_of(space, conn, ledger)
            for check in CHECKS:
                found[check.__name__].append(timed(lambda: list(check(view))))  # noqa: B023 - called at once
    shown = {name: medians(runs) for name, runs in found.items()}
    return {name: figures for name, figures in shown.items() if figures["wall_s"] >= SHOWN_S_MIN}


def brief(root: Path) -> None:
    """Asks for the last look as a person does, the start of Python included."""
    command = [sys.executable, "-m", "cli", "--vault", str(root), "doctor", "--brief"]
    subprocess.run(command, capture_output=True, check=False, cwd=Path(__file__).resolve().parent.parent)


def measure(root: Path, repeats: int) -> dict[str, Any]:
    """Returns all figures of one vault."""
    space = Brain.open(root).space
    findings = examine(space)
    remember(space, findings, space.clock.now())
    with space.catalog() as conn:
        (notes,) = conn.execute("SELECT count(*) FROM note").fetchone()
    return {
        "notes": notes, "engine": space.engine, "repeats": repeats,
        "findings": dict(sorted(Counter(finding.code for finding in findings).items())),
        "whole": medians([timed(lambda: examine(space)) for _ in range(repeats)]),
        "brief": {"wall_s": medians([timed(lambda: brief(root)) for _ in range(repeats)])["wall_s"]},
        "unlinked_mentions": medians([timed(lambda: examine(space, code="unlinked-mention")) for _ in range(repeats)]),
        "checks": checks_of(space, repeats), "load": [round(load, 2) for load in os.getloadavg()],
    }  # fmt: skip


def main() -> None:
    """Measures the vault that the command line names."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("vault", type=Path)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--write", type=Path)
    given = options.parse_args()
    figures = json.dumps(measure(given.vault.resolve(), given.repeats), indent=2)
    print(figures)
    if given.write:
        given.write.write_text(f"{figures}\n", "utf-8")


if __name__ == "__main__":
    main()
