"""A fact is carried into the places that restate it wrongly; authority, history, code and links are left as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from brain.core.correction import Correction
from brain.errors import UsageError
from brain.recall.literal import paths_with
from brain.stages import correct
from brain.stages.undo import undo
from tests.models.judging import Played, judge_with, saying
from tests.stages.conftest import Make
from tests.stages.support import Vault

DEBIAN = Correction("The home server runs Debian 13.", "Debian 12", "Debian 13")
SERVER = "---\ntype: entity\nkind: artifact\n---\n# Home Server\nRuns Debian 13 since May.\n"
NOTES = {
    "Server.md": SERVER,
    "Network.md": "# Network\nThe server (debian 12) hands out addresses.\n\n    apt = Debian 12\n\nSee [[Debian 12 notes|Debian 12]].\n",
    "Debian 12 notes.md": "# Debian 12 notes\nOld.\n",
    "Meetings/Call.md": "We put Debian 12 on it.\n",
    "2024-02-01 setup.md": "Debian 12 is installed.\n",
    "Log.md": "- 2024-02-01: Debian 12 installed\n- ~~Debian 12~~\n",
    "Rack.md": "## Atoms\n- (fact, inferred) Holds the Debian 12 server. [[2024-02-01 setup]] ^a-rack\n- (fact, superseded 2024-03-01) Debian 12 is new.\n",
}


def corrected(vault: Vault, correction: Correction = DEBIAN, *, by: tuple[str, ...] = ("Server.md",), near: tuple[str, ...] = (), limit: int = 0, **more: object) -> correct.Correcting:
    def literal(words: str) -> tuple[str, ...]:
        with vault.space.catalog() as conn:
            return paths_with(conn, words, vault.space.config.limits)

    return correct.run(more.get("ctx", vault.ctx), correction, authorities=by, literal=literal, near=lambda _: near, limit=limit)  # type: ignore[arg-type]


def roles(found: correct.Correcting) -> dict[str, set[str]]:
    told: dict[str, set[str]] = {}
    for place in found.places:
        told.setdefault(place.role, set()).add(f"{place.path}:{place.line}")
    return told


def test_each_place_is_told_by_what_it_is(make: Make) -> None:
    told = roles(corrected(make(NOTES)))
    assert told["authority"] == {"Server.md:6"}
    assert told["restates"] == {"Network.md:2", "Rack.md:2"}
    assert told["history"] == {"Meetings/Call.md:1", "2024-02-01 setup.md:1", "Log.md:1", "Log.md:2", "Rack.md:3"}
    assert told["unsure"] == {"Network.md:4", "Network.md:6", "Debian 12 notes.md:1"}


def test_only_what_restates_is_written_and_undo_takes_it_back(make: Make) -> None:
    vault = make(NOTES)
    before = vault.bytes()
    found = corrected(vault)
    after = vault.bytes()
    assert {path for path in before if before[path] != after[path]} == {"Network.md", "Rack.md"}
    assert vault.text("Network.md") == NOTES["Network.md"].replace("(debian 12)", "(Debian 13)")
    undo(vault.ctx, found.report.run)
    assert vault.bytes() == before


def test_a_claim_is_closed_in_favour_of_a_new_one_from_the_note_that_knows(make: Make) -> None:
    vault = make(NOTES)
    corrected(vault)
    old, new, other = vault.text("Rack.md").splitlines()[1:]
    assert old.startswith("- (fact, inferred, superseded 2026-05-01 by ^a-") and old.endswith("Holds the Debian 12 server. [[2024-02-01 setup]] ^a-rack")
    assert new.startswith("- (fact, verified) Holds the Debian 13 server. [[Server]] ^a-") and new.rpartition("^")[2] in old
    assert other == NOTES["Rack.md"].splitlines()[2]


def test_a_second_correction_finds_nothing_more_to_write(make: Make) -> None:
    vault = make(NOTES)
    corrected(vault)
    before = vault.bytes()
    assert not corrected(vault).report.receipts and vault.bytes() == before


def test_without_authority_nothing_is_written_and_that_is_said(make: Make) -> None:
    vault = make(NOTES)
    before = vault.bytes()
    found = corrected(vault, by=())
    assert vault.bytes() == before and "--authority NOTE" in found.report.notices[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Nothing of it.\n", "does not say “Debian 13” itself"),
        ("Debian 13, once Debian 12.\n", "itself says “Debian 12” still, on line 1"),
        ("---\nstatus: archived\n---\nDebian 13\n", "has no authority over the present"),
    ],
)
def test_a_note_that_does_not_say_so_itself_has_no_authority(make: Make, text: str, says: str) -> None:
    vault = make({**NOTES, "Server.md": text})
    with pytest.raises(UsageError, match=says):
        corrected(vault)


def test_neither_a_property_nor_the_name_of_a_source_says_it(make: Make) -> None:
    text = "---\nsource: Debian 13\n---\n## Atoms\n- (fact, inferred) Is fast. [[Debian 13 notes]] ^a-fast\n"
    with pytest.raises(UsageError, match="does not say “Debian 13” itself"):
        corrected(make({**NOTES, "Server.md": text}))


def test_the_rest_beyond_the_limit_is_counted(make: Make) -> None:
    assert corrected(make(NOTES), limit=2).report.left_out > 0


def test_line_ends_and_what_stands_around_stay(make: Make) -> None:
    vault = make(NOTES)
    vault.write("Network.md", "\ufeff---\r\nkeep: 01 # mine\r\n---\r\nDebian 12\r\n## Atoms\r\n- (fact) On Debian 12.\r\n- (fact) x")
    vault.index()
    corrected(vault)
    text = vault.text("Network.md")
    assert text.startswith("\ufeff---\r\nkeep: 01 # mine\r\n---\r\nDebian 13\r\n## Atoms\r\n- (fact, superseded") and "\n" not in text.replace("\r\n", "")


def with_answer(vault: Vault, folder: Path, **item: object) -> object:
    chat = Played(saying(pairs=[{"pair": 1, "old": None, "new": None, "reason": None, **item}]))
    return replace(vault.ctx, model=judge_with(chat, folder))


NEAR = {"Server.md": SERVER, "Hall.md": "The home server in the hall runs Debian bookworm.\n"}
FACT = Correction("The home server runs Debian 13.")


def test_without_a_model_a_line_that_is_near_in_meaning_is_for_a_person(make: Make) -> None:
    assert roles(corrected(make(NEAR), FACT, near=("Hall.md",)))["unsure"] == {"Hall.md:1"}


def test_a_model_says_which_words_are_wrong_and_which_of_the_fact_belong_there(make: Make, tmp_path: Path) -> None:
    vault = make(NEAR)
    ctx = with_answer(vault, tmp_path, verdict="wrong", old="Debian bookworm", new="Debian 13", reason="Bookworm is Debian 12.")
    corrected(vault, FACT, near=("Hall.md",), ctx=ctx)
    assert vault.text("Hall.md") == "The home server in the hall runs Debian 13.\n"


@pytest.mark.parametrize(
    "item",
    [
        {"verdict": "wrong", "old": "Debian bookworm", "new": "Debian 14", "reason": "It is newer."},
        {"verdict": "wrong", "old": "Debian sid", "new": "Debian 13", "reason": "It is sid."},
        {"verdict": "wrong", "old": "", "new": "Debian 13", "reason": "It is empty."},
        {"verdict": "wrong", "old": "Debian book", "new": "Debian 13", "reason": "It is half a word."},
        {"verdict": "wrong", "old": "Debian bookworm", "new": "Debian 13", "reason": "See [[Evil]]."},
        {"verdict": "other"}, {"verdict": "unsure"}, {"verdict": "delete"},
    ],
)  # fmt: skip
def test_what_stands_in_neither_is_not_written(make: Make, tmp_path: Path, item: dict[str, object]) -> None:
    vault = make(NEAR)
    corrected(vault, FACT, near=("Hall.md",), ctx=with_answer(vault, tmp_path, **item))
    assert vault.text("Hall.md") == NEAR["Hall.md"]


def test_words_that_no_note_with_authority_says_are_not_written(make: Make, tmp_path: Path) -> None:
    vault = make({**NEAR, "Server.md": "Nothing about systems.\n"})
    ctx = with_answer(vault, tmp_path, verdict="wrong", old="Debian bookworm", new="Debian 13", reason="Bookworm is Debian 12.")
    found = corrected(vault, FACT, near=("Hall.md",), ctx=ctx)
    assert vault.text("Hall.md") == NEAR["Hall.md"] and "which no note with authority says" in roles_why(found)


def roles_why(found: correct.Correcting) -> str:
    return " ".join(place.why for place in found.places)


def test_a_new_wording_that_holds_the_old_one_is_written_once(make: Make) -> None:
    vault = make({"Firm.md": "The firm is Acme Corp.\n", "U.md": "We like Acme. Acme Corp is big.\n"})
    fact = Correction("The firm is Acme Corp.", "Acme", "Acme Corp")
    corrected(vault, fact, by=("Firm.md",))
    assert vault.text("U.md") == "We like Acme Corp. Acme Corp is big.\n"
    assert corrected(vault, fact, by=("Firm.md",)).report.applied == ()


def test_what_a_note_of_kind_episode_says_stays(make: Make) -> None:
    vault = make({"Server.md": SERVER, "Said.md": "---\nkind: episode\n---\nDebian 12 it is.\n"})
    assert roles(corrected(vault))["history"] == {"Said.md:4"}
    assert "Debian 12" in vault.text("Said.md")


def test_tags_and_names_of_blocks_are_for_a_person(make: Make) -> None:
    vault = make({"Host.md": "We use GitLab.\n", "U.md": "GitHub, as #GitHub says ^GitHub\n"})
    corrected(vault, Correction("We use GitLab.", "GitHub", "GitLab"), by=("Host.md",))
    assert vault.text("U.md") == "GitLab, as #GitHub says ^GitHub\n"


def test_a_relation_stays_what_it_is(make: Make) -> None:
    vault = make({"Way.md": "It supersedes that.\n", "U.md": "## Related\n- uses:: [[Way]]\n- depends_on:: [[Way]]\n"})
    before = vault.bytes()
    corrected(vault, Correction("It supersedes that.", "depends_on", "supersedes"), by=("Way.md",))
    assert vault.bytes() == before
