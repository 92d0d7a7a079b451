"""Checks of single notes and of names they share: what parsing found, files left out, twins, copies, orphans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, islice
from shlex import quote

from brain.core.finding import Finding
from brain.core.identity import Claim, wishes
from brain.core.ids import fold
from brain.doctor.coverage import bare_of
from brain.doctor.view import View
from brain.errors import BrainError
from brain.index.claims import Row, atom_claim_of, note_claim_of, twin_atoms, twin_notes
from brain.index.rows import BY_STEM, stem_of
from brain.stages.growing.forest import owner_of
from brain.stages.report import counted
from brain.sync.left_out import left_out_of_catalog
from brain.vault.mask import FILLER, mask
from brain.vault.store import have_same_bytes

_WISHES_MAX = 20
"""Further on nobody comes who does not aim at it."""
ORPHANS_NAMED_MAX = 50
"""More of them, and most notes: that is how somebody keeps notes, and no fault of any single one."""
_MARKS = re.compile(r"^<{7} .*?^={7}\r?$.*?^>{7} ", re.MULTILINE | re.DOTALL)
_COPY = re.compile(r"\.sync-conflict-\d{8}-\d{6}(?:-\w+)?| ?\([^()]*(?:conflicted copy|Case Conflict)[^()]*\)", re.IGNORECASE)


def note_findings(view: View) -> Iterator[Finding]:
    """What parsing found."""
    rows = view.conn.execute("SELECT f.code, f.severity, n.path, f.line, f.message, f.cure FROM finding f JOIN note n USING(nid)")
    yield from (Finding(*row) for row in rows)


def skipped_files(view: View) -> Iterator[Finding]:
    """Markdown files that are not indexed; what a setting excludes is no finding, and large ones are `oversized_notes`."""
    for path, why in view.conn.execute("SELECT path, why FROM skipped ORDER BY path"):
        if why == "a sync-conflict copy":
            message = f"A file syncer left this second copy; it is not indexed.{_three_way(view, path)}"
            yield Finding("conflict-copy", "warning", path, 0, message, _copy_cure(view, path))
        elif "excluded" not in why and not why.startswith("larger than"):
            yield Finding("skipped-file", "warning", path, 0, f"Not indexed: {why}.", f'look at "{path}", or add it to exclude in brain.toml')


def oversized_notes(view: View) -> Iterator[Finding]:
    """Notes that a limit keeps out of the index, or of which it leaves pieces without a vector."""
    limits = view.space.config.limits
    for path, why in view.conn.execute("SELECT path, why FROM skipped WHERE why LIKE 'larger than%' ORDER BY path"):
        size = _size(view, path)
        if size is not None:
            cure = f"split it, or write note_bytes_max = {size} under [limits] in brain.toml"
            yield Finding("oversized-note", "warning", path, 0, f"Not indexed: {size} bytes, {why}.", cure)
    for path, left_out in left_out_of_catalog(view.space, view.conn).items():
        message = f"{counted(left_out, 'piece')} of it without a vector (limits.chunks_per_note_max): words find them, meaning does not."
        cure = f"split it, or write chunks_per_note_max = {limits.chunks_per_note_max + left_out} under [limits] in brain.toml"
        yield Finding("oversized-note", "info", path, 0, message, cure)


def conflict_marks(view: View) -> Iterator[Finding]:
    """Marks that a merge left in a note; an example of them inside code is none."""
    rows = view.conn.execute("SELECT n.path, t.body, t.first_line FROM text_doc t JOIN note n USING(nid) WHERE instr(t.body, '<<<<<<< ') ORDER BY n.path")
    for path, body, first_line in rows:
        masked = mask(body)
        found = next((match for match in _MARKS.finditer(body) if masked[match.start()] != FILLER), None)
        if found:
            line = first_line + body.count("\n", 0, found.start())
            cure = f'keep what you want between lines {line} and {line + found[0].count(chr(10))} of "{path}", and take the marks out'
            yield Finding("conflict-marks", "error", path, line, "A merge left conflict marks here.", cure)


def case_twins(view: View) -> Iterator[Finding]:
    """Paths that one file system holds and another cannot."""
    twins: dict[str, list[str]] = {}
    for (path,) in view.conn.execute("SELECT path FROM note ORDER BY path"):
        twins.setdefault(fold(path), []).append(path)
    for first, *others in twins.values():
        for path in others:
            message = f"It differs from {first} only in letter case or Unicode form."
            yield Finding("case-twin", "warning", path, 0, message, f'mv {quote(path)} {quote(f"{path[:-3]} (2).md")}, or merge it into "{first}"')


def duplicate_ids(view: View) -> Iterator[Finding]:
    """Notes and claims that declare an id another one holds."""
    notes = (
        "SELECT n.path, 0, n.declared_id, h.path FROM note n JOIN note h ON h.id=n.declared_id AND h.nid<>n.nid WHERE n.id<>n.declared_id ORDER BY n.path"
    )
    atoms = (
        "SELECT n.path, a.line, a.declared_id, h.path FROM atom a JOIN note n USING(nid) JOIN atom o ON o.id=a.declared_id"
        " JOIN note h ON h.nid=o.nid WHERE a.declared_id IS NOT NULL AND a.id<>a.declared_id AND o.nid<>a.nid ORDER BY n.path, a.line"
    )
    for path, line, name, holder in view.conn.execute(notes):
        message = f"Its id {name} is held by {holder}; another one is used for it."
        yield Finding("duplicate-id", "warning", path, line, message, f'take the line id: {name} out of "{path}"')
    for path, line, name, holder in view.conn.execute(atoms):
        message = f"^{name} stands in {holder} too; another id is used for this one."
        yield Finding("duplicate-block-id", "warning", path, line, message, f'change ^{name} on line {line} of "{path}"')


def taken_ids(view: View) -> Iterator[Finding]:
    """Notes and claims whose own id, by their path or their words, another one holds; the declared ones are `duplicate_ids`."""
    for row in twin_notes(view.conn):
        for note_id in _refused(note_claim_of(row), row[3]):
            held = view.conn.execute("SELECT path, 0, declared_id FROM note WHERE id=?", (note_id,)).fetchone()
            if held:
                yield _taken("duplicate-id", row, 0, note_id, held)
    for row in twin_atoms(view.conn):
        (line,) = view.conn.execute("SELECT line FROM atom WHERE nid=? AND ordinal=?", (row[2], row[1])).fetchone()
        for atom_id in _refused(atom_claim_of(row), row[3]):
            query = "SELECT n.path, a.line, a.declared_id FROM atom a JOIN note n USING(nid) WHERE a.id=?"
            held = view.conn.execute(query, (atom_id,)).fetchone()
            if held:
                yield _taken("duplicate-block-id", row, line, atom_id, held)


def _refused(claim: Claim, has: str) -> Iterator[str]:
    """Returns the ids that a claim would rather have than the one it has, but for a declared one."""
    for _, wanted in islice(wishes(claim), _WISHES_MAX):
        if wanted == has:
            return
        if wanted != claim.declared:
            yield wanted


def _taken(code: str, row: Row, line: int, wanted: str, held: tuple[str, int, str | None]) -> Finding:
    path, (holder, holder_line, declared) = row[0], held
    where = f"{holder}, line {holder_line}" if holder_line else holder
    own, mark = ("words", f"^{wanted}") if code == "duplicate-block-id" else ("path", wanted)
    message = f"The id that it has by its {own}, {mark}, is held by {where}; another one is used for it."
    if declared != wanted:
        cure = f'write a block id of its own at the end of line {line} of "{path}"' if line else f'write an id: of its own into "{path}"'
    elif holder_line:
        cure = f'change {mark} on line {holder_line} of "{holder}"'
    else:
        cure = f'take the line id: {wanted} out of "{holder}"'
    return Finding(code, "warning", path, line, message, cure)


def alias_clashes(view: View) -> Iterator[Finding]:
    """Aliases that another note's file name or alias answers to as well: links by that name do not mean this note alone."""
    rows = view.conn.execute(
        "SELECT n.path, a.text, b.how, o.path FROM name a JOIN note n ON n.nid=a.nid JOIN name b ON b.key=a.key AND b.nid<>a.nid"
        " JOIN note o ON o.nid=b.nid WHERE a.how=2 AND n.status<>'superseded' AND o.status<>'superseded' ORDER BY n.path, a.text, b.how, o.path"
    )
    for (path, alias), group in groupby(rows, key=lambda row: row[:2]):
        others = [(how, other) for _, _, how, other in group]
        named = [other for how, other in others if how == BY_STEM]
        wins = f"links by that name mean {named[0]}" if len(named) == 1 else "links by that name are ambiguous"
        shared = ", ".join(dict.fromkeys(other for _, other in others))
        message = f"Its alias {alias!r} is the {'file name' if named else 'alias'} of {shared} too; {wins}."
        yield Finding("alias-clash", "warning", path, 0, message, f'take the alias {alias!r} out of "{path}", or change it')


