"""The command line as a person meets it: arguments in, exit code and two streams out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import cli

ROOT = Path(__file__).resolve().parents[2]
OFFLINE = {"BRAIN_EMBED_MODEL": "none", "BRAIN_MACHINE": "m-test", "BRAIN_LOCK_WAIT_S": "1", "NO_COLOR": "1"}


@dataclass(frozen=True)
class Ran:
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(*args: object, vault: Path | None = None, stdin: str | bytes = "", env: Mapping[str, str] | None = None) -> Ran:
    """Runs `brain` in this process, errors and exit codes included."""
    where = ["--vault", str(vault)] if vault else []
    with CliRunner().isolation(input=stdin, env={**OFFLINE, **(env or {})}) as streams:
        code = 0
        try:
            cli.main([*where, *map(str, args)])
        except SystemExit as end:
            code = int(end.code or 0)
        sys.stdout.flush()
        sys.stderr.flush()
        return Ran(code, streams[0].getvalue().decode(), streams[1].getvalue().decode())


def spawn(
    *args: object, vault: Path | None = None, stdin: bytes = b"", env: Mapping[str, str] | None = None, before: Callable[[], None] | None = None,
    cwd: Path | None = None,
) -> Ran:  # fmt: skip
    """Runs `python -m cli` as a process of its own, its streams being pipes."""
    where = ["--vault", str(vault)] if vault else []
    done = subprocess.run(
        [sys.executable, "-m", "cli", *where, *map(str, args)], input=stdin, capture_output=True, check=False, cwd=cwd,
        env={**os.environ, **OFFLINE, "PYTHONPATH": str(ROOT), **(env or {})}, preexec_fn=before,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def notes_of(root: Path) -> dict[str, bytes]:
    """All files of a vault but those of brain itself."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*")) if path.is_file() and not {".brain", "Timeline"} & set(path.relative_to(root).parts)
    }  # fmt: skip
