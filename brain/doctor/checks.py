"""What may want putting right: one function a check, each from a space and its catalog to findings.

Reads only. Every finding names its place and the command or the edit that cures it, and can reach zero.
"""

from __future__ import annotations

import posixpath
import re
import sqlite3
from collections.abc import Callable, Iterator

from brain.core.finding import Finding
from brain.core.ids import fold
from brain.errors import BrainError, IndexBroken
from brain.recall.note_view import LinkView, all_links
from brain.stages.ledger import read_ledger
from brain.sync.change import changes_of_scan
from brain.sync.embedding import missing_chunks
from brain.sync.graph import graph_is_current
from brain.sync.run import why_rebuild
from brain.sync.space import Space
from brain.vault.scan import scan

SEVERITIES = ("error", "warning", "info")
_MARKS = re.compile(r"^(?:<{7} |={7}$|>{7} )", re.MULTILINE)
_SUFFIX = re.compile(r"\.md$", re.IGNORECASE)


def examine(space: Space) -> tuple[Finding, ...]:
    """Runs every check; errors first, then by path and line."""
    found = [*_journal(space), *_runs(space)]
    if not space.layout.catalog_path.exists():
        found.append(Finding("not-indexed", "error", "", 0, "This vault is not indexed yet.", "brain index"))
    else:
        try:
            with space.catalog() as conn:
                for check in CHECKS:
                    found.extend(check(space, conn))
        except (IndexBroken, sqlite3.DatabaseError) as error:
            found.append(Finding("index-broken", "error", "", 0, f"The index cannot be read ({error}).", "brain rebuild"))
    return tuple(sorted(found, key=lambda f: (SEVERITIES.index(f.severity), f.code, f.path, f.line, f.message)))


def broken_links(space: Space, conn: sqlite3.Connection) -> Iterator[Finding]:
    """Links that lead to no note and to no other file or folder of the vault either."""
    for link in all_links(conn, ("broken",)):
        if _is_on_disk(space, link):
            continue
        message = f"{link.raw} leads to no note."
        yield Finding("broken-link", "error", link.path, link.line, message, f'correct it in "{link.path}", or write that note')


def _is_on_disk(space: Space, link: LinkView) -> bool:
    """Whether a path that is no note's (`LICENSE`, a folder) is there, beside the source or from the root."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(link.path), link.target))
    places = (beside, posixpath.normpath(link.target.lstrip("/")))
    return any(place.split("/")[0] not in ("", ".", "..") and space.vault.exists(place) for place in places)


def ambiguous_links(_: Space, conn: sqlite3.Connection) -> Iterator[Finding]:
    """Links that could mean several notes, with targets ready to paste."""
    for link in all_links(conn, ("ambiguous",)):
        targets = " or ".join(f"[[{_SUFFIX.sub('', path)}]]" for path in link.candidates)
        message = f"{link.raw} could mean any of: {', '.join(link.candidates)}."
        yield Finding("ambiguous-link", "error", link.path, link.line, message, f'write {targets} in "{link.path}"')


def note_findings(_: Space, conn: sqlite3.Connection) -> Iterator[Finding]:
    """What parsing found."""
    rows = conn.execute("SELECT f.code, f.severity, n.path, f.line, f.message, f.cure FROM finding f JOIN note n USING(nid)")
    yield from (Finding(*row) for row in rows)


def skipped_files(_: Space, conn: sqlite3.Connection) -> Iterator[Finding]:
    """Markdown files that are not indexed; what a setting excludes is no finding."""
    for path, why in conn.execute("SELECT path, why FROM skipped ORDER BY path"):
        if why == "a sync-conflict copy":
            cure = f'compare "{path}" with the note beside it, keep what you want, then delete the copy'
            yield Finding("conflict-copy", "warning", path, 0, "A file syncer left this second copy; it is not indexed.", cure)
        elif "excluded" not in why:
            yield Finding("skipped-file", "warning", path, 0, f"Not indexed: {why}.", f'look at "{path}", or exclude it in brain.toml')


def conflict_marks(_: Space, conn: sqlite3.Connection) -> Iterator[Finding]:
    """Marks that a merge left in a note."""
    rows = conn.execute(
        "SELECT n.path, t.body, t.first_line FROM text_doc t JOIN note n USING(nid) WHERE instr(t.body, '<<<<<<< ') ORDER BY n.path"
    )
    for path, body, first_line in rows:
        found = _MARKS.search(body)
        if found and ">>>>>>> " in body:
            line = first_line + body.count("\n", 0, found.start())
            yield Finding("conflict-marks", "error", path, line, "A merge left conflict marks here.", f'settle them in "{path}"')


def case_twins(_: Space, conn: sqlite3.Connection) -> Iterator[Finding]:
    """Paths that one file system holds and another cannot."""
    twins: dict[str, list[str]] = {}
    for (path,) in conn.execute("SELECT path FROM note ORDER BY path"):
        twins.setdefault(fold(path), []).append(path)
    for paths in twins.values():
        for path in paths[1:]:
            message = f"It differs from {paths[0]} only in letter case or Unicode form."
            yield Finding("case-twin", "warning", path, 0, message, f'rename "{path}" or merge it into "{paths[0]}"')


def duplicate_ids(_: Space, conn: sqlite3.Connection) -> Iterator[Finding]:
    """Notes that declare an id another one holds."""
    rows = conn.execute(
        "SELECT n.path, n.declared_id, h.path FROM note n JOIN note h ON h.id=n.declared_id AND h.nid<>n.nid"
        " WHERE n.id<>n.declared_id ORDER BY n.path"
    )
    for path, declared, holder in rows:
        message = f"Its id {declared} is held by {holder}; another one is used for it."
        yield Finding("duplicate-id", "warning", path, 0, message, f'remove the id: line from "{path}"')


def duplicate_block_ids(_: Space, conn: sqlite3.Connection) -> Iterator[Finding]:
    """Claims whose block id a claim of another note holds."""
    rows = conn.execute(
        "SELECT n.path, a.line, a.declared_id, h.path FROM atom a JOIN note n USING(nid) JOIN atom o ON o.id=a.declared_id"
        " JOIN note h ON h.nid=o.nid WHERE a.declared_id IS NOT NULL AND a.id<>a.declared_id AND o.nid<>a.nid ORDER BY n.path, a.line"
    )
    for path, line, block_id, holder in rows:
        message = f"^{block_id} stands in {holder} too; another id is used for this one."
        yield Finding("duplicate-block-id", "warning", path, line, message, f'change ^{block_id} on line {line} of "{path}"')


def alias_clashes(_: Space, conn: sqlite3.Connection) -> Iterator[Finding]:
    """Aliases that another note's file name or alias answers to as well: links by that name do not mean this note alone."""
    rows = conn.execute(
        "SELECT n.path, a.text, o.path, b.how FROM name a JOIN note n ON n.nid=a.nid JOIN name b ON b.key=a.key AND b.nid<>a.nid"
        " JOIN note o ON o.nid=b.nid WHERE a.how=2 AND n.status<>'superseded' AND o.status<>'superseded' ORDER BY n.path, a.text, o.path"
    )
    for path, alias, other, how in rows:
        wins = f"links by that name mean {other}" if how == 1 else "links by that name are ambiguous"
        message = f"Its alias {alias!r} is the {'file name' if how == 1 else 'alias'} of {other} too; {wins}."
        yield Finding("alias-clash", "warning", path, 0, message, f'change the alias in "{path}"')


