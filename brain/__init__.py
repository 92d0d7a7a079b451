"""`brain`: a knowledge graph over a folder of Markdown notes.

    from brain import Brain, Query

    brain = Brain.open("~/notes")
    brain.index()
    for hit in brain.search(Query("water wheel")).hits:
        print(hit.path, hit.score)

The public names are loaded when they are used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from brain.core.finding import Finding
    from brain.core.note import Note
    from brain.core.plan import Applied, Conflict, Held, Plan, Receipt, Refused
    from brain.core.recall import Answer, Hit, Query, Snippet
    from brain.errors import BrainError
    from brain.facade import Brain

__version__ = "0.1.0"

_HOME = {
    "Brain": "brain.facade", "BrainError": "brain.errors", "Query": "brain.core.recall", "Answer": "brain.core.recall",
    "Hit": "brain.core.recall", "Snippet": "brain.core.recall", "Finding": "brain.core.finding", "Note": "brain.core.note",
    "Plan": "brain.core.plan", "Receipt": "brain.core.plan", "Applied": "brain.core.plan", "Held": "brain.core.plan",
    "Refused": "brain.core.plan", "Conflict": "brain.core.plan",
}  # fmt: skip

__all__ = [
    "Answer", "Applied", "Brain", "BrainError", "Conflict", "Finding", "Held", "Hit", "Note", "Plan", "Query", "Receipt",
    "Refused", "Snippet",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Loads a public name from its module."""
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'brain' has no attribute {name!r}")
