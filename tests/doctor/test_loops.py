"""The note of loops: what is read as an action, and what is not."""

from __future__ import annotations

import pytest

from tests.doctor.conftest import Make, brief, index, of, write

LOOPS = "# Loops\n\n## Open\n"


@pytest.mark.parametrize("line", ["- buy milk", "- [] buy milk", "- [ ]", "- [ ] buy milk (due 2026-13-40) [[A]]", "* [ ] buy milk (due soon)"])
def test_a_line_that_is_no_action_is_named_until_it_is_written_so(make: Make, line: str) -> None:
    space = make({"LOOPS-INBOX.md": f"{LOOPS}- [ ] call Bo (due 2026-05-04) [[A]]\n{line}\n", "A.md": "[[LOOPS-INBOX]]\n"})
    (found,) = of(space, "loops-line")
    assert (found.severity, found.path, found.line) == ("info", "LOOPS-INBOX.md", 5)
    written = found.cure.split('"')[1]
    assert written.startswith("- [ ] ")
    write(space.vault.root, "LOOPS-INBOX.md", f"{LOOPS}{written}\n")
    index(space)
    assert of(space, "loops-line") == []


@pytest.mark.parametrize("line", ["- [x] done [[A]]", "- [ ] reworded, without a link", "Some words.", "  - a remark below", "- [-] dropped", "```\n- code\n```", "## Ideas\n- a bullet elsewhere"])
def test_what_a_person_may_do_there_is_fine(make: Make, line: str) -> None:
    assert brief(make({"LOOPS-INBOX.md": f"{LOOPS}- [ ] call [[A]]\n{line}\n", "A.md": "a\n"}), "loops-line") == []


def test_a_note_of_that_name_elsewhere_is_a_persons(make: Make) -> None:
    assert of(make({"x/LOOPS-INBOX.md": f"{LOOPS}- milk\n"}), "loops-line") == []
