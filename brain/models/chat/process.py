"""One filter program: bytes in, bytes out, in bounded time and space. POSIX.

The program gets a session of its own, so that it and everything it started can be ended together, and is
always ended: after its answer, after too long, after too much, and when we ourselves are interrupted.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Literal

PIECE_BYTES = 1 << 16
STDERR_BYTES_MAX = 4_000
DRAIN_S = 1.0
"""How long output is awaited after the program is gone: what it left running may hold its pipes open."""
ENDING_S = 2.0

End = Literal["ended", "timeout", "too_long"]


@dataclass(slots=True)
class Outcome:
    """What became of a run. `code` is the exit code, negative for a signal; `errors` are the last bytes of stderr."""

    end: End
    code: int
    output: bytes
    errors: bytes
    seconds: float


@dataclass(slots=True)
class _Flow:
    """The bytes on their way: what is still to be written, and what was read."""

    waiting: memoryview
    limit: int
    output: bytearray = field(default_factory=bytearray)
    errors: bytearray = field(default_factory=bytearray)


def run_filter(argv: Sequence[str], data: bytes, *, timeout_s: float, output_bytes_max: int, environ: Mapping[str, str]) -> Outcome:
    """Runs a program on `data` and returns its output, cut off at the limits.

    Raises: OSError when the program cannot be started.
    """
    started = time.monotonic()
    program = subprocess.Popen(
        list(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(environ), start_new_session=True,
    )  # fmt: skip
    flow = _Flow(memoryview(data), output_bytes_max)
    try:
        end = _pump(program, flow, started + timeout_s)
    finally:
        _end(program)
    return Outcome(end, program.returncode, bytes(flow.output), bytes(flow.errors), time.monotonic() - started)


def _pump(program: subprocess.Popen[bytes], flow: _Flow, deadline: float) -> End:
    """Moves bytes until all pipes are closed, or a limit says stop; then waits for the exit within the deadline."""
    assert program.stdin and program.stdout and program.stderr
    with selectors.DefaultSelector() as watched:
        for pipe, event in ((program.stdin, selectors.EVENT_WRITE), (program.stdout, selectors.EVENT_READ), (program.stderr, selectors.EVENT_READ)):
            os.set_blocking(pipe.fileno(), False)
            watched.register(pipe, event)
        gone_at: float | None = None
        while watched.get_map():
            now = time.monotonic()
            if now >= deadline:
                return "timeout"
            if gone_at is None and program.poll() is not None:
                gone_at = now
            if gone_at is not None and now >= gone_at + DRAIN_S:
                break
            for key, _ in watched.select(min(0.1, deadline - now)):
                _move(key.fileobj, program, flow, watched)  # type: ignore[arg-type]
            if len(flow.output) > flow.limit:
                return "too_long"
    return _awaited(program, deadline)


def _move(pipe: IO[bytes], program: subprocess.Popen[bytes], flow: _Flow, watched: selectors.BaseSelector) -> None:
    """Moves one piece through one pipe; a pipe that is done is closed."""
    is_done = False
    try:
        if pipe is program.stdin:
            flow.waiting = flow.waiting[os.write(pipe.fileno(), flow.waiting[:PIECE_BYTES]) :]
            is_done = not flow.waiting
        else:
            piece = os.read(pipe.fileno(), PIECE_BYTES)
            is_done = not piece
            if pipe is program.stdout:
                flow.output += piece
            else:
                flow.errors = (flow.errors + piece)[-STDERR_BYTES_MAX:]
    except BlockingIOError:
        return
    except BrokenPipeError:  # a program may answer without reading all of its input
        is_done = True
    if is_done:
        watched.unregister(pipe)
        pipe.close()


def _awaited(program: subprocess.Popen[bytes], deadline: float) -> End:
    try:
        program.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return "timeout"
    return "ended"


def _end(program: subprocess.Popen[bytes]) -> None:
    """Ends the program and all it started: politely, then not. What ended by itself may have left children."""
    if program.poll() is None:
        _signal(program.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.wait(ENDING_S)
    _signal(program.pid, signal.SIGKILL)
    program.wait()
    for pipe in (program.stdin, program.stdout, program.stderr):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
