"""What each scheduler is told: texts that run exactly the command they were made from."""

from __future__ import annotations

import plistlib
import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.errors import UsageError
from brain.schedule.job import Job, cron_line, launchd_plist, line_of, service_unit, timer_unit, without_line

PATHS = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=30).map(lambda name: f"/v/{name}")


def job(vault: str = "/home/ada/My notes", program: str = "/opt/brain/bin/brain") -> Job:
    return Job((program,), vault, f"{vault}/.brain/maintain.log", 3, 5)


@given(PATHS, PATHS)
def test_cron_runs_the_very_command(vault: str, program: str) -> None:
    line = cron_line(job(vault, program))
    minute, hour, *days, command = line.split(" ", 5)
    assert (minute, hour, days) == ("5", "3", ["*", "*", "*"])
    as_cron_runs_it = command.replace("\\%", "%")
    words = shlex.split(as_cron_runs_it.rpartition(" # ")[0].rpartition(" >> ")[0])
    assert tuple(words) == job(vault, program).command
    assert not re.search(r"(?<!\\)%", command)


@given(PATHS)
def test_systemd_runs_the_very_command(vault: str) -> None:
    (line,) = [line for line in service_unit(job(vault)).split("\n") if line.startswith("ExecStart=")]
    words = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
    read = [re.sub(r"\\(.)", r"\1", word).replace("%%", "%").replace("$$", "$") for word in words]
    assert tuple(read) == job(vault).command


@given(PATHS)
def test_launchd_runs_the_very_command(vault: str) -> None:
    agent = plistlib.loads(launchd_plist(job(vault)))
    assert tuple(agent["ProgramArguments"]) == job(vault).command
    assert agent["StartCalendarInterval"] == {"Hour": 3, "Minute": 5}


def test_the_timer_makes_up_for_a_night_off() -> None:
    assert "OnCalendar=*-*-* 03:05:00\nPersistent=true\n" in timer_unit(job())


def test_the_line_of_one_vault_leaves_every_other_byte_of_a_crontab() -> None:
    others = "# mine\n0 5 * * 1 tar czf /var/backups/home.tgz /home/\n"
    crontab = f"{others}{cron_line(job())}\n{cron_line(job('/other'))}\n# end"
    assert line_of(crontab, job().name) == cron_line(job())
    assert without_line(crontab, job().name) == f"{others}{cron_line(job('/other'))}\n# end"
    assert without_line(others, job().name) == others


def test_a_path_that_no_schedule_can_hold_is_refused() -> None:
    with pytest.raises(UsageError):
        job("/home/ada/a\nb")
