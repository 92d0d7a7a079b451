"""The `brain` command: global options, and the one place where errors are shown.

Commands are imported when they are used, so that `brain --help` starts fast. The rooms of
`brain/commands` parse, call one verb of `brain.facade.Brain`, and show its value.
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from brain.commands.table import COMMANDS
from brain.errors import EXIT_BROKEN, EXIT_USAGE, BrainError, UsageError


class LazyGroup(click.Group):
    """Knows all commands by name and help line, and imports one when it is called."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Returns the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, _: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the room of one command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"brain.commands.{COMMANDS[cmd_name][0]}"), f"{cmd_name}_command")
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command of the arguments. Raises: UsageError with the nearest names when there is none."""
        if args[0] not in COMMANDS:
            from brain.core.nearest import did_you_mean

            near = did_you_mean(args[0], COMMANDS)
            raise UsageError(f"There is no command {args[0]!r}.", f"{near} brain --help lists all of them".strip())
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; a reader that has enough (`brain export | head`) ends it, and that is no error."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _drop_output()
            return 0

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the table without importing a room."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--vault", metavar="DIR", help="The vault; else BRAIN_VAULT, else the nearest parent that is one.")
@click.version_option(package_name=None, version="0.1.0", prog_name="brain")
@click.pass_context
def brain(ctx: click.Context, vault: str | None) -> None:
    """A knowledge graph over a folder of Markdown notes."""
    ctx.obj = vault


def main(args: Sequence[str] | None = None) -> None:
    """Runs the command line and exits: 0 fine, 1 finding or not found, 2 usage, 3 locked, 4 broken."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        code = brain.main(args, prog_name="brain", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except BrainError as error:
        _fail(error.message, error.cure, error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        sys.exit(EXIT_USAGE)
    except click.ClickException as error:
        _fail(error.format_message(), _cure_of(error, _path_of(error, sys.argv[1:] if args is None else args)), EXIT_USAGE)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except OSError as error:
        _drop_output()
        where = f" {error.filename}" if error.filename else ""
        _fail(
            f"The system refused to read or write{where}: {error.strerror or error}. {_written_down()}",
            "free disk space or correct the permissions, then run it again", EXIT_BROKEN,
        )  # fmt: skip
    except Exception:  # noqa: BLE001 - the one place where a fault of ours ends, as a line and not as a traceback
        _fail(f"This is a fault in brain. {_written_down()}", "brain doctor", EXIT_BROKEN)


def _drop_output() -> None:
    """Sends what is still to be printed nowhere: where the output takes no more, the interpreter's last try would change the exit code."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return  # it is closed, or no file


def _cure_of(error: click.ClickException, path: str) -> str:
    if isinstance(error, click.NoSuchOption) and error.option_name == "--vault":
        return f"put --vault before the command: brain --vault DIR {path.removeprefix('brain ')}"
    return f"{path} --help"


def _path_of(error: click.ClickException, args: Sequence[str]) -> str:
    context = getattr(error, "ctx", None)
    return context.command_path if context else " ".join(["brain", *[word for word in args if word in COMMANDS][:1]])


def _fail(message: str, cure: str, code: int) -> None:
    from brain.show import clean

    if sys.stderr is not None:  # with stderr closed, print would take stdout, which is for data
        print(clean(f"error: {message}\ncure:  {cure}"), file=sys.stderr)
    sys.exit(code)


def _written_down() -> str:
    details = traceback.format_exc()
    try:
        handle, path = tempfile.mkstemp(prefix="brain-fault-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(details)
    except OSError:
        return f"There is no room for the details; the last of them is: {details.splitlines()[-1]}"
    return f"The details are in {path}."


if __name__ == "__main__":
    main()
