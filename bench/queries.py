"""Makes the fixed hundred queries from the vocabulary, and reads them.

    python -m bench.queries            writes bench/queries.json

The file is kept in the repository so that tuning cannot move it; making it again gives the same bytes.
A quarter each is of frequent, middling and rare words and of all three together.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from bench.corpus import SEED, vocabulary

FILE = Path(__file__).with_name("queries.json")
BANDS = {"frequent": (60, 300), "middling": (800, 6_000), "rare": (12_000, 50_000)}
PER_BAND = 25


def make_queries(seed: int = SEED) -> list[dict[str, str]]:
    """Returns a hundred queries of two to five different words with their band."""
    words = vocabulary(seed)
    random = Random(f"queries:{seed}")
    queries = []
    for band in (*BANDS, "mixed"):
        for number in range(PER_BAND):
            bands = [band] * 5 if band in BANDS else ([*BANDS] * 3)[number % 3 :]
            chosen: list[str] = []
            while len(chosen) < 2 + number % 4:
                low, high = BANDS[bands[len(chosen)]]
                word = words[low + int(random.random() * (high - low))]
                chosen += [word] if word not in chosen else []
            queries.append({"band": band, "text": " ".join(chosen)})
    return queries


def read_queries() -> list[dict[str, str]]:
    """Returns the queries of the repository."""
    queries: list[dict[str, str]] = json.loads(FILE.read_text("utf-8"))
    return queries


def main() -> None:
    """Writes the file."""
    rows = ",\n".join("  " + json.dumps(query, ensure_ascii=False) for query in make_queries())
    FILE.write_text(f"[\n{rows}\n]\n", "utf-8")
    print(f"{len(read_queries())} queries in {FILE.name}")


if __name__ == "__main__":
    main()
