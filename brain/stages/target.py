"""What a name in a note leads to, asked of the catalog, and the link that leads to a note.

A superseded note forwards to its successor. A name that comes close to an existing note's (`Site Map`,
`site-map`) is unclear, not free: no twin is ever made. Every link that is written is first resolved, in the
vault as the plan will leave it. Reads only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from brain.core.names import name_tokens
from brain.core.note import Atom
from brain.core.slug import compact
from brain.stages.context import Context
from brain.stages.spelling import read_link, spellings
from brain.vault.links import NameRow, NameTable, Resolution, keys_of, keys_wanted, resolve
from brain.vault.parse import encode

FORWARDS_MAX = 8


@dataclass(frozen=True, slots=True)
class Existing:
    """A note answers to the name. `kind` is canonical."""

    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class Missing:
    """No note answers to the name."""

    name: str


@dataclass(frozen=True, slots=True)
class Unclear:
    """A person must say which note is meant; `candidates` are paths, sorted."""

    why: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoThing:
    """The link leads to a file, a page or the note itself: nothing a claim can be about."""


Target = Existing | Missing | Unclear | NoThing


@dataclass(frozen=True, slots=True)
class Planned:
    """A note as a plan will leave it: one that it creates, or one whose names or status it changes."""

    path: str
    kind: str = "note"
    aliases: tuple[str, ...] = ()
    status: str = "active"

    @property
    def stem(self) -> str:
        """The file name without its suffix."""
        return self.path.rsplit("/", 1)[-1][:-3]


@dataclass(frozen=True, slots=True)
class Backlink:
    """A link as the catalog has it: the note that holds it, its text, its target, its form, `body` or `property`."""

    path: str
    raw: str
    target: str
    form: str
    place: str


class Names:
    """Answers for one run or plan: from the catalog, and over it the notes as a plan will leave them."""

    def __init__(self, ctx: Context, planned: Iterable[Planned] = ()) -> None:
        self._ctx = ctx
        self._planned = {note.path: note for note in planned}
        self._conn: sqlite3.Connection | None = None

    @contextmanager
    def session(self) -> Iterator[None]:
        """Keeps the catalog open between answers: for planning, not across a commit."""
        with self._catalog() as conn:
            before, self._conn = self._conn, conn
            try:
                yield
            finally:
                self._conn = before

    def plan(self, note: Planned) -> None:
        """Takes note of a note as it will be."""
        self._planned[note.path] = note

    def forget(self, paths: Iterable[str]) -> None:
        """Forgets planned notes: the plan did not land, or the catalog knows them by now."""
        for path in paths:
            self._planned.pop(path, None)

    def find(self, source: str, target: str, form: str = "wikilink") -> Target:
        """Returns what `target`, linked in the note at path `source`, leads to."""
        with self._catalog() as conn:
            found, paths = self._resolved(conn, source, target, form)
            match found.status:
                case "resolved" if found.nid is not None:
                    return self._live(conn, paths[found.nid])
                case "ambiguous":
                    return Unclear("more than one note answers to it", tuple(sorted(paths[nid] for nid in found.candidates)))
                case "broken":
                    return self._unless_twin(conn, target)
                case _:
                    return NoThing()

    def leads_to(self, source: str, target: str, form: str) -> str | None:
        """Returns the path of the very note a link resolves to, superseded or not; None when it resolves to none."""
        with self._catalog() as conn:
            found, paths = self._resolved(conn, source, target, form)
            return paths[found.nid] if found.status == "resolved" and found.nid is not None else None

    def link_to(
        self, source: str, path: str, *, anchor: str | None = None, alias: str | None = None, is_embed: bool = False, first: Sequence[str] = ()
    ) -> str | None:
        """Returns a link, as text, that leads from the note at `source` to the very note at `path`; None when none can.

        Spellings in `first` are preferred; then the file name where no other note has it, then the path.
        """
        ways = spellings(source, path, anchor=anchor, alias=alias, is_embed=is_embed, is_known_by_name=self._is_only(path))
        return next((text for text in (*first, *ways) if self._is_led(source, text, path, anchor)), None)

    def is_file(self, path: str) -> bool:
        """Tells whether a file of any kind lies at a path of the vault."""
        return not path.startswith(("..", "/")) and (self._ctx.vault.root / path).is_file()

    def keys_of(self, path: str) -> tuple[str, ...]:
        """Returns the folded names a note answers to."""
        with self._catalog() as conn:
            rows = conn.execute("SELECT DISTINCT key FROM name WHERE nid=(SELECT nid FROM note WHERE path=?) ORDER BY key", (path,))
            return tuple(key for (key,) in rows)

    def links_to(self, path: str) -> list[Backlink]:
        """Returns the links of all notes that lead to a note, as the catalog has them."""
        with self._catalog() as conn:
            rows = conn.execute(
                "SELECT n.path, l.raw, l.target, l.form, l.place FROM link l JOIN note n USING(nid) WHERE l.status='resolved'"
                " AND l.target_nid=(SELECT nid FROM note WHERE path=?) ORDER BY n.path, l.ordinal",
                (path,),
            )
            return [Backlink(*row) for row in rows]

    def is_referred_to(self, atom_id: str | None) -> bool:
        """Tells whether a link or another atom names this block id."""
        if atom_id is None:
            return False
        with self._catalog() as conn:
            sql = "SELECT 1 FROM link WHERE anchor=? UNION ALL SELECT 1 FROM atom WHERE superseded_by=? LIMIT 1"
            return conn.execute(sql, (f"^{atom_id}", atom_id)).fetchone() is not None

    def atom_id_at(self, path: str, atom: Atom) -> str | None:
        """Returns the id that the catalog gave an atom by its words; None when it knows other words there."""
        with self._catalog() as conn:
            row = conn.execute(
                "SELECT a.id FROM atom a JOIN note n USING(nid) WHERE n.path=? AND a.line=? AND a.text=? AND a.declared_id IS NULL",
                (path, atom.line, encode(atom.text).decode("utf-8", "replace")),
            ).fetchone()
            return None if row is None else str(row[0])

    def is_atom_id(self, atom_id: str) -> bool:
        """Tells whether an atom has this id."""
        with self._catalog() as conn:
            return conn.execute("SELECT 1 FROM atom WHERE id=? OR declared_id=?", (atom_id, atom_id)).fetchone() is not None

    @contextmanager
    def _catalog(self) -> Iterator[sqlite3.Connection]:
        if self._conn is not None:
            yield self._conn
            return
        with self._ctx.catalog() as conn:
            yield conn

    def _is_led(self, source: str, text: str, path: str, anchor: str | None) -> bool:
        found = read_link(text, self._ctx.config.limits)
        if found is None or found.anchor != anchor:
            return False
        # A reader that keeps a target alone (`superseded_by`, sources of atoms) takes it for a wikilink's.
        return all(self.leads_to(source, found.target, form) == path for form in sorted({found.form, "wikilink"}))

    def _is_only(self, path: str) -> bool:
        key = next(iter(keys_of(path, ())), "")
        with self._catalog() as conn:
            rows = conn.execute("SELECT n.path FROM name JOIN note n USING(nid) WHERE name.key=? AND how=1", (key,))
            others = {other for (other,) in rows} | {note.path for _, note in self._planned_with([key]) if key in keys_of(note.path, ())}
        return others <= {path}

    def _resolved(self, conn: sqlite3.Connection, source: str, target: str, form: str) -> tuple[Resolution, dict[int, str]]:
        keys = [key for key in keys_wanted(source, target) if _is_text(key)]
        rows = self._rows(conn, keys)
        return resolve(NameTable(rows), source, target, form), {row.nid: row.path for row in rows}

    def _rows(self, conn: sqlite3.Connection, keys: Sequence[str]) -> list[NameRow]:
        found: dict[int, NameRow] = {}
        aliases: dict[int, list[str]] = {}
        marks = ",".join("?" * len(keys))
        for nid, path, status, alias in conn.execute(
            "SELECT n.nid, n.path, n.status, a.text FROM note n LEFT JOIN name a ON a.nid=n.nid AND a.how=2"
            f" WHERE n.nid IN (SELECT nid FROM name WHERE key IN ({marks})) ORDER BY n.nid, a.rowid",
            keys,
        ):
            aliases.setdefault(nid, []).extend([alias] if alias else [])
            found[nid] = NameRow(nid, path, tuple(aliases[nid]), status)
        kept = [row for row in found.values() if row.path not in self._planned]
        return kept + [NameRow(-place, note.path, note.aliases, note.status) for place, note in self._planned_with(keys)]

    def _planned_with(self, _: Sequence[str]) -> Sequence[tuple[int, Planned]]:
        """Returns the planned notes, of many at least those that have one of the names, each with its number."""
        return list(enumerate(self._planned.values(), 1))

    def _live(self, conn: sqlite3.Connection, path: str) -> Target:
        """Follows a superseded note to the one that replaces it."""
        for _ in range(FORWARDS_MAX):
            if (planned := self._planned.get(path)) is not None:
                return Existing(path, planned.kind)
            nid, kind, status, written = conn.execute("SELECT nid, kind, status, superseded_by FROM note WHERE path=?", (path,)).fetchone()
            if status != "superseded":
                return Existing(path, kind)
            following = self._successor(conn, nid, path, written)
            if following is None or following == path:
                return Unclear("it is superseded and names no successor that is there", (path,))
            path = following
        return Unclear("its notes forward to each other", (path,))

    def _successor(self, conn: sqlite3.Connection, nid: int, path: str, written: str | None) -> str | None:
        """Returns where the first link of `superseded_by` leads, or the name that stands there without a link."""
        link = conn.execute(
            "SELECT target, form FROM link WHERE nid=? AND place='property' AND relation='superseded_by' ORDER BY ordinal LIMIT 1", (nid,)
        ).fetchone()
        if link is None and not written:
            return None
        found, paths = self._resolved(conn, path, *(link or (written, "wikilink")))
        return paths[found.nid] if found.status == "resolved" and found.nid is not None else None

    def _unless_twin(self, conn: sqlite3.Connection, target: str) -> Target:
        if "/" in target:
            return Unclear("it names a path where no note is", ())
        twins = sorted({*_twins(conn, target), *(note.path for note in self._planned.values() if compact(target) in map(compact, (note.stem, *note.aliases)))})
        return Unclear("a note has nearly this name", tuple(twins)) if twins else Missing(target.strip())


def _is_text(name: str) -> bool:
    """No note is known by a name with bytes that are no text, and no query can hold one."""
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)


def _twins(conn: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """Returns live notes with a name or title of the same letters and digits, found by a shared token."""
    tokens, wanted = name_tokens(name), compact(name)
    if not wanted:
        return ()
    marks = ",".join("?" * len(tokens))
    rows = conn.execute(
        "SELECT n.path, n.title, a.text FROM note n JOIN name a USING(nid) WHERE n.status NOT IN ('superseded','archived')"
        f" AND n.nid IN (SELECT nid FROM token WHERE token IN ({marks})) ORDER BY n.path",
        tokens,
    )
    return tuple(sorted({path for path, title, text in rows if wanted in (compact(title), compact(text))}))