def orphans(view: View) -> Iterator[Finding]:
    """Notes that no resolved link leads to or from; a link to itself does not count. Those that say nothing are `bare_entities`.

    The owner's note stands at the root of a tree that may not have grown yet.
    """
    rows = view.conn.execute(
        "SELECT path FROM note n WHERE NOT EXISTS (SELECT 1 FROM link l WHERE l.nid=n.nid AND l.target_nid IS NOT NULL AND l.target_nid<>n.nid)"
        " AND NOT EXISTS (SELECT 1 FROM link l WHERE l.target_nid=n.nid AND l.nid<>n.nid) ORDER BY path"
    )
    bare = {path for path, _ in bare_of(view.conn)}
    owner = owner_of(view.conn, view.space.config.owner)
    found = [path for (path,) in rows if path not in bare and path != owner]
    (notes,) = view.conn.execute("SELECT count(*) FROM note").fetchone()
    if len(found) > ORPHANS_NAMED_MAX and len(found) > notes / 2:
        message = f"{len(found)} of {notes} notes have no link to or from another: this is a vault without links."
        yield Finding("orphan", "info", "", 0, message, "brain link --dry-run shows what belongs together, brain link writes it")
        return
    for path in found:
        yield Finding("orphan", "info", path, 0, "No link leads to or from this note; a search shows what it may belong to.", f"brain search {quote(stem_of(path))}")


