"""What the destructive trials share: their options, a small vault to hurt, exports to compare, texts to miss."""

from __future__ import annotations

import argparse
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench.corpus import notes
from bench.process import brain, environment, must
from brain.vault.generated import is_generated

CAP_S = "10"
ENGINES = ("kuzu", "ladybug")


@dataclass(frozen=True, slots=True)
class Asked:
    """How large a trial shall be: `amount` trials or seconds on a vault of so many notes, on one engine."""

    amount: int
    notes: int
    seed: int
    engine: str


def asked(description: str, amount: str, default: int) -> Asked:
    """Reads the options of a trial; `amount` is the name of the option that says how long it goes on."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument(f"--{amount}", type=int, default=default, dest="amount", metavar=amount.upper())
    options.add_argument("--notes", type=int, default=300, help="of the vault that is hurt")
    options.add_argument("--seed", type=int, default=1, help="choose other notes, edits and moments")
    options.add_argument("--engine", choices=ENGINES, default=os.environ.get("BRAIN_ENGINE", ENGINES[0]), help="also BRAIN_ENGINE")
    return Asked(**vars(options.parse_args()))


def trial_environment(home: Path, engine: str) -> dict[str, str]:
    """Returns an environment in which the machine's own state lies under `home` and no model is loaded."""
    return environment(
        BRAIN_ENGINE=engine, BRAIN_EMBED_MODEL="none", BRAIN_LOCK_WAIT_S=CAP_S, HOME=str(home), XDG_STATE_HOME=str(home / "state"),
        XDG_DATA_HOME=str(home / "data"), XDG_CONFIG_HOME=str(home / "config"),
    )  # fmt: skip


def small_vault(folder: Path, count: int, seed: int) -> Path:
    """Writes a vault with its settings file."""
    folder.mkdir(parents=True)
    (folder / "brain.toml").write_text("", "utf-8")
    for path, data in notes(count, seed):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return folder


def note_bytes(vault: Path) -> dict[str, bytes]:
    """Returns the bytes of every note by path; one that is made anew by each run is nobody's words."""
    paths = [path for path in sorted(vault.rglob("*.md")) if not any(part.startswith(".") for part in path.relative_to(vault).parts)]
    notes = {path.relative_to(vault).as_posix(): path.read_bytes() for path in paths}
    return {path: data for path, data in notes.items() if not (is_generated(data) or is_generated(data, "timeline"))}


# What walking a note replaces: in frontmatter a later date and one more source beside the old ones, and at the end of a
# claim that is said again one more source.
SOURCES = re.compile(rb"(?: \[\[[^\]]*\]\])+( \^[\w-]+)?$")
PLANNED = (b"source:", b"last_confirmed:")
LINK = re.compile(rb"\[\[[^\]]*\]\]")


def losses(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    """Names the notes that miss a line they had: later text may have been put between, nothing taken away."""
    return [path for path, data in before.items() if not _holds(after.get(path), data)]


def _holds(after: bytes | None, before: bytes) -> bool:
    if after is None or after == before:
        return after is not None
    remaining = iter(_texts(after))
    return all(line in remaining for line in _texts(before)) and all(link in after for link in LINK.findall(before))


def _texts(data: bytes) -> list[bytes]:
    """The lines without what walking may replace in them; every link of them is looked for apart."""
    return [SOURCES.sub(rb"\1", line) for line in data.splitlines() if not line.startswith(PLANNED)]


def export(vault: Path, env: dict[str, str], now: str) -> str:
    """Returns the canonical export at a fixed instant."""
    return must(brain("--vault", str(vault), "export", "--format", "jsonl", "--now", now), env=env).stdout


def export_of_fresh_rebuild(vault: Path, scratch: Path, env: dict[str, str], now: str) -> str:
    """Copies notes, settings and journal elsewhere, rebuilds there from nothing and exports."""
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(vault, scratch, ignore=shutil.ignore_patterns("index", "cache", "lock"))
    must(brain("--vault", str(scratch), "rebuild"), env=env)
    return export(scratch, env, now)


def first_difference(one: str, other: str) -> str:
    """Returns the first lines in which two exports differ."""
    left, right = one.splitlines(), other.splitlines()
    for number, (a, b) in enumerate(zip(left, right, strict=False), start=1):
        if a != b:
            return f"line {number}:\n  {a[:400]}\n  {b[:400]}"
    return f"{len(left)} lines against {len(right)}"


def save_over(path: Path, words: str) -> None:
    """Saves as editors do that replace the file: what was read, with some words at its end."""
    whole = path.with_name(f".saving {path.name}")
    whole.write_bytes(path.read_bytes() + f"\n{words}\n".encode())
    os.replace(whole, path)


def missing(vault: Path, texts: list[str]) -> list[str]:
    """Returns a sentence for each text that is in no note any more."""
    everything = b"\n".join(note_bytes(vault).values())
    return [f"the text {text} is in no note" for text in texts if text.encode() not in everything]


def edit_by_hand(vault: Path, random: Random, tag: str) -> None:
    """Does what a person does between two syncs: appends, writes anew, renames, deletes."""
    paths = sorted(note_bytes(vault))
    for _ in range(1 + int(random.random() * 6)):
        path = vault / paths.pop(int(random.random() * len(paths)))
        chance = random.random()
        if chance < 0.6:
            with open(path, "ab") as file:
                file.write(f"\nBy hand {tag}, see [[{Path(paths[0]).stem}]].\n".encode())
        elif chance < 0.75:
            path.with_name(f"New {tag} {int(random.random() * 1e6)}.md").write_text(f"# New {tag}\n\n[[{path.stem}]]\n", "utf-8")
        elif chance < 0.9:
            path.rename(path.with_name(f"Renamed {tag} {int(random.random() * 1e6)}.md"))
        else:
            path.unlink()
