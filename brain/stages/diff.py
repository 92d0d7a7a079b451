"""Receipts as a diff a person can read: what a run would change, file by file, with the reason of each change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from brain.core.merge import diff_text
from brain.core.plan import Applied, Conflict, Held, Patch, Receipt, Refused
from brain.vault.parse import decode


def diff_of(receipts: Iterable[Receipt]) -> str:
    """Returns all receipts as one text: a comment line with the reason before each unified diff."""
    return "".join(_shown(receipt) for receipt in receipts)


def _shown(receipt: Receipt) -> str:
    because = receipt.plan.because
    match receipt:
        case Applied(patches=patches):
            return f"# {because}\n" + "".join(_patch(patch) for patch in patches)
        case Held(why=why):
            return f"# held: {because}\n#   {why}\n"
        case Refused(why=why):
            return f"# refused: {because}\n#   {why}\n"
        case Conflict(path=path):
            return f"# left alone: {because}\n#   {path} changed meanwhile\n"
        case _:
            assert_never(receipt)


def _patch(patch: Patch) -> str:
    before = "" if patch.before is None else _text(patch.before)
    after = "" if patch.after is None else _text(patch.after)
    if patch.after is None:
        return diff_text(before, after, "/dev/null", was=patch.path)
    return diff_text(before, after, patch.path, was="/dev/null" if patch.before is None else None)


def _text(data: bytes) -> str:
    """Bytes that are no text are shown as such, since a diff is printed."""
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in decode(data)[0])
