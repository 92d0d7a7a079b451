"""A finding: something about a note or a store that a person may want to put right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One observation, where it is, and the command that cures it.

    `code` is from the closed list in `brain/doctor/codes.py`; `line` is 1-based, 0 for the whole file.
    """

    code: str
    severity: Severity
    path: str
    line: int
    message: str
    cure: str
