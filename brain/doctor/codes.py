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
    "stray-temporary": Code("a write or a rebuild that was cut off left a file", "brain repair stray-temporary"),
    "journal-line": Code("a line of the journal is no record", "brain doctor names the lines to take out"),
    "bare-link": Code("a link has no path, and a second note has the name of the one it means", "brain repair bare-link"),
    "broken-link": Code("a link leads to no note; without a path it may be a note not written yet", _EDIT),
    "ambiguous-link": Code("a link could mean several notes", _EDIT),
    "broken-anchor": Code("a link leads to a note that has no such heading or block", _EDIT),
    "missing-asset": Code("a link leads to a file that is not there", _EDIT),
    "conflict-copy": Code("a file syncer left a second copy of a note", "brain repair conflict-copy"),
    "conflict-marks": Code("a merge left conflict marks in a note", _EDIT),
    "skipped-file": Code("a Markdown file is not indexed, and why", "brain doctor names the file"),
    "oversized-note": Code("a note is larger than a limit, so that not all of it is found", "raise the limit in brain.toml, or split the note"),
    "case-twin": Code("two paths differ only in letter case or Unicode form", "brain doctor names the file to rename"),
    "duplicate-id": Code("a note declares an id that another one declares or has by its path", _EDIT),
    "duplicate-block-id": Code("a place carries a block id that another one carries or has by its words", _EDIT),
    "duplicate-atom-id": Code("two claims of one note carry one block id", _EDIT),
    "alias-clash": Code("an alias is also the name of another note", _EDIT),
    "orphan": Code("no link leads to or from a note", "brain search for what it is about, and link it"),
    "owner-missing": Code("the settings name an owner, and no note answers to the name", "brain setup --name \"Your Name\""),
    "several-parents": Code("a note is part of several others", "brain repair several-parents"),
    "parent-ring": Code("notes are part of each other", "brain repair parent-ring"),
    "unrooted-category": Code("a category is part of nothing", "brain repair unrooted-category"),
    "category-under-note": Code("a category is part of a note that is no category", "brain repair category-under-note"),
    "note-under-owner": Code("a note that is no category is part of the owner", "brain repair note-under-owner"),
    "orphan-entity": Code("an entity is part of nothing", "brain repair orphan-entity"),
    "oversized-category": Code("a category has more direct parts than can be looked over", "brain subgroup the category --apply"),
    "flat-list": Code("a note that is no category has more direct parts than can be looked over", "brain subgroup the note --apply"),
    "thin-area": Code("a category under the owner has hardly anything below", _EDIT),
    "statement-with-parts": Code("a note that says one thing has parts", _EDIT),
    "category-cross-link": Code("a relation leads from one category to another", "brain repair category-cross-link"),
    "backwards-relation": Code("a passive relation starts at the one who does it", "brain repair backwards-relation"),
    "redundant-relation": Code("a relates_to repeats a part_of", "brain repair redundant-relation"),
    "unlinked-mention": Code("a text names a note without a link; looked for with --code alone", _EDIT),
    "duplicate-name": Code("two notes have one title or file name", "brain merge the two, or say distinct_from in one"),
    "duplicate-meaning": Code("two notes say nearly the same", "brain merge the two, or say distinct_from in one"),
    "overtaken-claim": Code("a claim speaks of a day that is past", "brain stale"),
    "rests-on-superseded": Code("a line rests on a claim that is superseded", "brain stale --confirm the note, or write what is so"),
    "unsourced-claim": Code("a claim that brain wrote names no source", _EDIT),
    "lost-source": Code("no source of a claim is there any more", _EDIT),
    "empty-important": Code("an important note says nothing", _EDIT),
    "bare-entity": Code("nothing is known of a thing that has a note", _EDIT),
    "loops-line": Code("a line of the note of loops is read as no action", _EDIT),
    "journal-machine": Code("a journal file holds lines of another machine", "brain doctor names the command that parts them"),
    "journal-ahead": Code("the journal has a record of a day to come", "set the clock of that machine right"),
    "journal-unwritable": Code("the journal cannot be written", "chmod u+w the file"),
    "journal-missing": Code("the journal did not come along with the notes", "copy .brain/journal/ from where the vault came from"),
    "journal-ignored": Code("a list of what is not synced names the journal", _EDIT),
    "walked-twice": Code("two machines walked one episode", "brain undo the item of the second one"),
    "stuck-lock": Code("a lock is held for longer than anything takes", "look at the process that holds it"),
    "maintenance-late": Code("the scheduled nightly run did not run for days", "brain maintain"),
    "schedule-broken": Code("what a scheduler starts every night is not there", "brain schedule install"),
    "inbox-waiting": Code("episodes wait in the inbox for long", "brain walk"),
    "changed-episode": Code("an episode was changed after it was walked", "brain walk"),
    "backup-old": Code("there is no backup that is recent", "brain backup"),
    "model-missing": Code("the package of a model that the settings choose is not installed", "pip install it"),
    "unreachable": Code("a model that the settings choose does not answer; looked for with --probe alone", "start it, or choose another"),
    "frontmatter-unterminated": Code("the frontmatter block has no end", _EDIT),
    "frontmatter-invalid": Code("the frontmatter is not YAML", _EDIT),
    "frontmatter-not-mapping": Code("the frontmatter is a list or a word, not keys with values", _EDIT),
    "frontmatter-too-large": Code("the frontmatter is larger than the limit", _EDIT),
    "frontmatter-too-complex": Code("the frontmatter unfolds to too many values", _EDIT),
    "duplicate-key": Code("a frontmatter key stands twice", "brain repair duplicate-key"),
    "second-frontmatter": Code("a second block follows the frontmatter", _EDIT),
    "encoding": Code("a file is not clean UTF-8", _EDIT),
}
