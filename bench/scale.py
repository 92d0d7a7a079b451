"""Speed and memory at several sizes, against the floor program in the same run.

    python -m bench.scale --sizes 1000,10000 --repeats 3 --write bench/baseline.json

Every figure is a median. Floor and rebuild take turns, so that a busy machine slows both. The notes
are read once before, so both find them in the page cache. Vaults are kept under `--out`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sqlite3
import statistics
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench.corpus import SEED, ready_vault
from bench.process import ROOT, Ran, bench, brain, environment, must

Row = dict[str, Any]
GB = 1e9
PACKAGES = ("kuzu", "ladybug", "numpy", "pyarrow", "sentence-transformers", "torch", "tokenizers")
COLD_QUERY = "grel trufliock notes"


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure, the size at which it counts, and what it may be at most."""

    figure: str
    at: int
    most: float


BARS = (
    Bar("rebuild_ratio", 100_000, 2.5),
    Bar("rebuild_peak_gb", 100_000, 1.2),
    Bar("unchanged_ratio", 100_000, 3.0),
    Bar("edit_visible_ms", 100_000, 150.0),
    Bar("edit_graph_ms", 100_000, 1_000.0),
    Bar("edit_cold_s", 100_000, 1.5),
    Bar("lexical_p50_ms", 100_000, 25.0),
    Bar("hybrid_p50_ms", 100_000, 80.0),
    Bar("help_cold_s", 10_000, 0.2),
    Bar("search_cold_s", 10_000, 0.8),
    Bar("rebuild_embedded", 100_000, 0.0),
)


def measure(size: int, out: Path, repeats: int) -> Row:
    """Measures everything at one size and returns figures by name."""
    vault = out / f"work-{size}"
    shutil.rmtree(vault, ignore_errors=True)
    shutil.copytree(ready_vault(out, size), vault)
    plain = environment(BRAIN_EMBED_MODEL="none")
    figures = _rebuilds(vault, out / "floor", plain, repeats)
    figures |= {f"unchanged_{key}": value for key, value in _inside("unchanged", vault, plain).items()}
    edit = _inside("edit", vault, plain)
    figures |= {"edit_visible_ms": edit["visible_s"] * 1000, "edit_graph_ms": edit["graph_s"] * 1000}
    figures |= {f"lexical_{key}": value for key, value in _inside("search", vault, plain).items()}
    figures |= _cold_edit(vault, plain, repeats)
    with_vectors = environment(BRAIN_EMBED_MODEL="minilm")
    filled = _inside("vectors", vault, with_vectors)
    figures |= {"chunks": filled["chunks"], "fill_s": filled["fill_s"]}
    figures |= {f"hybrid_{key}": value for key, value in _inside("hybrid", vault, with_vectors).items()}
    again = _inside("cached", vault, with_vectors)
    figures |= {"rebuild_embedded": again["embedded"] + again["waiting"], "rebuild_with_vectors_s": again["seconds"]}
    figures |= _cold(vault, with_vectors, repeats)
    shutil.rmtree(vault)
    return figures


def _rebuilds(vault: Path, floor_out: Path, env: Mapping[str, str], repeats: int) -> Row:
    must(bench("floor", str(vault), str(floor_out)), env=env)  # warms the page cache
    floors: list[Ran] = []
    rebuilds: list[Ran] = []
    for _ in range(repeats):
        floors.append(must(bench("floor", str(vault), str(floor_out)), env=env))
        rebuilds.append(must(bench("inside", "rebuild", str(vault)), env=env))
    shutil.rmtree(floor_out)
    floor_s, rebuild_s = _median_wall(floors), _median_wall(rebuilds)
    steps = json.loads(floors[-1].stdout)
    return {
        "floor_s": floor_s,
        "floor_steps_s": {name: value for name, value in steps.items() if name.endswith("_s")},
        "floor_peak_gb": max(ran.peak_bytes for ran in floors) / GB,
        "rebuild_s": rebuild_s,
        "rebuild_ratio": rebuild_s / floor_s,
        "rebuild_cpu_ratio": statistics.median(r.cpu_s for r in rebuilds) / statistics.median(f.cpu_s for f in floors),
        "rebuild_peak_gb": max(max(ran.peak_bytes, ran.tree_bytes) for ran in rebuilds) / GB,
        "rebuild_largest_process_gb": max(ran.peak_bytes for ran in rebuilds) / GB,
        "notes": json.loads(rebuilds[-1].stdout)["notes"],
    }


def _cold_edit(vault: Path, env: Mapping[str, str], repeats: int) -> Row:
    """Changes one note, then runs `brain index` as a new process; search has to find it afterwards."""
    path = sorted(vault.rglob("*.md"))[7]
    runs = []
    for number in range(repeats):
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"\ncoldedit{number}x is new.\n")
        runs.append(must(brain("--vault", str(vault), "index"), env=env))
        found = must(brain("--vault", str(vault), "search", f"coldedit{number}x", "--json"), env=env)
        assert path.stem in found.stdout, f"an edited note was not found after `brain index`: {path}"
    return {"edit_cold_s": _median_wall(runs)}


def _cold(vault: Path, env: Mapping[str, str], repeats: int) -> Row:
    helps, searches = [], []
    for _ in range(max(3, repeats)):
        helps.append(must(brain("--help"), env=env))
        searches.append(must(brain("--vault", str(vault), "search", COLD_QUERY), env=env, codes=(0, 1)))
    return {
        "help_cold_s": _median_wall(helps), "search_cold_s": _median_wall(searches),
        "search_cold_peak_gb": max(ran.peak_bytes for ran in searches) / GB,
    }  # fmt: skip


def _inside(name: str, vault: Path, env: Mapping[str, str]) -> Row:
    row: Row = json.loads(must(bench("inside", name, str(vault)), env=env).stdout)
    return row


def _median_wall(runs: list[Ran]) -> float:
    return statistics.median(ran.wall_s for ran in runs)


def machine() -> Row:
    """Describes where the figures come from: processor, memory, system, versions, revision."""
    described = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False)
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GB, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "load_before": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "engine": os.environ.get("BRAIN_ENGINE", "kuzu"),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
        "revision": described.stdout.strip() or None,
        "seed": SEED,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def missed(sizes: Mapping[str, Row]) -> list[str]:
    """Prints every bar that was measured and returns those that were missed."""
    over = []
    for bar in BARS:
        figure = sizes.get(str(bar.at), {}).get(bar.figure)
        if figure is None:
            continue
        is_met = figure <= bar.most
        print(f"{'met   ' if is_met else 'MISSED'} {bar.figure} at {bar.at}: {figure:.3g} (at most {bar.most:g})")
        over += [] if is_met else [bar.figure]
    return over


def main() -> None:
    """Measures, prints, and writes what it found; exits with 1 when a bar was missed."""
    parser = argparse.ArgumentParser(description="Measure against the floor program.")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "out")
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    where = machine()
    print(json.dumps(where, indent=1))
    sizes: dict[str, Row] = {}
    for size in (int(text) for text in given.sizes.split(",")):
        sizes[str(size)] = measure(size, given.out, given.repeats)
        print(json.dumps({size: _rounded(sizes[str(size)])}, indent=1), flush=True)
    over = missed(sizes)
    if given.write:
        result = {"machine": where, "repeats": given.repeats, "sizes": _rounded(sizes), "missed": over}
        given.write.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", "utf-8")
    sys.exit(1 if over else 0)


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main()
