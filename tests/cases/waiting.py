"""What the product cannot do yet: the steps and checks that wait, each with the command it waits for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

PENDING: dict[str, str] = {
    "write_note": "the write tool of `brain mcp`",
    "capture": "the capture tool of `brain mcp`",
    "read_expanded": "`brain get --expand`",
    "timeline": "`brain timeline`",
    "hook": "`brain hook`",
    "mcp": "`brain mcp`",
    "mcp_session": "`brain mcp`",
    "start_mcp": "`brain mcp`",
    "stop_mcp": "`brain mcp`",
}
"""Step → the command it waits for."""

PENDING_CHECKS: dict[str, str] = {
    "expanded_contains": "`brain get --expand`",
    "mcp_result_max_bytes": "`brain mcp`",
    "stdout_all_jsonrpc": "`brain mcp`",
    "server_alive": "`brain mcp`",
    "delimiters_not_forgeable": "`brain hook`",
    "no_child_processes": "`brain hook`",
}
"""Check → the command whose output it looks at."""

PENDING_CASES: dict[str, str] = {}
"""Case → what it waits for although every one of its steps has a command."""

DISAGREE: dict[str, str] = {}
"""Case → why the product does otherwise, on purpose."""


def steps_of(steps: list[dict[str, Any]]) -> Iterator[str]:
    """Names of all steps, those inside `parallel` and `plan` too."""
    for step in steps:
        yield step["do"]
        yield from steps_of([step[inner] for inner in ("step", "op") if isinstance(step.get(inner), dict)])


def waits_for(case: dict[str, Any]) -> list[str]:
    """What a case waits for, sorted; empty when it can run."""
    waiting = {PENDING[step] for step in steps_of(case["steps"]) if step in PENDING}
    waiting |= {PENDING_CHECKS[check] for check in case["check"] if check in PENDING_CHECKS}
    waiting |= {"`brain search --scope`" for step in case["steps"] if "scope" in step}
    waiting |= {PENDING_CASES[case["id"]]} if case["id"] in PENDING_CASES else set()
    return sorted(waiting)
