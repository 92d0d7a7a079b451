"""The gate: which plans are applied and which wait for a person. Policy only; writes nothing.

Every edit there is can be undone, so what is certain and concerns nobody's identity is applied. What is
held stays held: a decision is put before a person once.
"""

from __future__ import annotations

from brain.core.ids import short_hash
from brain.core.plan import Concern, Plan

_WHY: dict[Concern, str] = {
    "people": "it joins two people, which a person decides",
    "cross-folder": "it joins notes of different folders, which a person decides",
    "alias-only": "only an alias says so",
    "ambiguous": "more than one note answers to the name",
    "unlinkable": "no link can be written that leads to the note",
}


def why_held(plan: Plan) -> str | None:
    """Returns why a person should decide first, or None when the plan may be applied."""
    reasons = [_WHY[concern] for concern in sorted(set(plan.concerns))]
    if not plan.certain:
        reasons.append("the evidence is not certain")
    return f"{'; '.join(reasons)}." if reasons else None


def decision_id(plan: Plan) -> str:
    """Returns the id of what is decided, whichever run plans it: held, declined and applied share it."""
    return f"d-{short_hash('decision', plan.stage, plan.key, length=10)}"
