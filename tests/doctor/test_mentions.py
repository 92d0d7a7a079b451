"""Unlinked mentions: looked for only when asked, and gone once they are links."""

from __future__ import annotations

import re

from brain.core.finding import Finding
from brain.doctor.checks import examine
from brain.sync.space import Space
from tests.doctor.conftest import Make, index, write


def mentions(space: Space) -> list[Finding]:
    return [finding for finding in examine(space, code="unlinked-mention") if finding.code == "unlinked-mention"]


def test_a_name_in_a_text_is_a_mention_until_it_is_a_link(make: Make) -> None:
    space = make({"Notes/Grey Harbour.md": "A port.\n", "B.md": "---\na: 1\n---\nWe met at Grey Harbour.\n", "C.md": "By Grey Harbour: [[Grey Harbour]].\n"})
    (found,) = mentions(space)
    assert (found.severity, found.path, found.line) == ("info", "B.md", 4)
    link = re.findall(r"write (\[\[.+?\]\]) on", found.cure)[0]
    write(space.vault.root, "B.md", f"We met at {link}.\n")
    index(space)
    assert mentions(space) == []


def test_an_alias_is_linked_to_its_note(make: Make) -> None:
    space = make({"N/Harbour.md": "---\naliases: [Grey Port]\n---\nx\n", "B.md": "At the Grey Port.\n", "C.md": "[[Harbour]]\n"})
    (found,) = mentions(space)
    link = re.findall(r"write (\[\[.+?\]\]) on", found.cure)[0]
    write(space.vault.root, "B.md", f"At the {link}.\n")
    index(space)
    assert mentions(space) == []


def test_a_single_word_counts_only_where_it_is_rare(make: Make) -> None:
    files = {"Quetzal.md": "A bird.\n", "Sea.md": "Water.\n", "B.md": "A quetzal by the sea.\n"}
    space = make({**files, **{f"T{number}.md": "The sea.\n" for number in range(5)}})
    assert [found.path for found in mentions(space) if "Quetzal" in found.message] == ["B.md"]
    assert [found for found in mentions(space) if "Sea.md" in found.message] == []


def test_nobody_is_told_who_did_not_ask(make: Make) -> None:
    space = make({"Grey Harbour.md": "[[B]]\n", "C.md": "[[B]] at Grey Harbour.\n", "B.md": "b\n"})
    assert "unlinked-mention" not in {finding.code for finding in examine(space)}
