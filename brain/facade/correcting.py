"""The verbs of correction: a fact that was wrong, claims that have gone stale, the state of a day."""

from __future__ import annotations

from brain.facade.opened import Opened


class Correcting(Opened):
    """How a vault is put right."""
