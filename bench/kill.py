"""Kills `brain` with SIGKILL at random moments and looks at what is left.

    python -m bench.kill --trials 200 --notes 300 --seed 1

Each trial edits some notes by hand, starts one of index, rebuild, commit (add, walk) or undo, and
kills its whole process group somewhere between its start and a little after its usual end. Then
`brain index` must succeed, its export must equal that of a rebuild from nothing, and no note may miss a
line that it had. Stops at the first trial that fails and keeps its vault. Every trial is bounded.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from bench.process import brain, environment, must, run
from bench.trial import (
    edit_by_hand,
    export,
    export_of_fresh_rebuild,
    first_difference,
    losses,
    note_bytes,
    small_vault,
    trial_environment,
)

NOW = "2030-01-01"
OPERATIONS = ("index", "rebuild", "commit", "undo")


class Trials:
    """One vault that lives through all trials."""

    def __init__(self, home: Path, count: int, seed: int) -> None:
        self.random = Random(f"kill:{seed}")
        self.env = trial_environment(home)
        self.vault = small_vault(home / "vault", count, seed)
        self.scratch = home / "scratch"
        self.usual_s: dict[str, float] = {}
        self.killed: Counter[str] = Counter()
        must(self._command("index", "start"), env=self.env)

    def learn(self) -> None:
        """Measures how long each operation usually takes, so that kills spread over all of it."""
        for operation in OPERATIONS:
            times = []
            for number in range(2):
                edit_by_hand(self.vault, self.random, f"learn{number}")
                times.append(must(self._command(operation, f"learn{number}"), env=self.env, codes=(0, 1)).wall_s)
            self.usual_s[operation] = statistics.median(times)

    def trial(self, number: int) -> str | None:
        """Runs one; returns what is wrong, or None."""
        operation = OPERATIONS[number % len(OPERATIONS)]
        edit_by_hand(self.vault, self.random, f"t{number}")
        before = note_bytes(self.vault)
        if operation == "undo":  # what it takes back came after `before`, so nothing of that may be missing either
            must(self._command("commit", f"u{number}"), env=self.env)
        delay_s = self.random.random() * 1.15 * self.usual_s[operation]
        ran = run(self._command(operation, f"t{number}"), env=self.env, kill_after_s=delay_s)
        self.killed[f"{operation} {'killed' if ran.code < 0 else 'ended'}"] += 1
        return self._faults(before)

    def _faults(self, before: dict[str, bytes]) -> str | None:
        healed = run(brain("--vault", str(self.vault), "index"), env=self.env)
        if healed.code != 0:
            return f"`brain index` ended with {healed.code}: {healed.stderr[-800:]}"
        after = note_bytes(self.vault)
        lost = losses(before, after)
        if lost:
            return f"notes lost text: {', '.join(lost[:5])}"
        here, fresh = export(self.vault, self.env, NOW), export_of_fresh_rebuild(self.vault, self.scratch, self.env, NOW)
        return None if here == fresh else f"the export differs from a fresh rebuild's, {first_difference(here, fresh)}"

    def _command(self, operation: str, tag: str) -> list[str]:
        vault = ("--vault", str(self.vault))
        if operation == "commit":
            stem = Path(self.random.choice(sorted(note_bytes(self.vault)))).stem
            return brain(*vault, "add", f"Decided: [[{stem}]] is part of kill trial {tag}.\nRisk: [[{stem}]] may be cut short {tag}.")
        return brain(*vault, operation)


def main() -> None:
    """Runs the trials and exits with 1 at the first that fails."""
    parser = argparse.ArgumentParser(description="Kill brain at random moments and check what is left.")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--notes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="brain-kill-"))
    trials = Trials(home, given.notes, given.seed)
    trials.learn()
    print("usual seconds:", {name: round(value, 2) for name, value in trials.usual_s.items()}, "engine:", environment().get("BRAIN_ENGINE", "kuzu"))
    for number in range(given.trials):
        fault = trials.trial(number)
        if fault:
            print(f"trial {number} ({OPERATIONS[number % len(OPERATIONS)]}): {fault}\nvault kept at {trials.vault}")
            sys.exit(1)
        if number % 20 == 19:
            print(f"{number + 1} trials, {dict(sorted(trials.killed.items()))}", flush=True)
    print(f"{given.trials} trials passed: no note lost a line, every export equals a fresh rebuild's")
    shutil.rmtree(home)


if __name__ == "__main__":
    main()
