"""The verbs that carry a vault elsewhere and back: backup, restore, clear, export, import, purge."""

from __future__ import annotations

from brain.facade.opened import Opened


class Keeping(Opened):
    """How a vault is kept, moved and erased."""
