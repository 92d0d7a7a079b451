"""The check of the note of loops: lines that walk, and who counts what is open, would not read as an action.

The grammar is `- [ ] words (due DATE) [[episode]]`. A person may tick a line, reword it or add one without a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain.core.dates import civil_date
from brain.core.finding import Finding
from brain.core.ids import fold
from brain.doctor.view import View
from brain.stages.reading.loops import HEADING
from brain.vault.linkscan import Lines
from brain.vault.mask import mask
from brain.vault.outline import find_headings

_BULLET = re.compile(r"[-*+][ \t]+(?P<rest>.*)")
_BOX = re.compile(r"\[(?P<state>[^\]])\][ \t]+(?P<words>\S.*)")
_DUE = re.compile(r"\(due\b[ \t:]*(?P<day>[^()]*)\)")


def loop_lines(view: View) -> Iterator[Finding]:
    """Bullets below `## Open` without a box or without words, and days that are none."""
    wanted = fold(view.space.config.folders.loops)
    rows = view.conn.execute("SELECT n.path, t.body, t.first_line FROM note n JOIN text_doc t USING(nid) WHERE lower(n.stem)=lower(?)", (_stem(wanted),))
    for path, body, first in rows:
        if fold(path) != wanted:
            continue
        for number, line in _open_lines(body):
            why = _fault(line)
            if why:
                cure = f'write "- [ ] what is to be done (due 2026-01-31)" on line {first + number} of "{path}", or make it no bullet'
                yield Finding("loops-line", "info", path, first + number, f"{line.strip()[:80]!r} is read as no action: {why}.", cure)


def _open_lines(body: str) -> Iterator[tuple[int, str]]:
    """Yields the lines of `## Open` with their number from 0 on; code is none."""
    masked, lines = mask(body), body.split("\n")
    headings = find_headings(masked, body, 0, Lines(body))
    is_open = False
    begins = {heading.line: fold(heading.text) == fold(HEADING) for heading in headings}
    for number, line in enumerate(masked.split("\n")):
        is_open = begins.get(number + 1, is_open)
        if is_open and line.strip("\x00 \t\r"):
            yield number, lines[number]


def _fault(line: str) -> str | None:
    bullet = _BULLET.match(line)
    if bullet is None:
        return None  # words between, and what is indented below an action, are a person's
    box = _BOX.match(bullet["rest"].rstrip())
    if box is None:
        return "it has no box"
    due = _DUE.search(box["words"])
    return f"{due['day'].strip()!r} is no day" if due and civil_date(due["day"].strip()) is None else None


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".md")
