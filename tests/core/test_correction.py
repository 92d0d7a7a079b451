"""A wording stands somewhere as whole words or not at all, and what tells of a moment is left alone."""

from __future__ import annotations

import pytest

from brain.core.correction import misstated, occurrences, replaced, shares_words, why_line_is_history
from brain.core.history import why_historical


@pytest.mark.parametrize(
    ("text", "was", "after"),
    [
        ("Runs Debian 12.", "Debian 12", "Runs Debian 13."),
        ("runs debian  12, still", "Debian 12", "runs Debian 13, still"),
        ("Debian 12.1 and Debian 12", "Debian 12", "Debian 12.1 and Debian 13"),
        ("Debian 120, xDebian 12", "Debian 12", "Debian 120, xDebian 12"),
        ("v1.2-Debian 12", "Debian 12", "v1.2-Debian 12"),
        ("C++ is used; C++11 is not C", "C++", "Debian 13 is used; C++11 is not C"),
    ],
)
def test_only_whole_words_are_written_anew(text: str, was: str, after: str) -> None:
    assert replaced(text, was, "Debian 13") == after


def test_a_new_wording_that_holds_the_old_one_is_not_written_twice() -> None:
    assert replaced("Acme, Acme", "Acme", "Acme Ltd") == "Acme Ltd, Acme Ltd"


def test_an_empty_wording_stands_nowhere() -> None:
    assert list(occurrences("anything", "  ")) == []


@pytest.mark.parametrize(
    ("path", "type_", "status", "why"),
    [
        ("Inbox/a call.md", None, "active", "it lies in Inbox/"),
        ("Work/Meetings/Ada.md", None, "active", "it lies in Meetings/"),
        ("Work/2026-03-04 call.md", None, "active", "its name has a date"),
        ("Work/20260304.md", None, "active", "its name has a date"),
        ("Work/Call.md", "episode", "active", "it is an episode"),
        ("Work/Plan.md", None, "done", "its status is done"),
        ("CHANGELOG.md", None, "active", "its name is that of a history"),
        ("Work/Plan 20261399.md", None, "active", None),
        ("Work/Archived ideas.md", None, "active", None),
        ("Work/Server.md", "entity", "stale", None),
    ],
)
def test_history_is_told_by_place_name_and_state(path: str, type_: str | None, status: str, why: str | None) -> None:
    assert why_historical(path, type=type_, status=status, folders=("Inbox", "Timeline", "")) == why


def test_a_line_with_a_day_or_struck_words_tells_of_a_moment() -> None:
    assert why_line_is_history("- 2025-03-01 installed Debian 12") is not None
    assert why_line_is_history("runs ~~Debian 11~~ Debian 12") is not None
    assert why_line_is_history("runs Debian 12") is None


def test_words_are_shared_by_their_letters() -> None:
    assert shares_words("The home server runs Debian.", "Home Server runs Debian 13") == 1.0
    assert shares_words("Nothing of it", "Home Server runs Debian 13") == 0.0


@pytest.mark.parametrize(("text", "was", "becomes", "found"), [
    ("Acme, Acme Corp and acme corp", "Acme", "Acme Corp", [0]), ("GitHub and github", "github", "GitHub", [11]), ("12 or 13, then 12", "12", "12 or 13", [15]),
    ("Acme", "Acme", None, [0]), ("old Acme Corp", "old Acme", "Acme Corp", [0]),
])  # fmt: skip
def test_an_old_wording_inside_the_new_one_is_right_already(text: str, was: str, becomes: str | None, found: list[int]) -> None:
    assert [span.start for span in misstated(text, was, becomes)] == found
