"""`brain undo` as a person types it: what it takes back comes first, and what it cannot take back does not stop it."""

from __future__ import annotations

import re
from pathlib import Path

from tests.commands.support import notes_of, run

WORDS = "Risk: [[Home Server]] has one disk."
TIME = r"\d\d:\d\d"


def last_run(vault: Path) -> str:
    return str(run("runs", "--json", vault=vault).json[0]["run"])


def test_undo_says_first_what_it_takes_back(vault: Path) -> None:
    run("setup", "--name", "Grace Hopper", vault=vault)
    made = last_run(vault)
    said = run("undo", vault=vault).out
    assert re.match(rf"takes back {made}: setup, {TIME}: Memory/People/Grace Hopper\.md\n1 item undone\n", said)


def test_the_time_is_that_of_the_vaults_zone(vault: Path) -> None:
    (vault / "brain.toml").write_text('zone = "Asia/Kathmandu"\n', "utf-8")
    run("pin", "House", vault=vault)
    taken = run("undo", "--dry-run", "--json", vault=vault).json["taken"]
    hour, minute = map(int, taken["at"][11:16].split(":"))
    later = (hour * 60 + minute + 345) % 1440
    assert (taken["command"], taken["when"][-5:]) == ("pin", f"{later // 60:02}:{later % 60:02}")


def test_a_rehearsal_shows_the_diff_of_a_whole_run_and_writes_nothing(vault: Path) -> None:
    before = notes_of(vault)
    run("add", WORDS, "--title", "Disk", vault=vault)
    after = notes_of(vault)
    seen = run("undo", "--dry-run", vault=vault)
    assert seen.code == 0 and f"would take back {last_run(vault)}: add, walk, " in seen.out and "2 items would be undone" in seen.out
    assert re.search(r"^--- Inbox/\S+ Disk\.md\n\+\+\+ /dev/null$", seen.out, re.M) and "\n-- (risk" in seen.out
    assert "this undo is" not in seen.out and notes_of(vault) == after
    assert run("runs", "--json", vault=vault).json[0]["items"][0]["state"] == "landed"
    told = run("undo", "--dry-run", "--json", vault=vault).json
    assert run("undo", "--json", vault=vault).json["paths"] == told["paths"] and notes_of(vault) == before


def test_what_was_added_and_the_walk_of_it_are_one_run_that_one_undo_takes_back(vault: Path) -> None:
    before = notes_of(vault)
    added = run("add", WORDS, vault=vault)
    (entry,) = run("runs", "--json", vault=vault).json
    assert [item["state"] for item in entry["items"]] == ["landed", "landed"]
    assert added.out.splitlines()[-1].startswith(f"brain undo {entry['run']} takes all of it back")
    after = notes_of(vault)
    undone = run("undo", "--json", vault=vault).json
    assert notes_of(vault) == before and len(undone["undone"]) == 2
    assert run("undo", undone["run"], vault=vault).code == 0 and notes_of(vault) == after
    assert not [finding for finding in run("doctor", "--json", vault=vault).json if "journal" in finding["code"] or finding["severity"] == "error"]


def test_what_is_ticked_when_something_is_added_stays_a_run_of_its_own(vault: Path) -> None:
    text = "---\nkind: person\nemail: ada@example.org\n---\n"
    (vault / "Ada Lind.md").write_text(f"{text}she sails\n", "utf-8")
    (vault / "Lind, Ada.md").write_text(f"{text}she rows\n", "utf-8")
    run("reconcile", vault=vault)
    note = vault / "Memory" / "Review.md"
    note.write_text(note.read_text().replace("- [ ] reject", "- [x] reject"))
    run("add", WORDS, vault=vault)
    assert run("undo", vault=vault).code == 0
    assert "distinct_from" in (vault / "Ada Lind.md").read_text("utf-8") and not list((vault / "Inbox").glob("*.md"))


def test_a_run_that_cannot_be_taken_back_names_why_and_the_older_one(vault: Path) -> None:
    run("pin", "House", vault=vault)
    older = last_run(vault)
    run("tag", "Index", "stone", vault=vault)
    (vault / "Index.md").unlink()
    stuck = run("undo", vault=vault)
    assert stuck.code == 1 and "not undone: " in stuck.out and "Index.md: it was deleted since" in stuck.out
    assert re.search(rf"^cure:  brain undo {older} takes the next older run back \(pin, {TIME}: House\.md\); brain runs lists all$", stuck.out, re.M)
    assert "" not in stuck.out.splitlines()
    assert run("undo", older, vault=vault).code == 0 and "pinned" not in (vault / "House.md").read_text("utf-8")
    alone = run("undo", vault=vault)
    assert alone.code == 1 and alone.out.endswith("cure:  brain runs lists all runs\n")


def test_where_nothing_can_be_undone_the_runs_are_the_cure(vault: Path) -> None:
    assert run("undo", vault=vault).err == "error: There is nothing to undo.\ncure:  brain runs\n"
    assert run("undo", "", vault=vault).code == 1


def test_after_a_split_the_cure_names_what_merges_again(vault: Path) -> None:
    run("merge", "Projects/Plan", "Archive/Plan.md", vault=vault)
    merged = notes_of(vault)
    split = run("split", "Archive/Plan", "--json", vault=vault).json["report"]["run"]
    ended = run("undo", vault=vault)
    assert ended.code == 1 and f"cure:  brain undo {split} takes" in ended.err
    assert run("undo", split, vault=vault).code == 0 and notes_of(vault) == merged
