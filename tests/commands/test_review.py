"""`brain review`, `brain propose` and `brain discards` as a person types them."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from tests.commands.support import Ran, run

NOTES = {
    "Ada Lind.md": "---\nkind: person\nemail: ada@example.org\ncreated: 2026-01-01\n---\nshe sails\n",
    "Lind, Ada.md": "---\nkind: person\nemail: ada@example.org\n---\nshe rows\n",
}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("asked") / "vault"
    root.mkdir()
    for path, text in NOTES.items():
        (root / path).write_text(text)
    assert run("index", vault=root).code == 0 and run("reconcile", vault=root).code == 0
    return root


@pytest.fixture
def vault(asked: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(asked, tmp_path / "vault"))


def item_of(vault: Path) -> dict[str, str]:
    (item,) = run("review", "--json", vault=vault).json["open"]
    return dict(item)


def editor(vault: Path, script: str) -> dict[str, str]:
    """An editor that is a script: `$1` is the file."""
    place = vault.parent / "editor.sh"
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(place.stat().st_mode | stat.S_IXUSR)
    return {"VISUAL": "", "EDITOR": str(place)}


def test_what_waits_is_listed_with_a_short_id(vault: Path) -> None:
    item = item_of(vault)
    shown = run("review", vault=vault)
    assert shown.code == 0 and shown.out.startswith(f"{item['short']}  Lind, Ada.md is Ada Lind.md")
    assert len(item["short"]) == 7 and item["id"].startswith(item["short"]) and item["rules"][0] == "people"


def test_one_item_is_shown_with_its_diff(vault: Path) -> None:
    shown = run("review", "show", item_of(vault)["short"], vault=vault)
    assert "+she rows" in shown.out and "+status: superseded" in shown.out and "email" in shown.out
    assert (vault / "Lind, Ada.md").read_text() == NOTES["Lind, Ada.md"]


def test_accepting_says_what_takes_it_back(vault: Path) -> None:
    done = run("review", "accept", item_of(vault)["short"], "--json", vault=vault).json
    assert "superseded" in (vault / "Lind, Ada.md").read_text()
    assert run("undo", done["applied"][0]["item"], vault=vault).code == 0
    assert (vault / "Lind, Ada.md").read_text() == NOTES["Lind, Ada.md"]
    assert run("review", vault=vault).out == "Nothing waits for a decision.\n"


def test_rejecting_in_bulk_can_be_tried_first(vault: Path) -> None:
    tried = run("review", "reject", "--all", "--rule", "people", "--dry-run", vault=vault)
    assert '+distinct_from: "[[Lind, Ada]]"' in tried.out and (vault / "Ada Lind.md").read_text() == NOTES["Ada Lind.md"]
    assert run("review", "reject", "--all", "--rule", "people", vault=vault).code == 0
    assert "distinct_from" in (vault / "Ada Lind.md").read_text() and "0 held" in run("reconcile", vault=vault).out


def test_status_counts_only_what_still_waits(vault: Path) -> None:
    assert run("status", "--json", vault=vault).json["held"] == 1
    run("review", "reject", item_of(vault)["id"], vault=vault)
    assert run("status", "--json", vault=vault).json["held"] == 0


def test_a_text_that_is_edited_is_what_is_written(vault: Path) -> None:
    done = run("review", "edit", item_of(vault)["short"], vault=vault, env=editor(vault, "sed -i 's/she rows/she rows, slowly/' \"$1\""))
    assert done.code == 0 and "she rows, slowly" in (vault / "Ada Lind.md").read_text()


@pytest.mark.parametrize("script", ["true", ': > "$1"'])
def test_an_editor_that_changes_nothing_or_empties_does_nothing(vault: Path, script: str) -> None:
    done = run("review", "edit", item_of(vault)["short"], vault=vault, env=editor(vault, script))
    assert done.code == 0 and "nothing was done" in done.out and (vault / "Ada Lind.md").read_text() == NOTES["Ada Lind.md"]
    assert len(run("review", "--json", vault=vault).json["open"]) == 1


def test_an_editor_that_fails_loses_no_text(vault: Path) -> None:
    done = run("review", "edit", item_of(vault)["short"], vault=vault, env=editor(vault, "exit 3"))
    kept = Path(done.err.split("your text is kept in ")[1].splitlines()[0])
    assert done.code == 2 and "she rows" in kept.read_text()
    kept.unlink()
    missing = run("review", "edit", item_of(vault)["short"], vault=vault, env={"VISUAL": "", "EDITOR": ""})
    assert missing.code == 2 and "EDITOR" in missing.err


def test_a_box_that_is_ticked_is_done_by_apply(vault: Path) -> None:
    note = vault / "Memory" / "Review.md"
    note.write_text(note.read_text().replace("- [ ] reject", "- [x] reject"))
    assert run("review", "apply", vault=vault).code == 0
    assert "distinct_from" in (vault / "Ada Lind.md").read_text() and "Nothing waits" in note.read_text()


def slip(vault: Path, *args: str) -> Ran:
    return run("review", *args, vault=vault)


def test_slips_are_answered(vault: Path) -> None:
    assert slip(vault, "accept").code == 2
    assert "did you mean" in slip(vault, "accept", "--all", "--rule", "peple").err
    near = item_of(vault)["short"][:-1] + "z"
    assert "did you mean" in slip(vault, "accept", near).err and slip(vault, "show", near).code == 1


def test_a_note_is_proposed_refused_and_restored(vault: Path) -> None:
    words = ("propose", "--title", "Night boat", "--bm25", "0", "--agent", "bot", "The boat leaks at night.")
    assert run(*words, "--dry-run", vault=vault).out.count("+The boat leaks") == 1
    assert run(*words, vault=vault).code == 0
    done = run(*words, "--json", vault=vault)
    assert (done.code, done.json["outcome"]) == (1, "discarded")
    assert "Night boat" in run("discards", "list", vault=vault).out
    assert "The boat leaks at night." in run("discards", "show", "1", vault=vault).out
    assert run("discards", "restore", "1", "--bm25", "0", vault=vault).code == 1
    assert run("undo", vault=vault).code == 0
    assert run("discards", "restore", "1", "--bm25", "0", "--force", vault=vault).code == 0
    assert (vault / "Memory/Notes/Night boat.md").read_text().endswith("The boat leaks at night.\n")


def test_a_proposal_without_a_cut_off_or_words_is_a_slip(vault: Path) -> None:
    assert run("propose", "--title", "X", "words", vault=vault).code == 2
    assert run("propose", "--title", "X", "--bm25", "1", vault=vault).code == 2
    assert run("discards", "show", "1", vault=vault).code == 1
