"""The least anyone could do with a folder of notes, in one process: the measure for everything else.

    python -m bench.floor VAULT OUT

Stat, read, sha256, a minimal parse (frontmatter split off, one regular expression for wikilinks), one
full-text insert, one COPY of notes and one of links into a graph file. No YAML, no masking of code, no
ambiguity, no second look at anything. Prints seconds by step and the peak memory as JSON.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path

WIKILINK = re.compile(r"\[\[([^\]|#]+)")
PEAK_UNIT = 1024 if sys.platform != "darwin" else 1


def stat_walk(root: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yields every Markdown file below `root` with its stat, by scandir alone."""
    pending = [root]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif entry.name.endswith(".md"):
                    yield entry.path, entry.stat(follow_symlinks=False)


def run_floor(vault: Path, out: Path) -> dict[str, float]:
    """Does the least and returns seconds by step, peak bytes and counts."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    began = time.perf_counter()
    files = sorted(stat_walk(str(vault)))
    walked = time.perf_counter()
    rows: list[tuple[str, str, str, int, int]] = []
    links: list[tuple[str, str]] = []
    _insert_text(out / "text.sqlite", _read(files, len(str(vault)) + 1, rows, links))
    texted = time.perf_counter()
    resolved = _copy_graph(out / "graph", rows, links)
    ended = time.perf_counter()
    return {
        "walk_s": walked - began,
        "read_and_text_s": texted - walked,
        "graph_s": ended - texted,
        "total_s": ended - began,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * PEAK_UNIT,
        "notes": len(rows),
        "links": resolved,
    }


def _read(
    files: list[tuple[str, os.stat_result]], cut: int, rows: list[tuple[str, str, str, int, int]], links: list[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yields (title, body) for the text index while it collects rows and links."""
    for place, status in files:
        with open(place, "rb") as file:
            data = file.read()
        path = place[cut:]
        stem = path.rsplit("/", 1)[-1][:-3]
        body = data.decode("utf-8", "replace")
        if body.startswith("---"):
            end = body.find("\n---", 3)
            body = body[end + 4 :] if end > 0 else body
        rows.append((path, stem, hashlib.sha256(data).hexdigest(), status.st_size, status.st_mtime_ns))
        links.extend((path, target) for target in WIKILINK.findall(body))
        yield stem, body


def _insert_text(path: Path, documents: Iterator[tuple[str, str]]) -> None:
    conn = sqlite3.connect(path, isolation_level=None)
    conn.execute("PRAGMA journal_mode=OFF")
    conn.execute("PRAGMA synchronous=OFF")
    conn.execute("CREATE VIRTUAL TABLE doc USING fts5(title, body)")
    conn.execute("BEGIN")
    conn.executemany("INSERT INTO doc(title, body) VALUES(?,?)", documents)
    conn.execute("COMMIT")
    conn.close()


def _copy_graph(path: Path, rows: list[tuple[str, str, str, int, int]], links: list[tuple[str, str]]) -> int:
    import importlib.util  # noqa: F401 - the engine's Arrow reader needs it imported

    import kuzu
    import pyarrow as pa

    by_stem = {stem: note for note, stem, *_ in rows}
    pairs = [(source, by_stem[target]) for source, target in links if target in by_stem]
    database = kuzu.Database(str(path), buffer_pool_size=256 << 20)
    connection = kuzu.Connection(database)
    connection.execute("CREATE NODE TABLE Note(path STRING PRIMARY KEY, title STRING, sha256 STRING, size INT64, mtime INT64)")
    connection.execute("CREATE REL TABLE LINKS(FROM Note TO Note)")
    note_table = pa.table(dict(zip(("path", "title", "sha256", "size", "mtime"), zip(*rows, strict=True), strict=True)))
    connection.execute("COPY Note FROM note_table")
    link_table = pa.table({"source": [a for a, _ in pairs], "target": [b for _, b in pairs]})
    connection.execute("COPY LINKS FROM link_table")
    assert note_table.num_rows == len(rows) and link_table.num_rows == len(pairs)
    connection.close()
    database.close()
    return len(pairs)


def main() -> None:
    """Runs once and prints JSON."""
    parser = argparse.ArgumentParser(description="Do the least with a vault and say how long it took.")
    parser.add_argument("vault", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    print(json.dumps(run_floor(given.vault, given.out)))


if __name__ == "__main__":
    main()
