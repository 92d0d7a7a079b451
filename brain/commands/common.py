"""What every command room needs: opening the vault, options, printing data to stdout and talk to stderr, progress."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from brain.facade import Brain
    from brain.stages.report import RunReport
    from brain.sync.report import Progress

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
COUNT_TOLD_MIN = 20
"""Work on fewer notes or texts is over before anyone would read a line about it."""
_BEGINNINGS = {"read": "indexing {} notes …", "embed": "embedding {} texts …"}
_DOING = {"read": "reading", "resolve": "resolving links", "graph": "writing the graph", "embed": "embedding"}

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Change nothing; print what would change as a diff.")


class Count(click.IntRange):
    """A whole number within bounds, called so in messages and help."""

    name = "number"


class Word(click.Choice[str]):
    """One word of a closed list; a slip is answered with the word that was likely meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Returns the word. Raises: BadParameter naming the nearest ones and all of them."""
        if value in self.choices:
            return str(value)
        raise click.BadParameter(_no_word(str(value), self.choices, self.choices), ctx, param)


def _words(what: str) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], tuple[str, ...]]:
    def checked(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
        from brain.core import vocabulary

        listed = vocabulary.ENTITY_KINDS if what == "kind" else vocabulary.STATUSES
        known = {*listed, *(vocabulary.KIND_SYNONYMS if what == "kind" else ())}
        for value in values:
            if value.strip().casefold().replace("-", "_").replace(" ", "_") not in known:
                raise click.BadParameter(_no_word(value, known, listed), ctx=ctx, param=param)
        return values

    return checked


def _no_word(value: str, known: Iterable[str], listed: Iterable[str]) -> str:
    from brain.core.nearest import did_you_mean

    near = did_you_mean(value, known)
    return f"{value!r} is none of {', '.join(listed)}{f'; {near}' if near else '.'}"


kind_option = click.option(
    "--kind", "kinds", multiple=True, metavar="KIND", callback=_words("kind"), help="Only notes of this kind, such as person (may be given again)."
)
_FILTERS = (
    kind_option,
    click.option("--status", "statuses", multiple=True, metavar="STATUS", callback=_words("status"), help="Only active, stale, superseded or archived notes."),
    click.option("--tag", "tags", multiple=True, help="Only notes with this tag or one below it."),
    click.option("--folder", help="Only notes below this folder."),
    click.option("--since", metavar="DATE", help="Only notes dated or created since then."),
)


def filter_options(command: Decorated) -> Decorated:
    """Adds the filters that searching and listing share."""
    for option in reversed(_FILTERS):
        command = option(command)
    return command


def note_argument(*, required: bool) -> Callable[[Decorated], Decorated]:
    """Adds the name of a note, of one word or of several without quotes."""
    shown = "NOTE" if required else "[NOTE]"
    return click.argument("note", nargs=-1, required=required, metavar=shown, callback=lambda _, __, words: " ".join(words) if words else None)


def opened(ctx: click.Context) -> Brain:
    """Opens the vault that the command line, the environment or the folder names."""
    from brain.facade import Brain

    return Brain.open(ctx.obj)


def looked(ctx: click.Context) -> Brain:
    """Opens the vault for reading, and says when files changed since it was indexed: the answer is of what they said then."""
    brain = opened(ctx)
    if behind := brain.behind():
        talk(f"the index is behind by {behind} file{'' if behind == 1 else 's'}: brain index")
    return brain


def show_run(brain: Brain, report: RunReport) -> None:
    """Prints what a run did, note by note; of a rehearsal the diff too."""
    from brain import show, show_work
    from brain.stages.diff import diff_of

    if report.dry_run and report.receipts:
        out(show.shown_text(diff_of(report.receipts)))
    made = show_work.made_by(report)
    out(show_work.run_text(report, brain.names_near(made) if made else None))


def show_report(ctx: click.Context, brain: Brain, report: RunReport, as_json: bool) -> None:
    """Prints a run for a person or as JSON; exit code 1 when something could not be done."""
    from brain import show

    if as_json:
        out(show.as_json(show.run_json(report)))
    else:
        show_run(brain, report)
    if report.failed:
        ctx.exit(1)


def indexed(ctx: click.Context) -> Brain:
    """Opens the vault, and makes its index when it has to be made anew: what needs it would do that too, but silently."""
    from brain.sync.run import why_rebuild

    brain = opened(ctx)
    if why_rebuild(brain.space):
        with progress() as report:
            brain.index(embed=False, progress=report)
    return brain


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
    """Says when long work begins and how long it took; on a terminal a bar grows besides."""
    told: set[str] = set()
    begun = time.monotonic()
    with _bar() as draw:

        def report(step: str, done: int, total: int) -> None:
            if step in _BEGINNINGS and step not in told and total >= COUNT_TOLD_MIN:
                told.add(step)
                talk(_BEGINNINGS[step].format(total))
            draw(step, done, total)

        yield report
    if told:
        talk(f"done in {time.monotonic() - begun:.0f} s")


@contextmanager
def _bar() -> Iterator[Progress]:
    """Draws a bar on a terminal, and nothing anywhere else."""
    from brain.sync.report import silent

    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:

        def draw(step: str, done: int, total: int) -> None:
            doing = _DOING.get(step.partition(" ")[0], step)
            if [task.description for task in bars.tasks] != [doing]:  # a bar keeps its total for good: each step has its own
                for task in bars.task_ids:
                    bars.remove_task(task)
                bars.add_task(doing, total=None)
            bars.update(bars.task_ids[0], completed=done, total=total or None)

        yield draw
