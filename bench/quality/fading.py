"""What a year of fading costs search: recall at ten over conversations, with decay and without.

    python -m bench.quality.fading --set DIR

Every turn is a note of its day, one folder for each conversation; a question should find the turns that answer it.
Decay is off when all are looked at before the first day (nothing is older than now), and on a year after the last.
Words alone are searched. A set that is not there is said to be absent, and nothing is measured.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from brain.config import Config, Embed
from brain.core.recall import Query
from brain.recall.search import search
from brain.sync.run import sync
from brain.sync.space import Space, open_space

FOUND_MAX = 10
DAYS_LATER = (30, 365)
DAY = re.compile(r"on (\d{1,2} \w+, \d{4})")


def written(root: Path, turns: Sequence[dict[str, Any]]) -> list[datetime]:
    """Writes each turn as a note; returns the days they are of."""
    days = []
    for turn in turns:
        day = _day(turn)
        place = root / turn["sample"] / f"{turn['dia_id'].replace(':', '-')}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        caption = f"\n{turn['caption']}" if turn["caption"] else ""
        place.write_text(f"---\ncreated: {day:%Y-%m-%d}\n---\n{turn['speaker']}: {turn['text']}{caption}\n", "utf-8")
        days.append(day)
    return days


def recall(space: Space, questions: Sequence[dict[str, Any]], now: datetime) -> float:
    """Returns the mean share of the turns that answer which are among the first ten."""
    shares = []
    with space.catalog() as conn:
        for asked in questions:
            query = Query(asked["question"], folder=asked["sample"], limit=FOUND_MAX, mode="lexical")
            found = {hit.path for hit in search(conn, query, now=now, limits=space.config.limits).hits}
            wanted = {f"{asked['sample']}/{turn.replace(':', '-')}.md" for turn in asked["evidence"]}
            shares.append(len(wanted & found) / len(wanted))
    return sum(shares) / len(shares)


def main() -> None:
    """Measures and prints a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--set", type=Path, required=True, help="the folder with turns.jsonl and queries.jsonl")
    given = parser.parse_args()
    if not (given.set / "turns.jsonl").is_file():
        print(f"absent: {given.set}/turns.jsonl")
        return
    turns, asked = _read(given.set / "turns.jsonl"), _read(given.set / "queries.jsonl")
    questions = [one for one in asked if one["evidence"]]
    with tempfile.TemporaryDirectory() as folder:
        space = open_space(Path(folder), Config(embed=Embed(model="none")), environ={"BRAIN_MACHINE": "m-bench"})
        days = written(space.vault.root, turns)
        sync(space, embed=False)
        without = recall(space, questions, min(days) - timedelta(days=1))
        print(f"{len(turns)} turns, {len(questions)} questions\n\n| decay | recall at {FOUND_MAX} | lost |\n|---|--:|--:|\n| off | {without:.4f} | |")
        for later in DAYS_LATER:
            found = recall(space, questions, max(days) + timedelta(days=later))
            print(f"| {later} days after the last turn | {found:.4f} | {without - found:+.4f} |")


def _day(turn: dict[str, Any]) -> datetime:
    match = DAY.search(turn["date"])
    if match is None:
        raise ValueError(f"a turn is of no day: {turn['date']!r}")
    return datetime.strptime(match[1], "%d %B, %Y").replace(tzinfo=UTC)


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    main()
