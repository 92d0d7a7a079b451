"""What must hold after every run, whoever judged: the words of a person stay, and what a machine made says where it is from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

from brain.config import Limits
from brain.core.ids import sha256_hex
from brain.core.plan import Applied, MarkSuperseded
from brain.stages.ledger import Record
from brain.stages.record import PERSON
from brain.vault.parse import decode, parse_note

Notes = Mapping[str, bytes]
_LINK = re.compile(r"\[\[[^\[\]|]*\|?([^\[\]]*)\]\]")
_STATE = re.compile(r"^([-*+] )\((?:fact|decision|risk)[^()]*\) ")
_ID = re.compile(r" \^(a-[\w-]+)$")
_RELATION = re.compile(r"- ([\w ]+):: ")
OURS = ("alias:", "aliases:", "status:", "superseded_by:", "superseded_on:", "last_confirmed:", "brain_processed:", "created:", "importance:")
"""Properties that a stage may write over; of aliases one that is the name of the note itself goes in a merge."""


def lost_of(before: Notes, after: Notes, *, only: Mapping[str, set[str]] | None = None) -> list[tuple[str, str]]:
    """Returns the lines that no note holds any more, not even as words: a state, an id and the end of a link may change, and only a merge moves claims.

    `only` are the lines to look for by path, when not all.
    """
    now = {path: Counter(lines_of(data)) for path, data in after.items()}
    words = {path: [words_of(line) for line in lines] for path, lines in now.items()}
    anywhere = list(chain.from_iterable(words.values())) if _merges(before) != _merges(after) else None
    return [
        (path, line)
        for path, data in before.items()
        for line, count in Counter(lines_of(data)).items()
        if now.get(path, Counter())[line] < count and (only is None or line in only.get(path, ())) and not line.startswith(OURS) and not any(words_of(line) <= known for known in (words.get(path, []) if anywhere is None else anywhere))
    ]  # fmt: skip


def _merges(notes: Notes) -> int:
    return sum(data.count(b"superseded_by") for data in notes.values())


def lines_of(data: bytes) -> list[str]:
    """The lines that say something."""
    return [line for text in decode(data)[0].split("\n") if (line := text.rstrip("\r")).strip()]


def words_of(line: str) -> Counter[str]:
    """The words of a line without what a stage keeps in it: state, block id, where its links lead."""
    bare = _LINK.sub(r"\1", _ID.sub("", _STATE.sub(r"\1", line)))
    return Counter(re.findall(r"\w+", bare.casefold()))


def check_made(applied: Iterable[Applied], persons_ids: frozenset[str]) -> None:
    """Every claim and relation that a stage wrote is in its plan's provenance; a relation has a reason."""
    for receipt in applied:
        items = {source.item for source in receipt.plan.provenance}
        relations = {item.split("|")[1].replace(" ", "_") for item in items if item.count("|") == 2}
        for line in chain.from_iterable(added(patch.before, patch.after) for patch in receipt.patches):
            if (claim := _ID.search(line)) and claim[1] not in persons_ids:
                assert claim[1] in items, (line, receipt.plan)
            if relation := _RELATION.match(line):
                assert relation[1].replace(" ", "_") in relations and " - " in line, (line, receipt.plan)


def added(before: bytes | None, after: bytes | None) -> list[str]:
    """The lines that a patch adds."""
    return list((Counter(lines_of(after or b"")) - Counter(lines_of(before or b""))).elements())


def check_merges(applied: Iterable[Applied]) -> None:
    """No merge that a stage made joins people, episodes or two folders, unless a person said so."""
    for receipt in applied:
        gone = {edit.path for edit in receipt.plan.edits if isinstance(edit, MarkSuperseded)}
        ends = {end for source in receipt.plan.provenance if source.judge != PERSON for end in source.item.split("|same_entity|")} if gone else set()
        assert receipt.plan.provenance or not gone, receipt.plan
        texts = {patch.path: decode(patch.before)[0] for patch in receipt.patches if patch.before is not None}
        notes = [parse_note(path, texts[path], Limits()) for path in sorted(ends & texts.keys())]
        assert len({path.rpartition("/")[0] for path in ends}) <= 1, receipt.plan
        assert not any(note.kind == "person" or note.type == "episode" for note in notes), receipt.plan


def check_provenance(records: Iterable[Record], versions: Mapping[str, bytes]) -> None:
    """Every record names a judge and a reason, and its quote stands on its line of the very text that it names by hash."""
    for record in records:
        assert record["judge"] and record["reason"], record
        lines = decode(versions[record["episode_sha256"]])[0].split("\n")[record["line"] - 1 :]
        bare = "\n".join(line.rstrip("\r") for line in lines)
        at = bare.find(record["quote"].replace("\r\n", "\n").rstrip("\r"))
        assert record["quote"] and 0 <= at <= len(lines[0].rstrip("\r")), record


def known(versions: dict[str, bytes], texts: Iterable[bytes | None]) -> None:
    """Remembers texts by their hash."""
    versions.update({sha256_hex(data): data for data in texts if data is not None})
