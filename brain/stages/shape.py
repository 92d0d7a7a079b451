"""Which journal records have the shape that their kind is read for. Pure.

The journal is a text file in a folder that is synced and may be edited: what does not have its shape counts for
nothing, and is named. Whether an intent's texts fit their hashes is `record.patches_of`'s to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from brain.errors import UsageError
from brain.vault.journal_shapes import Check, are_texts, is_place, is_text, is_writable
from brain.vault.layout import inside_path


def fault_of(record: Mapping[str, Any]) -> str | None:
    """Returns what is wrong with a record of a stage, None when it can be read."""
    for name, check in _SHAPES.get(record["kind"], {}).items():
        if not check(record.get(name)):
            return f"its `{name}` is missing or of a wrong kind"
    if record["kind"] != "intended":
        return None
    return next((fault for file in record["files"] if (fault := _file_fault(file))), None) or _doubled(record["files"])


def _file_fault(file: Mapping[str, Any]) -> str | None:
    try:
        inside_path(file["path"])
    except UsageError as error:
        return error.message.rstrip(".")
    made = [key for key in ("hunks", "after") if key in file]
    if len(made) > 1 or ("hunks" in file and file["before"] is None) or (not made) != (file["after_sha256"] is None):
        return f"what it says about {file['path']} does not fit together"
    return f"it changes nothing in {file['path']}" if file["before"] is None and not made else None


def _doubled(files: list[Mapping[str, Any]]) -> str | None:
    paths = [file["path"] for file in files]
    return next((f"it names {path} twice" for path in paths if paths.count(path) > 1), None)


def _items(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) and isinstance(item.get("item"), str) for item in value)


def _files(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(file, dict) and _is_file(file) for file in value)


def _is_file(file: Mapping[str, Any]) -> bool:
    hashes = (file.get("before_sha256"), file.get("after_sha256"))
    packed = (file.get("before"), file.get("after"))
    return (
        is_writable(file.get("path"))
        and all(known is None or isinstance(known, str) for known in hashes)
        and all(text is None or _is_packed(text) for text in packed)
        and {"before", "before_sha256", "after_sha256"} <= file.keys()
        and _hunks(file.get("hunks", []))
    )


def _is_packed(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, dict) and any(isinstance(value.get(name), str) for name in ("base64", "purged")))


def _hunks(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(hunk, list) and len(hunk) == 3 and is_place(hunk[0]) and is_place(hunk[1]) and _is_packed(hunk[2]) for hunk in value
    )


_SHAPES: dict[str, dict[str, Check]] = {
    "run_started": {"at": is_text, "run": is_text, "stage": is_text},
    "intended": {
        "at": is_writable, "item": is_writable, "run": is_writable, "decision": is_writable, "stage": is_writable, "key": is_writable,
        "because": is_writable, "provenance": _items, "files": _files,
    },
    "landed": {"item": is_text, "decision": is_text}, "rolled_back": {"item": is_text}, "undone": {"item": is_text, "within": is_text},
    "declined": {"decision": is_text, "within": is_text, "items": are_texts}, "held": {"decision": is_text}, "closed": {"decision": is_text},
    "walked": {"id": is_text, "item": is_text, "sha256": is_text, "body_sha256": is_text, "path": is_text},
}  # fmt: skip