def orphans(_: Space, conn: sqlite3.Connection) -> Iterator[Finding]:
    """Notes that no resolved link leads to or from; a link to itself does not count."""
    rows = conn.execute(
        "SELECT path FROM note n WHERE NOT EXISTS (SELECT 1 FROM link l WHERE l.nid=n.nid AND l.target_nid IS NOT NULL AND l.target_nid<>n.nid)"
        " AND NOT EXISTS (SELECT 1 FROM link l WHERE l.target_nid=n.nid AND l.nid<>n.nid) ORDER BY path"
    )
    for (path,) in rows:
        yield Finding("orphan", "info", path, 0, "No link leads to or from this note.", f'link it, or brain search for what "{path}" is about')


def index_state(space: Space, conn: sqlite3.Connection) -> Iterator[Finding]:
    """Whether the stores hold what the files and the journal say."""
    why = why_rebuild(space)
    changes = changes_of_scan(conn, scan(space.vault.root, space.config))
    count = len(changes.added) + len(changes.altered) + len(changes.gone)
    if why:
        yield Finding("index-behind", "warning", "", 0, f"The index will be made anew: {why}.", "brain index")
    elif count:
        yield Finding("index-behind", "warning", "", 0, f"{count} files changed since the index was made.", "brain index")
    if not graph_is_current(space, conn):
        yield Finding("graph-behind", "warning", "", 0, "The graph does not hold what the notes hold.", "brain index")
    waiting = len(missing_chunks(conn))
    if waiting:
        yield Finding("vectors-waiting", "info", "", 0, f"{waiting} pieces of text have no vector yet.", "brain index")


def graph_opens(space: Space, _: sqlite3.Connection) -> Iterator[Finding]:
    """Whether the graph file can be opened at all."""
    from brain.errors import Locked, NotFound
    from brain.graph.reader import GraphReader

    try:
        with GraphReader(space).session() as graph:
            graph.execute("MATCH (n:Note) RETURN count(n) AS notes")
    except (Locked, NotFound):
        return  # busy is fine, and a missing graph is named by index_state
    except BrainError as error:
        yield Finding("index-broken", "error", "", 0, error.message, "brain rebuild")


def _journal(space: Space) -> Iterator[Finding]:
    space.journal.records()
    yield from space.journal.unreadable


def _runs(space: Space) -> Iterator[Finding]:
    for intent in read_ledger(space.journal).open_intents(space.journal.machine):
        message = f"Run {intent.get('run')} died half-way; the next writing command rolls it back."
        yield Finding("interrupted-run", "warning", "", 0, message, "brain maintain")


Check = Callable[[Space, sqlite3.Connection], Iterator[Finding]]
CHECKS: tuple[Check, ...] = (
    broken_links, ambiguous_links, note_findings, skipped_files, conflict_marks, case_twins, duplicate_ids, duplicate_block_ids,
    alias_clashes, orphans, index_state, graph_opens,
)  # fmt: skip
