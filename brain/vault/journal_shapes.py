"""Which journal records have the shape that every reader of their kind counts on. Pure.

The journal is a text file in a folder that is synced and may be edited by hand: what does not have its shape counts
for nothing, and doctor names it. Of the records of stages only the names are looked at here; `stages.shape` says the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from brain.core.dates import instant_of

Check = Callable[[Any], bool]

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def is_text(value: Any) -> bool:
    """Tells whether a value is text."""
    return isinstance(value, str)


def is_writable(value: Any) -> bool:
    """Tells whether a value is text that a file can hold; bytes of a file name that are no UTF-8 are half characters, and are fine."""
    try:
        return isinstance(value, str) and value.encode("utf-8", "surrogateescape") is not None
    except UnicodeEncodeError:
        return False


def are_texts(value: Any) -> bool:
    """Tells whether a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_place(value: Any) -> bool:
    """Tells whether a value is a number of a line or of a character."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_key(value: Any) -> bool:
    """Tells whether a value is an id or a path that a database can hold."""
    try:
        return isinstance(value, str) and "\0" not in value and bool(value.encode("utf-8"))
    except UnicodeEncodeError:
        return False


def are_keys(value: Any) -> bool:
    """Tells whether a value is a list of ids."""
    return isinstance(value, list) and all(map(is_key, value))


def is_instant(value: Any) -> bool:
    """Tells whether a value is an ISO date or date-time."""
    return isinstance(value, str) and instant_of(value) is not None


def flaw_of(record: Mapping[str, Any]) -> str | None:
    """Returns what is wrong with a record, None when it has what its kind is read for; a kind of a later version is fine."""
    kind = record.get("kind")
    if not isinstance(kind, str):
        return "it is no record"
    for name, check in _SHAPES.get(kind, _ANY_KIND).items():
        if name not in record:
            return f"it is no record: it has no `{name}`"
        if not check(record[name]):
            return f"its `{name}` is of a wrong kind"
    return None


def holds_half(line: str, record: Mapping[str, Any]) -> bool:
    """Tells whether a record holds half a character, which no file can hold; `line` is what it was read from.

    An intent holds whole notes, and is named as a damaged run rather than as no record: `stages.shape` looks at it.
    """
    if record["kind"] == "intended" or not _SURROGATE.search(line):
        return False
    return not is_writable(json.dumps(record, ensure_ascii=False))


def _anything(_: Any) -> bool:
    return True


_ANY_KIND: dict[str, Check] = {"at": is_text}
_NAMES: dict[str, tuple[str, ...]] = {
    "run_started": ("run",), "intended": ("item", "run", "decision", "stage", "files"), "landed": ("item", "decision"),
    "rolled_back": ("item",), "undone": ("item", "within"), "declined": ("decision", "items", "within"), "held": ("decision",),
    "walked": ("id", "item", "sha256", "body_sha256"),
}  # fmt: skip
_SHAPES: dict[str, dict[str, Check]] = {kind: _ANY_KIND | dict.fromkeys(names, _anything) for kind, names in _NAMES.items()} | {
    "touched": {"at": is_instant, "ids": are_keys}, "moved": {"at": is_instant, "from": is_key, "to": is_key, "id": is_key},
    "provenance": {
        "at": is_instant, "item": is_key, "plan": is_text, "episode": is_key, "line": is_place, "quote": is_text, "reason": is_text,
        "judge": is_text,
    },
    "verdict": {"at": is_text, "plan": is_text, "judges": are_texts},
}  # fmt: skip
