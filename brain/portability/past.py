"""What git still holds of something that was erased: looked at, never changed. At most so many commits are named."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

COMMITS_MAX = 20
WAIT_S = 30.0


def commits_with(root: Path, text: str | None, paths: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    """Returns the commits that bring or take a text, or that touch paths, one more than `COMMITS_MAX` when there are more.

    None: there is no git, no repository, or it did not answer in time.
    """
    git = shutil.which("git")
    if git is None:
        return None
    what = ["-S", text] if text is not None else []
    command = [git, "-C", str(root), "log", "--all", "--format=%h", f"--max-count={COMMITS_MAX + 1}", *what, "--", *(paths or ["."])]
    try:
        done = subprocess.run(command, capture_output=True, timeout=WAIT_S, check=False, stdin=subprocess.DEVNULL)
    except (subprocess.TimeoutExpired, OSError, ValueError):
        return None
    return tuple(done.stdout.decode("ascii", "replace").split()) if done.returncode == 0 else None
