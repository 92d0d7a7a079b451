"""Measurements inside one process, each a command that prints JSON. `bench.scale` runs them as children.

    python -m bench.inside rebuild|unchanged|edit|search|hybrid|vectors|cached VAULT

The vault is changed by `edit`: give it a copy. The settings come from the environment as always
(`BRAIN_EMBED_MODEL=none` for what has to be measured without embeddings).
"""

from __future__ import annotations

import argparse
import json
import statistics
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from bench.floor import stat_walk
from bench.process import own_peak_bytes
from bench.queries import read_queries
from brain.config import load_config
from brain.core.recall import Query
from brain.recall.search import search
from brain.sync.run import sync
from brain.sync.space import Space, open_space

Row = dict[str, Any]
REPEATS = 5
EDITS = 9
POLL_S = 0.002


def rebuild(space: Space) -> Row:
    """Makes everything derived anew, without embedding."""
    began = time.perf_counter()
    report = sync(space, full=True, embed=False)
    return {"seconds": time.perf_counter() - began, "notes": report.notes, "peak_bytes": own_peak_bytes()}


def unchanged(space: Space) -> Row:
    """Syncs a vault in which nothing changed, beside a bare walk with stat."""
    sync(space, embed=False)
    walks, syncs = [], []
    for _ in range(REPEATS):
        walks.append(_seconds(lambda: list(stat_walk(str(space.vault.root)))))
        syncs.append(_seconds(lambda: sync(space, embed=False)))
    walk_s, sync_s = statistics.median(walks), statistics.median(syncs)
    return {"walk_s": walk_s, "sync_s": sync_s, "ratio": sync_s / walk_s}


def edit(space: Space) -> Row:
    """Changes one note at a time and asks, beside the sync, when search finds it and when the graph has it."""
    sync(space, embed=False)
    paths = space.vault.paths()
    random = Random("edits")
    visible, whole = [], []
    for number in range(EDITS):
        path, word = paths[int(random.random() * len(paths))], f"zyzzyva{number}q{len(paths)}"
        with open(space.vault.root / path, "a", encoding="utf-8") as file:
            file.write(f"\n{word} was written just now.\n")
        began = time.perf_counter()
        found: list[float] = []
        asking = threading.Thread(target=_ask_until_found, args=(space, word, path, found))
        asking.start()
        sync(space, paths=[path], embed=False)
        whole.append(time.perf_counter() - began)
        asking.join()
        visible.append(found[0] - began)
    return {"visible_s": statistics.median(visible), "visible_max_s": max(visible), "graph_s": statistics.median(whole)}


def lexical(space: Space) -> Row:
    """Asks the hundred queries by words alone."""
    return _asked(space, "lexical")


def hybrid(space: Space) -> Row:
    """Asks them by words and meaning; the encoder of the settings runs for each."""
    return _asked(space, "hybrid")


def vectors(space: Space) -> Row:
    """Gives every chunk a made-up unit vector through the cache, so that no time goes into a model."""
    import numpy as np

    from brain.index.embeddings import Cache

    embedder = space.embedder()
    assert embedder is not None, "the settings name no embedder"
    sync(space, embed=False)
    with space.catalog() as conn:
        hashes = [row[0] for row in conn.execute("SELECT DISTINCT hash FROM chunk ORDER BY hash")]
    random = np.random.default_rng(7)
    with Cache(space.layout.cache_path) as cache:
        for start in range(0, len(hashes), 10_000):
            batch = hashes[start : start + 10_000]
            rows = random.standard_normal((len(batch), embedder.dims), dtype=np.float32)
            cache.put_many(embedder.model, batch, rows / np.linalg.norm(rows, axis=1, keepdims=True))
    began = time.perf_counter()
    report = sync(space)
    return {"chunks": len(hashes), "embedded": report.embedded, "fill_s": time.perf_counter() - began}


def cached(space: Space) -> Row:
    """Rebuilds with the cache there: nothing may be embedded again."""
    began = time.perf_counter()
    report = sync(space, full=True)
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "embedded": report.embedded, "waiting": report.waiting_to_embed, "peak_bytes": own_peak_bytes()}


def _asked(space: Space, mode: str) -> Row:
    from brain.sync.embedding import vector_store

    embedder = space.embedder() if mode == "hybrid" else None
    times: dict[str, list[float]] = {}
    hits = count = 0
    with space.catalog() as conn:
        store = vector_store(space, conn) if mode == "hybrid" else None
        count = 0 if store is None else store.count
        for query in [*read_queries()[:3], *read_queries()]:  # the first three warm up
            began = time.perf_counter()
            answer = search(
                conn, Query(query["text"], mode=mode), now=space.clock.now(), limits=space.config.limits, embedder=embedder, vectors=store
            )  # fmt: skip
            times.setdefault(query["band"], []).append(time.perf_counter() - began)
            hits += len(answer.hits)
    times["frequent"] = times["frequent"][3:]
    every = sorted(second for band in times.values() for second in band)
    bands = {f"{band}_p50_ms": 1000 * statistics.median(found) for band, found in sorted(times.items())}
    return {
        "queries": len(every), "hits": hits, "p50_ms": 1000 * statistics.median(every), "p95_ms": 1000 * every[int(len(every) * 0.95)],
        "max_ms": 1000 * every[-1], "vectors": count, **bands,
    }  # fmt: skip


def _ask_until_found(space: Space, word: str, path: str, found: list[float]) -> None:
    deadline = time.perf_counter() + 60
    with space.catalog() as conn:
        while time.perf_counter() < deadline:
            answer = search(conn, Query(word, mode="lexical"), now=space.clock.now(), limits=space.config.limits)
            if any(hit.path == path for hit in answer.hits):
                found.append(time.perf_counter())
                return
            time.sleep(POLL_S)
    raise AssertionError(f"search never found {word} in {path}")


def _seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


MEASURES: dict[str, Callable[[Space], Row]] = {
    "rebuild": rebuild, "unchanged": unchanged, "edit": edit, "search": lexical, "hybrid": hybrid, "vectors": vectors,
    "cached": cached,
}  # fmt: skip


def main() -> None:
    """Runs one measurement."""
    parser = argparse.ArgumentParser(description="Measure one thing inside a process.")
    parser.add_argument("measure", choices=sorted(MEASURES))
    parser.add_argument("vault", type=Path)
    given = parser.parse_args()
    print(json.dumps(MEASURES[given.measure](open_space(given.vault, load_config(given.vault)))))


if __name__ == "__main__":
    main()
