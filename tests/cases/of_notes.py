"""What the notes of a case say: properties, names, tags, fields, atoms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tests.cases.checks import Failures, check, differences
from tests.cases.known import Known
from tests.cases.steps import Session


@check
def properties(session: Session, wanted: Any) -> Failures:
    for path, expected in wanted.items():
        actual = Known(session).properties(path)
        yield from differences(path, expected, {key: actual.get(key) for key in expected})


@check
def titles(session: Session, wanted: Any) -> Failures:
    yield from differences("titles", wanted, {path: Known(session).note(path)["title"] for path in wanted})


@check
def aliases(session: Session, wanted: Any) -> Failures:
    yield from differences("aliases", wanted, {path: Known(session).aliases(path) for path in wanted})


@check
def aliases_include(session: Session, wanted: Any) -> Failures:
    yield from _missing({path: (expected, Known(session).aliases(path)) for path, expected in wanted.items()})


@check
def tags(session: Session, wanted: Any) -> Failures:
    yield from differences("tags", {path: sorted(t) for path, t in wanted.items()}, {path: sorted(Known(session).tags(path)) for path in wanted})


@check
def tags_include(session: Session, wanted: Any) -> Failures:
    yield from _missing({path: (expected, Known(session).tags(path)) for path, expected in wanted.items()})


@check
def tags_absent(session: Session, wanted: Any) -> Failures:
    yield from _present({path: (expected, Known(session).tags(path)) for path, expected in wanted.items()})


@check
def fields(session: Session, wanted: Any) -> Failures:
    for path, expected in wanted.items():
        actual = Known(session).fields(path)
        yield from differences(path, {key: str(value) for key, value in expected.items()}, {key: actual.get(key.casefold()) for key in expected})


@check
def fields_absent(session: Session, wanted: Any) -> Failures:
    yield from _present({path: (expected, Known(session).fields(path)) for path, expected in wanted.items()})


@check
def no_atom_categories(session: Session, wanted: Any) -> Failures:
    kinds = Known(session).atom_kinds()
    return [f"there is an atom of kind {kind!r}" for kind in wanted if kind in kinds]


def _missing(pairs: dict[str, tuple[list[str], Iterable[str]]]) -> Iterator[str]:
    return (f"{path} has no {item!r}" for path, (wanted, actual) in pairs.items() for item in wanted if item not in actual)


def _present(pairs: dict[str, tuple[list[str], Iterable[str]]]) -> Iterator[str]:
    return (f"{path} has {item!r}" for path, (unwanted, actual) in pairs.items() for item in unwanted if item in actual)
