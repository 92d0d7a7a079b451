"""Changes between texts by whole lines: hunks, and the three-way merge that undo is made of. Pure.

Source: the usual three-way merge (Khanna, Kunal and Pierce 2007): two sets of hunks against one base are
put together when none of them touches what the other one does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from itertools import pairwise

LINES_MAX = 20_000


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines `[start, end)` of one text stand as `text` in the other."""

    start: int
    end: int
    text: str


def lines_of(text: str) -> list[str]:
    """Returns the lines of a text with their ends; only `\\n` ends a line, so that joining gives the text back."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def hunks_between(before: str, after: str) -> tuple[Hunk, ...]:
    """Returns what turns `before` into `after`, in order; longer texts than `LINES_MAX` differ in one hunk."""
    old, new = lines_of(before), lines_of(after)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if not middle_old and not middle_new:
        return ()
    if max(len(middle_old), len(middle_new)) > LINES_MAX:
        return (Hunk(head, head + len(middle_old), "".join(middle_new)),)
    matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
    return tuple(
        Hunk(head + i, head + j, "".join(middle_new[k:m])) for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal"
    )


def with_hunks(text: str, hunks: Sequence[Hunk]) -> str:
    """Returns the text with the hunks carried out."""
    lines = lines_of(text)
    pieces: list[str] = []
    at = 0
    for hunk in hunks:
        pieces += [*lines[at : hunk.start], hunk.text]
        at = hunk.end
    return "".join([*pieces, *lines[at:]])


def merged(base: str, ours: str, theirs: str) -> str | None:
    """Returns `ours` with the change from `base` to `theirs` made in it, or None when the two meet.

    A line that lost its end and is followed by another gets one, so that no two lines become one.
    """
    left, right = hunks_between(base, ours), hunks_between(base, theirs)
    together = sorted({*left, *right}, key=lambda hunk: (hunk.start, hunk.end, hunk.text))
    for first, second in pairwise(together):
        is_same_place = first.start == second.start and first.end == second.end
        if second.start < first.end or (is_same_place and first.start == first.end):
            return None
    lines = lines_of(base)
    pieces: list[str] = []
    at = 0
    for hunk in together:
        pieces += [*lines[at : hunk.start], hunk.text]
        at = hunk.end
    return _joined([*pieces, *lines[at:]], "\r\n" if "\r\n" in base else "\n")


def diff_text(before: str, after: str, path: str, *, was: str | None = None) -> str:
    """Returns a unified diff; `was` names the left side when it is another path, `/dev/null` say."""
    old, new = lines_of(before), lines_of(after)
    shown = unified_diff(old, new, was or path, path, lineterm="\n")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in shown)


def _joined(pieces: Sequence[str], eol: str) -> str:
    filled = [piece for piece in pieces if piece]
    return "".join(piece if piece.endswith("\n") or place == len(filled) - 1 else piece + eol for place, piece in enumerate(filled))


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count
