"""What is on disk after a case: bytes, lines, files, times."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.cases.checks import Failures, check
from tests.cases.steps import Session


@check
def bytes_after(session: Session, wanted: Any) -> Failures:
    for path, expected in wanted.items():
        actual = session.bytes_of(path)
        if actual != expected.encode("utf-8"):
            yield f"{path} is {actual!r}, not {expected.encode('utf-8')!r}"


@check
def bytes_unchanged(session: Session, wanted: Any) -> Failures:
    return [f"{path} is now {session.bytes_of(path)!r}" for path in wanted if session.bytes_of(path) != session.before[path]]


@check
def lines_unchanged_except(session: Session, wanted: Any) -> Failures:
    for path, rule in wanted.items():
        before, after = session.before[path].splitlines(keepends=True), (session.bytes_of(path) or b"").splitlines(keepends=True)
        if len(before) != len(after):
            yield f"{path} has {len(after)} lines, not {len(before)}"
        for number, (old, new) in enumerate(zip(before, after, strict=False), start=1):
            if (old != new) != (number in rule["changed_lines"]):
                yield f"line {number} of {path} is {new!r}, was {old!r}"


@check
def text_kept(session: Session, wanted: Any) -> Failures:
    for path, texts in wanted.items():
        data = (session.bytes_of(path) or b"").decode("utf-8", "replace")
        yield from (f"{path} lost {text!r}" for text in texts if text not in data)


@check
def texts_present_somewhere_or_error(session: Session, wanted: Any) -> Failures:
    if any(outcome.error for outcome in session.outcomes):
        return []
    everything = "\n".join(place.read_text("utf-8", "replace") for place in notes_on_disk(session))
    return [f"{text!r} is in no note" for text in wanted if text not in everything]


@check
def nowhere_on_disk(session: Session, wanted: Any) -> Failures:
    for folder, _, names in os.walk(session.vault):
        for name in names:
            data = Path(folder, name).read_bytes()
            yield from (f"{text!r} is in {name}" for text in wanted if text.encode() in data)


@check
def files_exist(session: Session, wanted: Any) -> Failures:
    return [f"{path} is gone" for path in wanted if not _is_listed(session, path)]


@check
def files_absent(session: Session, wanted: Any) -> Failures:
    return [f"{path} is there" for path in wanted if _is_listed(session, path)]


@check
def files_count(session: Session, wanted: Any) -> Failures:
    count = len(notes_on_disk(session))
    return [] if count == wanted else [f"{count} notes on disk, not {wanted}"]


@check
def mtime_unchanged_by_index(session: Session, wanted: Any) -> Failures:
    return [f"indexing moved the time of {path}" for path in wanted if path in session.moved_by_index]


def notes_on_disk(session: Session) -> list[Path]:
    return sorted(place for place in session.vault.rglob("*") if place.suffix.lower() == ".md" and place.is_file() and ".brain" not in place.parts)


def _is_listed(session: Session, path: str) -> bool:
    """Whether a folder lists exactly this name: a case-insensitive disk answers to others too."""
    place = Path(os.path.normpath(session.vault / path))
    return place.parent.is_dir() and place.name in os.listdir(place.parent)
