"""The command line that the measurements share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.quality.judges import recorded_judge
from bench.quality.rows import SPLITS
from bench.quality.table import Measured, as_json, shown
from brain.errors import BrainError
from brain.models.judge.judge import ModelJudge


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command was given; without a judge the rules judge."""

    split: str
    judge: ModelJudge | None


def measure(what: str, measuring: Callable[[Asked], Measured]) -> None:
    """Reads the options, measures, prints."""
    in_words(lambda: _measure(what, measuring))


def in_words(act: Callable[[], None]) -> None:
    """Runs a command; what a person can put right ends in a sentence and what to do next."""
    try:
        act()
    except BrainError as error:
        raise SystemExit(f"error: {error.message}\ncure: {error.cure}") from error


def _measure(what: str, measuring: Callable[[Asked], Measured]) -> None:
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--judge", choices=["rules", "recorded"], default="rules")
    parser.add_argument("--recording", type=Path, metavar="FILE", help="the replies that --judge recorded replays")
    parser.add_argument("--split", choices=[*SPLITS, "all"], default="tune")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if (given.judge == "recorded") != (given.recording is not None):
        parser.error("--judge recorded and --recording go together")
    measured = measuring(Asked(given.split, recorded_judge(given.recording) if given.recording else None))
    print(as_json(measured) if given.json else shown(measured))
