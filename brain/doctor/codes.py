"""The closed list of finding codes, each with what it means. Docs print it; a test holds it closed."""

from __future__ import annotations

CODES: dict[str, str] = {
    "not-indexed": "the vault has no index yet",
    "index-behind": "files or the journal changed since the index was made",
    "index-broken": "the index or the graph cannot be read",
    "graph-behind": "the graph does not hold what the catalog holds",
    "vectors-waiting": "texts have no vector yet",
    "interrupted-run": "a run that died half-way has not been rolled back",
    "journal-line": "a line of the journal is no record",
    "broken-link": "a link leads to no note",
    "ambiguous-link": "a link could mean several notes",
    "conflict-copy": "a file syncer left a second copy of a note",
    "conflict-marks": "a merge left conflict marks in a note",
    "skipped-file": "a Markdown file is not indexed, and why",
    "case-twin": "two paths differ only in letter case or Unicode form",
    "duplicate-id": "several notes declare one id",
    "duplicate-block-id": "several places carry one block id",
    "alias-clash": "an alias is also the name of another note",
    "orphan": "no link leads to or from a note",
    "duplicate-atom-id": "two claims of one note carry one block id",
    "frontmatter-unterminated": "the frontmatter block has no end",
    "frontmatter-invalid": "the frontmatter is not YAML",
    "frontmatter-not-mapping": "the frontmatter is a list or a word, not keys with values",
    "frontmatter-too-large": "the frontmatter is larger than the limit",
    "frontmatter-too-complex": "the frontmatter unfolds to too many values",
    "duplicate-key": "a frontmatter key stands twice",
    "second-frontmatter": "a second block follows the frontmatter",
    "encoding": "a file is not clean UTF-8",
    "half-written": "a file of an interrupted run was changed by someone else meanwhile",
}
