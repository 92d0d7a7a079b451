"""Kills `brain` with SIGKILL at random moments and looks at what is left.

    python -m bench.kill --trials 200 --notes 300 --seed 1 --engine kuzu

Each trial edits some notes by hand, starts one of index, rebuild, commit (add, walk) or undo, and
kills its whole process group somewhere between its start and a little after its usual end, while an
editor saves notes. Then `brain index` and `brain walk` must succeed, the export must equal that of a
rebuild from nothing, no note may miss a line that it had, every save must be in a note, and no temporary
file may be left. Stops at the first trial that fails and keeps its vault. Every trial is bounded.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from random import Random
from threading import Event, Thread

from bench.process import brain, must, run
from bench.trial import (
    Asked,
    asked,
    edit_by_hand,
    export,
    export_of_fresh_rebuild,
    first_difference,
    losses,
    missing,
    note_bytes,
    save_over,
    small_vault,
    trial_environment,
)

NOW = "2030-01-01"
OPERATIONS = ("index", "rebuild", "commit", "undo")
SAVE_EVERY_S = 0.003


class Editor:
    """Saves a few notes in turn, again and again until told to stop."""

    def __init__(self, paths: list[Path], tag: str) -> None:
        self.saved: list[str] = []
        self._paths = paths
        self._tag = tag
        self._stopped = Event()
        self._thread = Thread(target=self._save, daemon=True)

    def __enter__(self) -> Editor:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _save(self) -> None:
        for number, path in enumerate(cycle(self._paths)):
            if self._stopped.wait(SAVE_EVERY_S):
                return
            with suppress(FileNotFoundError):  # renamed or set aside: an editor would say so
                save_over(path, f"Saved {self._tag}x{number}x.")
                self.saved.append(f"Saved {self._tag}x{number}x.")


class Trials:
    """One vault that lives through all trials."""

    def __init__(self, home: Path, given: Asked) -> None:
        self.random = Random(f"kill:{given.seed}")
        self.env = trial_environment(home, given.engine)
        self.vault = small_vault(home / "vault", given.notes, given.seed)
        self.scratch = home / "scratch"
        self.usual_s: dict[str, float] = {}
        self.killed: Counter[str] = Counter()
        self.copies = 0
        self.aim = self.vault
        """The note that the last commit writes to, if its name is nobody else's."""
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
        command = self._command(operation, f"t{number}")
        aims = [self.aim, self.vault / self.random.choice(sorted(note_bytes(self.vault)))]
        with Editor(aims, f"t{number}") as editor:
            ran = run(command, env=self.env, kill_after_s=delay_s)
        self.killed[f"{operation} {'killed' if ran.code < 0 else 'ended'}"] += 1
        return self._faults(before, editor.saved)

    def _faults(self, before: dict[str, bytes], saved: list[str]) -> str | None:
        for operation, codes in (("index", (0,)), ("walk", (0, 1))):  # the second, as it writes, puts right what was cut off
            healed = run(brain("--vault", str(self.vault), operation), env=self.env)
            if healed.code not in codes:
                return f"`brain {operation}` ended with {healed.code}: {healed.stderr[-800:]}"
        lost = losses(before, note_bytes(self.vault))
        if lost:
            return f"notes lost text: {', '.join(lost[:5])}"
        left = [*missing(self.vault, saved), *(f"{path} was left" for path in self.vault.rglob(".brain-*.tmp"))]
        if left:
            return f"{'; '.join(left[:5])}"
        self.copies = sum("(conflicted copy" in path.name for path in self.vault.rglob("*.md"))
        here, fresh = export(self.vault, self.env, NOW), export_of_fresh_rebuild(self.vault, self.scratch, self.env, NOW)
        return None if here == fresh else f"the export differs from a fresh rebuild's, {first_difference(here, fresh)}"

    def _command(self, operation: str, tag: str) -> list[str]:
        vault = ("--vault", str(self.vault))
        if operation == "commit":
            self.aim = self.vault / self.random.choice(sorted(note_bytes(self.vault)))
            name = f"[[{self.aim.stem}]]"
            return brain(*vault, "add", f"Decided: {name} is part of kill trial {tag}.\nRisk: {name} may be cut short {tag}.")
        return brain(*vault, operation)


def main() -> None:
    """Runs the trials and exits with 1 at the first that fails."""
    given = asked("Kill brain at random moments and check what is left.", "trials", 200)
    home = Path(tempfile.mkdtemp(prefix="brain-kill-"))
    trials = Trials(home, given)
    trials.learn()
    print("usual seconds:", {name: round(value, 2) for name, value in trials.usual_s.items()}, "engine:", given.engine, flush=True)
    for number in range(given.amount):
        fault = trials.trial(number)
        if fault:
            print(f"trial {number} ({OPERATIONS[number % len(OPERATIONS)]}): {fault}\nvault kept at {trials.vault}")
            sys.exit(1)
        if number % 20 == 19:
            print(f"{number + 1} trials, {dict(sorted(trials.killed.items()))}, {trials.copies} conflict copies", flush=True)
    print(f"{given.amount} trials passed on {given.engine}: no note lost a line, no save is lost, every export equals a fresh rebuild's")
    shutil.rmtree(home)


if __name__ == "__main__":
    main()
