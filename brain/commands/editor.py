"""A person's own editor: opening a file in it, and waiting until it is closed."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path


def edit(place: Path, *, left: str, cure: str) -> None:
    """Opens a file and waits; `left` says what an editor that failed leaves behind. Raises: UsageError when there is none, or it fails."""
    from brain.errors import UsageError

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise UsageError("No editor is set.", "export EDITOR=nano, then run it again")
    try:
        done = subprocess.run([*shlex.split(editor), str(place)], check=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"The editor {editor!r} cannot be started: {error}.", "correct EDITOR") from error
    if done.returncode:
        raise UsageError(f"The editor ended with {done.returncode}{left}", cure)
