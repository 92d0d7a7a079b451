"""Eight processes read and write one vault for a minute; afterwards nothing may be missing.

    python -m bench.soak --seconds 60 --notes 300 --seed 1

Three add episodes, one edits files by hand and indexes, one maintains and undoes, three read. The only
permitted failure is a clean "locked" (exit code 3). At the end every text that was added or written by
hand must be in a note, and the export must equal a rebuild's from nothing.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bench.process import brain, must, run
from bench.trial import (
    asked,
    export,
    export_of_fresh_rebuild,
    first_difference,
    missing,
    note_bytes,
    save_over,
    small_vault,
    trial_environment,
)

NOW = "2030-01-01"
FINE, FINDING, LOCKED = 0, 1, 3
ROLES = ("add", "add", "add", "hand", "maintain", "search", "look", "cypher")


@dataclass(slots=True)
class Actor:
    """One of the eight: what it did, what it wrote, what went wrong."""

    role: str
    number: int
    codes: Counter[int] = field(default_factory=Counter)
    wrote: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def act(actor: Actor, vault: Path, env: dict[str, str], until: float) -> Actor:
    """Plays one role until the time is over; one new process for each command."""
    random = Random(f"soak:{actor.number}")
    turn = 0
    while time.monotonic() < until:
        turn += 1
        token = f"soak{actor.number}x{turn}x"
        waiting = _commands(actor, vault, random, token)
        while waiting:
            words = waiting.pop(0)
            ran = run(brain("--vault", str(vault), *words), env=env)
            actor.codes[ran.code] += 1
            if ran.code not in (FINE, FINDING, LOCKED) or "Traceback" in ran.stderr:
                actor.faults.append(f"{' '.join(words)[:80]} ended with {ran.code}: {ran.stderr[-600:]}")
            if words[0] == "add" and ran.code == FINE:
                actor.wrote.append(token)
            if words[0] == "maintain" and ran.code == FINE:
                waiting += _undo_of(ran.stdout)
    return actor


def _undo_of(reports: str) -> list[list[str]]:
    """Takes back what this very run did; a bare `undo` could take back what another process added since."""
    return [["undo", report["run"]] for report in reversed(json.loads(reports)) if report["applied"]]


def _commands(actor: Actor, vault: Path, random: Random, token: str) -> list[list[str]]:
    paths = sorted(note_bytes(vault)) if actor.role in ("add", "hand", "look") else []
    stem = Path(random.choice(paths)).stem if paths else ""
    match actor.role:
        case "add":
            return [["add", f"Decided: [[{stem}]] was seen {token}."]]
        case "hand":
            _write_by_hand(vault / random.choice([p for p in paths if p.startswith("Notes/")]), actor, token)
            return [["index"]]
        case "maintain":
            return [["maintain", "--json"]]
        case "search":
            return [["search", "soak decided", "--json"], ["status"]]
        case "look":
            return [["links", stem], ["list", "--limit", "5"], ["doctor"]]
        case _:
            return [["cypher", "MATCH (n:Note) RETURN count(*) AS notes"], ["tree"]]


def _write_by_hand(path: Path, actor: Actor, token: str) -> None:
    """Saves a note as one half of the editors do, replacing it, or as the other half, appending with one write call."""
    if len(actor.wrote) % 2:
        save_over(path, f"By hand {token}.")
    else:
        with open(path, "ab") as file:
            file.write(f"\nBy hand {token}.\n".encode())
    actor.wrote.append(token)


def main() -> None:
    """Runs the minute, checks, and exits with 1 when something is wrong."""
    given = asked("Eight processes on one vault.", "seconds", 60)
    home = Path(tempfile.mkdtemp(prefix="brain-soak-"))
    env = trial_environment(home, given.engine)
    vault = small_vault(home / "vault", given.notes, given.seed)
    must(brain("--vault", str(vault), "index"), env=env)
    until = time.monotonic() + given.amount
    with ThreadPoolExecutor(len(ROLES)) as pool:
        actors = list(pool.map(lambda a: act(a, vault, env, until), [Actor(role, n) for n, role in enumerate(ROLES)]))
    for actor in actors:
        print(f"{actor.role:9} commands by exit code {dict(sorted(actor.codes.items()))}, texts written {len(actor.wrote)}")
    faults = [fault for actor in actors for fault in [*actor.faults, *missing(vault, actor.wrote)]]
    must(brain("--vault", str(vault), "index"), env=env)
    here, fresh = export(vault, env, NOW), export_of_fresh_rebuild(vault, home / "scratch", env, NOW)
    faults += [] if here == fresh else [f"the export differs from a fresh rebuild's, {first_difference(here, fresh)}"]
    print(*faults, sep="\n")
    print(f"{len(faults)} faults on {given.engine}" + (f"; vault kept at {vault}" if faults else ""))
    if not faults:
        shutil.rmtree(home)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
