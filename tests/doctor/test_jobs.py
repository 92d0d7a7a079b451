"""What is scheduled: a program, an interpreter or a vault that is gone is named with the scheduler that would start it."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.doctor.jobs import broken_jobs
from brain.schedule.job import Job, cron_line, launchd_plist, service_unit, timer_unit


def texts_of(job: Job) -> dict[str, str]:
    return {"cron": cron_line(job), "systemd": f"{service_unit(job)}\n{timer_unit(job)}", "launchd": launchd_plist(job).decode()}


def job_in(folder: Path, interpreter: str = "/bin/sh") -> Job:
    """A job whose program and vault have names that every scheduler writes in another way."""
    program, vault = folder / "a 100% $new" / "brain", folder / "It's my \"vault\""
    for place in (program.parent, vault):
        place.mkdir()
    program.write_text(f"#!{interpreter}\n")
    program.chmod(0o755)
    return Job((str(program),), str(vault), str(vault / "maintain.log"), 3, 0)


@pytest.mark.parametrize("scheduler", ["cron", "systemd", "launchd"])
def test_a_program_that_is_there_is_fine_and_one_that_is_gone_is_named(tmp_path: Path, scheduler: str) -> None:
    job = job_in(tmp_path)
    jobs = {scheduler: texts_of(job)[scheduler]}
    assert list(broken_jobs(jobs)) == []
    Path(job.program[0]).rename(tmp_path / "away")
    (found,) = broken_jobs(jobs)
    assert (found.code, found.severity) == ("schedule-broken", "warning")
    assert job.program[0] in found.message
    assert found.cure == f"brain schedule install --with {scheduler}"


@pytest.mark.parametrize("scheduler", ["cron", "systemd", "launchd"])
def test_a_vault_that_is_gone_is_named(tmp_path: Path, scheduler: str) -> None:
    job = job_in(tmp_path)
    Path(job.vault).rmdir()
    (found,) = broken_jobs({scheduler: texts_of(job)[scheduler]})
    assert job.vault in found.message


def test_a_program_whose_interpreter_is_gone_is_named(tmp_path: Path) -> None:
    job = job_in(tmp_path, interpreter="/nowhere/bin/python")
    (found,) = broken_jobs({"cron": cron_line(job)})
    assert "/nowhere/bin/python, which runs " in found.message


def test_a_program_that_may_not_be_run_is_as_good_as_gone(tmp_path: Path) -> None:
    job = job_in(tmp_path)
    Path(job.program[0]).chmod(0o644)
    assert len(list(broken_jobs({"cron": cron_line(job)}))) == 1


@pytest.mark.parametrize("scheduler", ["cron", "systemd", "launchd"])
def test_a_text_that_nobody_can_read_is_named_too(scheduler: str) -> None:
    (found,) = broken_jobs({scheduler: "'"})
    assert "a command that can be read" in found.message
