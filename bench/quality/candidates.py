"""What the candidate queries of the link stage cost in an indexed vault: seconds and pairs of each signal, and of the insight hubs.

    python -m bench.quality.candidates VAULT --notes 500

Reads only. `mention` is looked for once in the whole vault, the others for each note that a run looks at.
"""

from __future__ import annotations

import argparse
import time
from itertools import islice
from pathlib import Path

from brain.config import load_config
from brain.stages.context import context_of
from brain.stages.linking.candidates import find_candidates, in_order, survey
from brain.stages.linking.insight import find_hubs
from brain.sync.space import open_space


def main() -> None:
    """Prints the table."""
    arguments = argparse.ArgumentParser(description="What finding candidates for relations costs.")
    arguments.add_argument("vault", type=Path)
    arguments.add_argument("--notes", type=int, default=500, help="how many notes one run looks at")
    given = arguments.parse_args()
    ctx = context_of(open_space(given.vault, load_config(given.vault), environ={"BRAIN_MACHINE": "m-bench"}))
    vault = survey(ctx)
    notes = list(islice(in_order(vault), given.notes))
    began = time.perf_counter()
    found = find_candidates(ctx, vault, notes)
    took = time.perf_counter() - began
    print(f"{len(vault.live)} live notes; {len(notes)} looked at: {sum(map(len, found.values()))} candidates in {took:.1f} s")
    for signal, seconds in sorted(vault.seconds.items()):
        print(f"  {signal}: {vault.pairs[signal]} pairs, {seconds:.2f} s")
    began = time.perf_counter()
    print(f"  insight hubs: {len(find_hubs(ctx))}, {time.perf_counter() - began:.2f} s")


if __name__ == "__main__":
    main()
