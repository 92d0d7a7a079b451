"""How much of the notes of a case is left: weights, ages, and what a second pass makes of them."""

from __future__ import annotations

import math
from typing import Any

from brain.recall.filters import weights_of
from tests.cases.checks import Failures, check, differences
from tests.cases.steps import Session


@check
def scores_between(session: Session, wanted: Any) -> Failures:
    found = _weights(session)
    return [f"{path} weighs {found[path]}, not {low} to {high}" for path, (low, high) in wanted.items() if not low <= found[path] <= high]


@check
def scores_finite(session: Session, wanted: Any) -> Failures:
    found = _weights(session)
    return [f"{path} weighs {found[path]}" for path in wanted if not math.isfinite(found[path])]


@check
def scores_equal_after_rerun(session: Session, wanted: Any) -> Failures:
    before = _weights(session)
    session.brain().decay()
    return differences("weights", before, _weights(session)) if wanted else []


@check
def age_days(session: Session, wanted: Any) -> Failures:
    ages = {note.path: note.age_days for outcome in session.outcomes if outcome.do == "ages" and outcome.value for note in outcome.value.next}
    return differences("ages", wanted, ages)


def _weights(session: Session) -> dict[str, float]:
    """Returns the weight of every note at the moment of the session."""
    space = session.brain().space
    with space.catalog() as conn:
        paths = dict(conn.execute("SELECT nid, path FROM note"))
        return {paths[nid]: weight for nid, weight in weights_of(conn, paths, session.now).items()}
