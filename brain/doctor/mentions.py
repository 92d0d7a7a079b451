"""Names of notes that stand in other notes' texts without a link. Looked for only when asked: a vault has many, and most are fine.

The link stage finds them (`stages.linking.mentions`): whole phrases, no code and no links, the rarest names first.
"""

from __future__ import annotations

from collections.abc import Iterator

from brain.core.finding import Finding
from brain.core.ids import fold
from brain.doctor.view import View
from brain.index.rows import stem_of
from brain.stages.linking.mentions import Unlinked, find_mentions
from brain.stages.linking.near import terms_held
from brain.stages.linking.notes import LiveNote, live_notes
from brain.stages.report import counted

RARE_NOTES_MAX = 3
"""A name of one word counts where no more notes hold it: else it is a word like any other."""


def unlinked_mentions(view: View) -> Iterator[Finding]:
    """Mentions of names of two words or more, and of rare single words; one finding a note and name."""
    config = view.space.config
    live = live_notes(view.conn, config)
    mentions = find_mentions(view.conn, live, config.limits, holding=terms_held(view.conn))
    for mention in mentions.found:
        if " " in mention.name or mention.notes <= RARE_NOTES_MAX:
            yield _finding(live, mention)
    if mentions.names_left_out:
        message = f"{counted(mentions.names_left_out, 'name')} more, the commonest, were not looked for."
        yield Finding("unlinked-mention", "info", "", 0, message, "link what is named above, and look again")


def _finding(live: dict[int, LiveNote], mention: Unlinked) -> Finding:
    source, target = live[mention.source].path, live[mention.target].path
    stem = stem_of(target)
    link = f"[[{stem}]]" if fold(stem) == mention.name else f"[[{target[:-3]}|{mention.name}]]"
    message = f"It names {target} ({mention.name!r}) without a link."
    return Finding("unlinked-mention", "info", source, mention.line, message, f'write {link} on line {mention.line} of "{source}"')