def missing_owner(view: View) -> Iterator[Finding]:
    """The owner that the settings name, when no note answers to the name."""
    owner = view.space.config.owner
    if owner and view.conn.execute("SELECT 1 FROM name WHERE key=?", (fold(owner),)).fetchone() is None:
        message = f"brain.toml names {owner} as the owner, and no note answers to that name."
        yield Finding("owner-missing", "warning", "", 0, message, f"brain setup --name {quote(owner)}")


def beside_of(path: str) -> str:
    """Returns the path of the note that a syncer's copy was made of, as its name says."""
    return _COPY.sub("", path)


def three_way(note: str, copy: str) -> str:
    """Returns the command that shows two files merged over the version that both come from, which a person has to name."""
    return f"git merge-file -p {quote(note)} OLDER {quote(copy)}"


def _three_way(view: View, path: str) -> str:
    beside, root = beside_of(path), view.space.vault.root
    if beside == path or not (root / beside).is_file() or have_same_bytes(root / path, root / beside):
        return ""
    return f" Where OLDER is the note as it was before (of a backup or git), {three_way(beside, path)} shows what each changed."


def _copy_cure(view: View, path: str) -> str:
    beside, root = beside_of(path), view.space.vault.root
    if beside != path and have_same_bytes(root / path, root / beside):
        return "brain repair conflict-copy"
    if beside != path and view.space.vault.exists(beside):
        return f'diff {quote(beside)} {quote(path)}, keep what you want in "{beside}", then rm {quote(path)}'
    return f"mv {quote(path)} {quote(beside)}" if beside != path else f'read "{path}", then rm {quote(path)}'


def _size(view: View, path: str) -> int | None:
    try:
        return view.space.vault.absolute(path).stat().st_size
    except (OSError, BrainError):
        return None  # it is gone by now, and the next brain index says so
