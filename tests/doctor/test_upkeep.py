"""Upkeep: runs that are due, episodes that wait, backups that are old."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import timedelta

from brain.core.dates import iso_utc
from brain.doctor.checks import examine
from brain.stages import walk
from brain.stages.context import context_of
from brain.sync.space import Space
from tests.doctor.conftest import Make, brief, index, of, write
from tests.doctor.test_journals import Later
from tests.laws.support import NOW

EPISODE = "---\ntype: episode\n---\nDecision: [[A]] stays blue\n"


def ran(space: Space, days_ago: float) -> None:
    """Puts a nightly run on record."""
    at = iso_utc(NOW - timedelta(days=days_ago))
    space.journal.append([{"kind": "maintained", "at": at, "tier": "green", "stages": [], "unfinished": []}])
    index(space)


def late(space: Space, jobs: dict[str, str]) -> list[str]:
    return [finding.severity for finding in examine(space, jobs=jobs) if finding.code == "maintenance-late"]


def test_a_scheduled_run_that_did_not_run_for_days_is_late_until_it_runs(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    job = {"cron": f"0 3 * * * /bin/sh --vault {space.vault.root} maintain --once"}
    assert late(space, job) == []  # it is new
    ran(space, 5)
    assert (late(space, {}), late(space, job)) == ([], ["warning"])
    ran(space, 0.5)
    assert late(space, job) == []


def test_episodes_that_wait_for_a_week_are_counted_until_they_are_walked(make: Make) -> None:
    space = make({"A.md": "a\n", "Inbox/E.md": EPISODE, "Inbox/F.md": EPISODE, "Inbox/New.md": EPISODE})
    for name in ("E.md", "F.md"):
        os.utime(space.vault.root / "Inbox" / name, ((NOW - timedelta(days=9)).timestamp(),) * 2)
    index(space)
    assert of(space, "inbox-waiting") == []  # in a vault in which nothing ever ran the inbox is a person's own
    space.journal.append([{"kind": "run_started", "at": iso_utc(NOW), "run": "r-1", "stage": "link"}])
    index(space)
    (found,) = of(space, "inbox-waiting")
    assert (found.severity, found.path, found.cure) == ("info", "Inbox", "brain walk")
    assert "2 episodes in the inbox wait" in found.message
    walk.run(context_of(space, now=NOW))
    index(space)
    assert of(space, "inbox-waiting") == []


def test_an_episode_whose_words_changed_after_the_walk_is_walked_again(make: Make) -> None:
    space = make({"A.md": "a\n", "Inbox/E.md": EPISODE})
    walk.run(context_of(space, now=NOW))
    assert of(space, "changed-episode") == []
    text = space.vault.read("Inbox/E.md").text
    write(space.vault.root, "Inbox/E.md", text.replace("type: episode", "type: episode\nmood: fine"))
    index(space)
    assert of(space, "changed-episode") == []  # the words are the same
    write(space.vault.root, "Inbox/E.md", f"{text}Risk: [[A]] may fade\n")
    index(space)
    assert brief(space, "changed-episode") == [("info", "Inbox/E.md", 0)]
    walk.run(context_of(space, now=NOW))
    index(space)
    assert of(space, "changed-episode") == []


def test_a_backup_that_is_old_is_followed_by_another(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    assert of(space, "backup-old") == []
    folder = space.layout.state / "backups"
    write(folder, "2026-05-20T10-00-00Z.zip", "x")
    write(folder, "2026-05-01T10-00-00Z-first.zip", "x")
    (found,) = of(space, "backup-old")
    assert (found.severity, found.message, found.cure) == ("info", "The newest backup is 12 days old.", "brain backup")
    write(folder, "2026-06-01T10-00-00Z.zip", "x")
    assert of(space, "backup-old") == []
    assert [f.severity for f in of(replace(space, clock=Later(8)), "backup-old")] == ["info"]


def test_a_vault_of_some_size_wants_a_backup_or_git(make: Make) -> None:
    space = make({f"{number}.md": "[[1]]\n" for number in range(60)})
    assert of(space, "backup-old") == []  # nothing of brain's is in it yet
    space.journal.append([{"kind": "run_started", "at": iso_utc(NOW), "run": "r-1", "stage": "link"}])
    index(space)
    (found,) = of(space, "backup-old")
    assert (found.severity, found.cure) == ("info", "brain backup")
    (space.vault.root / ".git").mkdir()
    assert of(space, "backup-old") == []
