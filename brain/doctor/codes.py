"""The closed list of finding codes: what each means and what cures it. Docs print it; a test holds it closed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """What a finding of this code says, and the cure in general; each finding names its own."""

    means: str
    cure: str


_INDEX = "brain index"
_EDIT = "brain doctor names the line and what to write there"

CODES: dict[str, Code] = {
    "not-indexed": Code("the vault has no index yet", _INDEX),
    "index-behind": Code("files or the journal changed since the index was made", _INDEX),
    "index-broken": Code("the index or the graph cannot be read", "brain rebuild"),
    "graph-behind": Code("the graph does not hold what the catalog holds", _INDEX),
    "vectors-waiting": Code("texts have no vector yet, or one that the graph does not have", _INDEX),
    "interrupted-run": Code("a run that died half-way has not been rolled back", "brain repair interrupted-run"),
    "half-written": Code("a file of an interrupted run was changed by someone else meanwhile", "brain get the note, and look"),
    "unfinished-night": Code("the last maintenance run could not do everything", "brain maintain"),
    "stray-temporary": Code("a write or a rebuild that was cut off left a file", "brain doctor names the file to remove"),
    "journal-line": Code("a line of the journal is no record", "brain doctor names the lines to take out"),
    "bare-link": Code("a link has no path, and a second note has the name of the one it means", "brain repair bare-link"),
    "broken-link": Code("a link leads to no note; without a path it may be a note not written yet", _EDIT),
    "ambiguous-link": Code("a link could mean several notes", _EDIT),
    "broken-anchor": Code("a link leads to a note that has no such heading or block", _EDIT),
    "missing-asset": Code("a link leads to a file that is not there", _EDIT),
    "conflict-copy": Code("a file syncer left a second copy of a note", "brain doctor names the two files to compare"),
    "conflict-marks": Code("a merge left conflict marks in a note", _EDIT),
    "skipped-file": Code("a Markdown file is not indexed, and why", "brain doctor names the file"),
    "oversized-note": Code("a note is larger than a limit, so that not all of it is found", "raise the limit in brain.toml, or split the note"),
    "case-twin": Code("two paths differ only in letter case or Unicode form", "brain doctor names the file to rename"),
    "duplicate-id": Code("a note declares an id that another one declares or has by its path", _EDIT),
    "duplicate-block-id": Code("a place carries a block id that another one carries or has by its words", _EDIT),
    "duplicate-atom-id": Code("two claims of one note carry one block id", _EDIT),
    "alias-clash": Code("an alias is also the name of another note", _EDIT),
    "orphan": Code("no link leads to or from a note", "link it, or brain search for what it is about"),
    "frontmatter-unterminated": Code("the frontmatter block has no end", _EDIT),
    "frontmatter-invalid": Code("the frontmatter is not YAML", _EDIT),
    "frontmatter-not-mapping": Code("the frontmatter is a list or a word, not keys with values", _EDIT),
    "frontmatter-too-large": Code("the frontmatter is larger than the limit", _EDIT),
    "frontmatter-too-complex": Code("the frontmatter unfolds to too many values", _EDIT),
    "duplicate-key": Code("a frontmatter key stands twice", _EDIT),
    "second-frontmatter": Code("a second block follows the frontmatter", _EDIT),
    "encoding": Code("a file is not clean UTF-8", _EDIT),
}
