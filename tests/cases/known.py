"""What the product knows of a case's vault, read back from the catalog, the parser and the graph."""

from __future__ import annotations

import json
from typing import Any

from brain.graph.reader import GraphReader
from brain.vault.links import anchor_found
from brain.vault.parse import decode, parse_note
from tests.cases.steps import Session

_LINKS = (
    "SELECT n.path AS path, n.status AS note_status, l.*, t.path AS target_path FROM link l JOIN note n USING(nid)"
    " LEFT JOIN note t ON t.nid=l.target_nid ORDER BY n.path, l.ordinal"
)


class Known:
    """Answers about one session's vault as it is indexed now."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._space = session.brain().space

    def paths(self) -> list[str]:
        return [row["path"] for row in self._rows("SELECT path FROM note ORDER BY path")]

    def note(self, path: str) -> dict[str, Any]:
        rows = self._rows("SELECT * FROM note WHERE path=?", path)
        assert rows, f"{path} is not indexed"
        return rows[0]

    def properties(self, path: str) -> dict[str, Any]:
        properties: dict[str, Any] = json.loads(self.note(path)["properties"])
        return properties

    def aliases(self, path: str) -> list[str]:
        return [row["text"] for row in self._rows("SELECT text FROM name WHERE nid=? AND how=2 ORDER BY rowid", self.note(path)["nid"])]

    def tags(self, path: str) -> list[str]:
        return [row["tag"] for row in self._rows("SELECT tag FROM tag WHERE nid=? ORDER BY rowid", self.note(path)["nid"])]

    def fields(self, path: str) -> dict[str, str]:
        """Inline fields by folded key: they are not in the catalog but as links and edges."""
        return {field.key.casefold(): field.value for field in self._parsed(path).fields}

    def atom_kinds(self) -> set[str]:
        return {row["kind"] for row in self._rows("SELECT kind FROM atom")}

    def all_links(self) -> list[dict[str, Any]]:
        return self._rows(_LINKS)

    def links(self, path: str) -> list[dict[str, Any]]:
        return [link for link in self.all_links() if link["path"] == path]

    def resolved(self, path: str) -> list[dict[str, Any]]:
        return [link for link in self.links(path) if link["status"] in ("resolved", "self")]

    def described(self, link: dict[str, Any]) -> dict[str, Any]:
        """One link in the words of a case: a link to its own note is resolved to it."""
        status = "resolved" if link["status"] == "self" else link["status"]
        target = link["path"] if link["status"] == "self" else link["target_path"]
        where = f"property:{link['relation']}" if link["place"] == "property" else "body"
        anchor = None
        if link["anchor"] is not None and target is not None:
            note = self._parsed(target)
            anchor = "ok" if anchor_found(link["anchor"], note.headings, note.block_ids) else "broken"
        return {"to": target, "status": status, "anchor": anchor, "text": link["alias"], "where": where}

    def edges(self) -> list[tuple[str, str, str, str]]:
        """Typed edges of the graph as (source path, type, raw word, target path)."""
        query = "MATCH (a:Note)-[e:EDGE]->(b:Note) RETURN a.path AS source, e.type AS type, e.raw AS raw, b.path AS target"
        with GraphReader(self._space).session() as graph:
            return sorted((row["source"], row["type"], row["raw"], row["target"]) for row in graph.execute(query))

    def orphans(self) -> list[str]:
        """Notes that no other note links to, as `brain doctor` reports them."""
        return [finding.path for finding in self._session.brain().doctor() if finding.code == "orphan"]

    def damage(self) -> list[str]:
        """What is wrong with the stores themselves."""
        with self._space.catalog() as conn:
            found = [row[0] for row in conn.execute("PRAGMA integrity_check") if row[0] != "ok"]
        with GraphReader(self._space).session() as graph:
            count = graph.execute("MATCH (n:Note) RETURN count(*) AS n")[0]["n"]
        return found + ([] if count == len(self.paths()) else [f"{count} notes in the graph, {len(self.paths())} in the catalog"])

    def _parsed(self, path: str) -> Any:
        return parse_note(path, decode(self._session.bytes_of(path) or b"")[0], self._space.config.limits)

    def _rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        with self._space.catalog() as conn:
            cursor = conn.execute(sql, values)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]
