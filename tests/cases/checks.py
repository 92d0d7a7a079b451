"""The table of checks: a key of a case → the function that looks at it. The functions are in the `of_*` modules.

Every function returns the failures, none when the expectation holds. A key without a function is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tests.cases.steps import Session

Failures = Iterable[str]
Check = Callable[[Session, Any], Failures]
CHECKS: dict[str, Check] = {}


class UnknownCheck(Exception):
    """A case asks for something that nobody looks at."""


def failures_of(session: Session, check: dict[str, Any]) -> list[str]:
    """Returns everything of a check that does not hold."""
    found: list[str] = []
    for key, wanted in check.items():
        if key not in CHECKS:
            raise UnknownCheck(f"no function looks at the check {key!r}")
        found.extend(f"{key}: {failure}" for failure in CHECKS[key](session, wanted))
    return found


def check(function: Check) -> Check:
    """Registers a function under its own name as the check key."""
    CHECKS[function.__name__] = function
    return function


@check
def any_of(session: Session, wanted: Any) -> Failures:
    found = [failures_of(session, one) for one in wanted]
    return [] if any(not failures for failures in found) else [repr(found)]


def differences(what: str, expected: dict[str, Any], actual: dict[str, Any]) -> Iterator[str]:
    for key, value in expected.items():
        if actual.get(key) != value:
            yield f"{what}: {key} is {actual.get(key)!r}, not {value!r}"


from tests.cases import of_answers, of_files, of_links, of_notes, of_weights  # noqa: E402, F401 - importing them fills the table
