"""The verbs that change one thing by hand: no judge, one run each, taken back by undo."""

from __future__ import annotations

from brain.facade.opened import Opened


class Hands(Opened):
    """What a person can do to single notes."""
