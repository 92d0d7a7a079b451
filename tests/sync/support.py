"""Small hands for vaults under sync: write a note, and ask the catalog what became of it."""

from __future__ import annotations

from brain.sync.space import Space


def put(space: Space, path: str, text: str) -> None:
    place = space.vault.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")


def links(space: Space) -> dict[str, tuple[str, str | None]]:
    with space.catalog() as conn:
        rows = conn.execute("SELECT l.raw, l.status, t.path FROM link l LEFT JOIN note t ON t.nid=l.target_nid")
        return {raw: (status, path) for raw, status, path in rows}


def note_id(space: Space, path: str) -> str:
    with space.catalog() as conn:
        return str(conn.execute("SELECT id FROM note WHERE path=?", (path,)).fetchone()[0])


def generation(space: Space) -> int:
    with space.catalog() as conn:
        return int(conn.execute("SELECT value FROM meta WHERE key='generation'").fetchone()[0])


def words(first: int, count: int) -> str:
    """A text of made-up words; texts of distant numbers have none in common."""
    return " ".join(f"word{number}" for number in range(first, first + count))
