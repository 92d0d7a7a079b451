"""Telling a scheduler, with programs in its place that keep what they are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.errors import BrainError, UsageError
from brain.schedule.job import Job, cron_line, service_unit
from brain.schedule.scheduler import Cron, Launchd, Scheduler, Systemd, usual

CRONTAB = """#!/bin/sh
table="$(dirname "$0")/table"
case "$1" in
  -l) [ -f "$table" ] || { echo "no crontab for ada" >&2; exit 1; }; cat "$table" ;;
  -) cat > "$table.new"; grep -q refuse "$table.new" && { echo "bad minute" >&2; exit 1; }; mv "$table.new" "$table" ;;
esac
"""
LOGGING = '#!/bin/sh\necho "$(basename "$0") $*" >> "$(dirname "$0")/told"\n'


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of stand-ins, in front of the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in (("crontab", CRONTAB), ("systemctl", LOGGING), ("launchctl", LOGGING)):
        (folder / name).write_text(text, "utf-8")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def job(hour: int = 3, vault: str = "/home/ada/notes") -> Job:
    return Job(("/opt/brain",), vault, f"{vault}/.brain/maintain.log", hour, 0)


def each(tmp_path: Path) -> list[Scheduler]:
    return [Cron(), Systemd(tmp_path / "systemd" / "user"), Launchd(tmp_path / "LaunchAgents", 501)]


def test_installing_twice_leaves_one_job_and_removing_none(programs: Path, tmp_path: Path) -> None:
    for scheduler in each(tmp_path):
        assert scheduler.installed(job().name) is None
        scheduler.install(job(2))
        scheduler.install(job(3, vault="/other"))
        scheduler.install(job(4))
        shown = " ".join(text for _, text in scheduler.shown(job(4)).texts)
        assert (scheduler.installed(job().name) or "").split() == shown.split()
        assert scheduler.remove(job().name)
        assert not scheduler.remove(job().name)
        assert scheduler.installed(job(vault="/other").name) is not None


def test_cron_keeps_the_lines_of_a_person(programs: Path) -> None:
    mine = "MAILTO=ada\n# nightly\n0 1 * * * tar x"
    (programs / "table").write_text(mine, "utf-8")
    Cron().install(job())
    assert (programs / "table").read_text("utf-8") == f"{mine}\n{cron_line(job())}\n"
    Cron().remove(job().name)
    assert (programs / "table").read_text("utf-8") == f"{mine}\n"


def test_a_scheduler_that_refuses_says_why_and_nothing_is_lost(programs: Path) -> None:
    Cron().install(job())
    with pytest.raises(BrainError, match="bad minute"):
        Cron().install(job(vault="/home/ada/refuse"))
    assert Cron().installed(job().name) == cron_line(job())


def test_a_crontab_that_cannot_be_read_is_not_taken_for_an_empty_one(programs: Path) -> None:
    (programs / "crontab").write_text('#!/bin/sh\necho "permission denied" >&2; exit 1\n', "utf-8")
    with pytest.raises(BrainError, match="permission denied"):
        Cron().install(job())


def test_systemd_is_told_to_start_the_timer(programs: Path, tmp_path: Path) -> None:
    scheduler = Systemd(tmp_path / "user")
    scheduler.install(job())
    assert (tmp_path / "user" / f"{job().name}.service").read_text("utf-8") == service_unit(job())
    told = (programs / "told").read_text("utf-8").splitlines()
    assert told == ["systemctl --user daemon-reload", f"systemctl --user enable --now {job().name}.timer"]


def test_launchd_unloads_the_old_agent_first(programs: Path, tmp_path: Path) -> None:
    scheduler = Launchd(tmp_path, 501)
    scheduler.install(job())
    scheduler.install(job(4))
    told = [line.split()[1] for line in (programs / "told").read_text("utf-8").splitlines()]
    assert told == ["bootstrap", "bootout", "bootstrap"]


def test_a_missing_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="crontab"):
        Cron().install(job())


def test_the_usual_scheduler_is_what_the_machine_has(programs: Path, tmp_path: Path) -> None:
    running = {"PATH": str(programs), "XDG_RUNTIME_DIR": str(tmp_path)}
    assert usual(running, "darwin") == "launchd"
    assert usual(running, "linux") == "cron"
    (tmp_path / "systemd").mkdir()
    assert usual(running, "linux") == "systemd"
    with pytest.raises(UsageError):
        usual({"PATH": str(tmp_path)}, "linux")
