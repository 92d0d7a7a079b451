"""The verbs of forgetting: what fades, what is touched, what is taken out by an explicit word."""

from __future__ import annotations

from brain.facade.opened import Opened


class Forgetting(Opened):
    """How the vault forgets, and how it is kept from it."""
