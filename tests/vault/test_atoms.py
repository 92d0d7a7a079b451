"""The grammar of an atom: what a bullet says, and that writing it back says the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.config import Limits
from brain.core.note import Atom, Span
from brain.core.vocabulary import ATOM_KINDS
from brain.vault.atoms import atom_text, parse_atom, render_atom, replace_claim
from brain.vault.parse import parse_note


def atom(bullet: str) -> Atom:
    """Reads one bullet that is an atom."""
    found = parse_atom(bullet, 1, Span(0, len(bullet)))
    assert found is not None
    return found


def atoms(text: str) -> list[str]:
    """Returns the texts of a note's atoms."""
    return [found.text for found in parse_note("N.md", text, Limits()).atoms]


def test_a_full_bullet_has_every_part() -> None:
    found = atom(
        "- (decision, verified, stale) Use Kuzu. (from 2026-01-02) (to 2026-03-04) [[Call]] [[Notes/Standup|s]] ^a-7f3k2"
    )
    assert found == Atom(
        "a-7f3k2", "Use Kuzu.", "decision", "verified", "stale", None, None, "2026-01-02", "2026-03-04",
        ("Call", "Notes/Standup"), 1, found.span,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("bullet", "text", "sources"),
    [
        ("- Likes tea", "Likes tea", ()),
        ("* Likes tea. [[Call]]", "Likes tea.", ("Call",)),
        ("- Met [[Bo Lind]]", "Met [[Bo Lind]]", ()),
        ("- (fact, verified) Met Bo [[Call]]", "Met Bo", ("Call",)),
        ("- Met Bo [[Call]] ^a-1", "Met Bo", ("Call",)),
        ("- [[Bo Lind]]", "[[Bo Lind]]", ()),
        ("- (see the call) Likes tea", "(see the call) Likes tea", ()),
        ("- (from 2026-13-45) x", "(from 2026-13-45) x", ()),
        ("- Works there (from 2026-99-99)", "Works there (from 2026-99-99)", ()),
        ("- [fact] The mast is ash", "[fact] The mast is ash", ()),
        ("- Shown here. ![[photo.png]]", "Shown here. ![[photo.png]]", ()),
        ("- (fact, verified) Likes tea [C#](../In%20box/C%23.md)", "Likes tea", ("../In box/C#.md",)),
        ("- Likes tea. [C#](C%23.md#Sea) [[Call]] [it](<a b.md>)", "Likes tea.", ("C#.md", "Call", "a b.md")),
        ("- Met [Bo](Bo.md)", "Met [Bo](Bo.md)", ()),
        ("- (fact) Shown. [it](photo.png)", "Shown. [it](photo.png)", ()),
        ("- (fact) Shown. [it](https://example.org/a.md) ^a-1", "Shown. [it](https://example.org/a.md)", ()),
        ("- (fact) Shown. ![it](a.md) ^a-1", "Shown. ![it](a.md)", ()),
    ],
)
def test_everything_but_the_text_may_be_missing(bullet: str, text: str, sources: tuple[str, ...]) -> None:
    assert (atom(bullet).text, atom(bullet).sources, atom(bullet).status) == (text, sources, "active")


def test_a_superseded_atom_names_when_and_by_what() -> None:
    found = atom("- (fact, superseded 2026-03-04 by ^a-7f3k2) Works at Acme. [[Standup]] ^a-1c9qd")
    assert (found.status, found.superseded_on, found.superseded_by, found.id) == (
        "superseded",
        "2026-03-04",
        "a-7f3k2",
        "a-1c9qd",
    )


@pytest.mark.parametrize(
    "bullet",
    [
        "- [ ] buy tar",
        "- [x] done",
        "- [/] half",
        "- [>] moved",
        "- ",
        "-",
        "text",
        "> [!info] Tide",
        "- works_at:: [[Initech]]",
    ],
)
def test_tasks_callouts_relations_and_empty_bullets_are_no_atoms(bullet: str) -> None:
    assert parse_atom(bullet, 1, Span(0, 0)) is None


def test_only_bullets_under_the_atoms_heading_count() -> None:
    text = "- before\n## Atoms\n- one\n  - nested\n- [ ] task\n> [!note] call\n\n```\n- code\n```\n%%\n- hidden\n%%\n### Old\n- two\n## Related\n- after\n"
    assert atoms(text) == ["one", "two"]


def test_a_doubled_id_is_kept_by_the_first_atom_and_named() -> None:
    note = parse_note("N.md", "## Atoms\n- one ^a-1\n- two ^a-1\n", Limits())
    assert [found.id for found in note.atoms] == ["a-1", None]
    assert [(finding.code, finding.line) for finding in note.findings] == [("duplicate-atom-id", 3)]


WORDS = st.text(st.sampled_from("ab é漢.,!?()[]^:-#|"), min_size=1, max_size=20)
NAMES = st.text(st.sampled_from("abc é/-"), min_size=1, max_size=8).map(str.strip).filter(bool)
DATES = st.none() | st.dates().map(lambda day: f"{max(day.year, 1000):04}-01-02")
IDS = st.text("abc019-", min_size=1, max_size=6)
STATES = st.one_of(
    st.sampled_from([{"status": "active"}, {"status": "stale"}, {"status": "archived"}]),
    st.builds(
        lambda on, by: {"status": "superseded", "superseded_on": on, "superseded_by": by}, DATES, st.none() | IDS
    ),
)


@given(
    WORDS,
    st.sampled_from(ATOM_KINDS),
    st.sampled_from(["verified", "inferred"]),
    STATES,
    DATES,
    DATES,
    st.lists(NAMES, min_size=1, max_size=2),
    IDS,
)
def test_what_is_written_is_read_back(
    text: str,
    kind: str,
    confidence: str,
    state: dict[str, Any],
    start: str | None,
    end: str | None,
    sources: list[str],
    name: str,
) -> None:
    written = atom_text(text)
    if parse_atom(f"- {written}", 1, Span(0, 0)) is None or written.startswith("["):
        return
    bullet = render_atom(
        text, kind=kind, confidence=confidence, valid_from=start, valid_to=end, sources=sources, id=name, **state
    )
    expected = Atom(
        name, written, kind, confidence, state["status"], state.get("superseded_by"), state.get("superseded_on"), start, end,
        tuple(sources), 1, Span(0, 0),
    )  # fmt: skip
    assert parse_atom(bullet, 1, Span(0, 0)) == expected


def test_a_source_may_be_written_as_any_link_and_a_text_that_ends_in_one_is_not_mistaken() -> None:
    bullet = render_atom("Met [Bo](Bo.md)", sources=["Call", "[C#](C%23.md)", "[[Call|it]]"], id="a-1")
    assert bullet == "- (fact, inferred) Met [Bo](Bo.md). [[Call]] [C#](C%23.md) [[Call|it]] ^a-1"
    found = parse_atom(bullet, 1, Span(0, 0))
    assert found is not None and (found.text, found.sources) == ("Met [Bo](Bo.md).", ("Call", "C#.md", "Call"))


def test_a_claim_can_be_changed_without_touching_the_rest() -> None:
    bullet = "*   (fact, verified)  Works at Acme.  [[Standup]]   ^a-1"
    changed = replace_claim(bullet, status="superseded", superseded_on="2026-03-04", superseded_by="a-2")
    assert changed == "*   (fact, verified, superseded 2026-03-04 by ^a-2) Works at Acme.  [[Standup]]   ^a-1"
    assert replace_claim("- Likes tea", confidence="verified") == "- (fact, verified) Likes tea"
