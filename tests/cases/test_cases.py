"""Small vaults with known answers: each case is laid out, its steps are carried out, its checks are looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cases.checks import CHECKS, failures_of
from tests.cases.conftest import read_cases
from tests.cases.steps import STEPS, run_case
from tests.cases.waiting import DISAGREE, PENDING, PENDING_CASES, PENDING_CHECKS, steps_of


def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    session = run_case(case, tmp_path)
    failures = failures_of(session, case["check"])
    if case["id"] in DISAGREE:
        assert failures, f"{case['id']} holds now: take it out of DISAGREE"
        return
    assert not failures, "\n".join([f"{case['id']}: {case['expect']}", *failures])


def test_a_step_either_has_a_command_or_names_the_one_it_waits_for() -> None:
    cases = read_cases(None)
    used = {step for case in cases for step in steps_of(case["steps"])}
    assert used <= STEPS.keys() | PENDING.keys()
    assert not STEPS.keys() & PENDING.keys()


def test_a_check_is_either_looked_at_or_names_the_command_it_waits_for() -> None:
    used = {key for case in read_cases(None) for key in case["check"]}
    assert used <= CHECKS.keys() | PENDING_CHECKS.keys()
    assert not CHECKS.keys() & PENDING_CHECKS.keys()


def test_what_waits_or_is_disagreed_with_is_there() -> None:
    assert PENDING_CASES.keys() | DISAGREE.keys() <= {case["id"] for case in read_cases(None)}
