"""What every command room needs: opening the vault, printing data to stdout and talk to stderr, progress."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from brain.facade import Brain
    from brain.sync.report import Progress

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Change nothing; print what would change as a diff.")


def opened(ctx: click.Context) -> Brain:
    """Opens the vault that the command line, the environment or the folder names."""
    from brain.facade import Brain

    return Brain.open(ctx.obj)


def out(text: str) -> None:
    """Prints data; no character of it commands the terminal."""
    from brain.show import clean

    click.echo(clean(text), nl=not text.endswith("\n"), color=False)


def talk(text: str) -> None:
    """Says something to a person, beside the data."""
    from brain.show import clean

    click.echo(clean(text), err=True)


def width() -> int:
    """Returns the columns of the terminal; wide when the output goes elsewhere, so that nothing is folded."""
    return shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else 200


@contextmanager
def progress() -> Iterator[Progress]:
    """Draws a bar for long work on a terminal, and nothing anywhere else."""
    from brain.sync.report import silent

    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("…", total=None)

        def report(step: str, done: int, total: int) -> None:
            bars.update(task, description=step, completed=done, total=total or None)

        yield report
