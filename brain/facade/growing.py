"""The verbs of the tree: who hangs where, and plans that put crowded places in order."""

from __future__ import annotations

from brain.facade.opened import Opened


class Growing(Opened):
    """What can be done to the tree."""
