"""The option that points the cases at another file, and one test for each case of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases.waiting import waits_for

OWN = Path(__file__).with_name("cases.json")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cases", metavar="FILE", default=None, help="run the cases of this JSON file instead of tests/cases/cases.json")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", [_param(case) for case in read_cases(metafunc.config.getoption("cases", None))])


def read_cases(file: str | None) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads(Path(file or OWN).read_text("utf-8"))
    return cases


def _param(case: dict[str, Any]) -> Any:
    waiting = waits_for(case)
    marks = [pytest.mark.skip(reason=f"waits for {', '.join(waiting)}")] if waiting else []
    return pytest.param(case, id=case["id"], marks=marks)
