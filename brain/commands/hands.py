"""Commands that change one thing because a person says so. Each is a run of its own, which `brain undo` takes back."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import click

from brain.commands.common import Decorated, dry_run_option, indexed, json_option, out, talk
from brain.commands.editor import edit

if TYPE_CHECKING:

    from brain.stages.hands.hand import Done
    from brain.stages.hands.split import Split

_NEGATIVE = re.compile(r"-(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|-inf", re.IGNORECASE)

note_argument = click.argument("note", metavar="NOTE")
off_option = click.option("--off", is_flag=True, help="Take it away again.")


def hand_options(command: Decorated) -> Decorated:
    """Adds what all hands have: --dry-run and --json."""
    return dry_run_option(json_option(command))


@click.command("merge")
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@click.option("--into", metavar="A|B", help="Which of the two stays (default: the first).")
@hand_options
@click.pass_context
def merge_command(ctx: click.Context, one: str, other: str, into: str | None, dry_run: bool, as_json: bool) -> None:
    """Makes one note of two: the one that stays takes in what the other says, which forwards to it. `brain split` takes it apart."""
    _show(indexed(ctx).merge(one, other, into=into, dry_run=dry_run), as_json)


@click.command("split")
@note_argument
@hand_options
@click.pass_context
def split_command(ctx: click.Context, note: str, dry_run: bool, as_json: bool) -> None:
    """Takes the merge of an absorbed note apart again. Exit code 1 when something stands in the way."""
    found = indexed(ctx).split(note, dry_run=dry_run)
    _show_split(found, as_json)
    if found.report.left:
        ctx.exit(1)


@click.command("move")
@note_argument
@click.argument("parent", metavar="[PARENT]", required=False)
@click.option("--to", metavar="FOLDER", help="Move the file into this folder; \"/\" is the top of the vault.")
@click.option("--top", is_flag=True, help="Take it out of the tree: it is part of nothing.")
@hand_options
@click.pass_context
def move_command(ctx: click.Context, note: str, parent: str | None, to: str | None, top: bool, dry_run: bool, as_json: bool) -> None:
    """Makes a note part of another one, or moves its file; every link follows."""
    from brain.errors import UsageError

    if top and parent is not None:
        raise UsageError("--top is no parent, and PARENT is one.", "give one of the two")
    _show(indexed(ctx).move(note, parent, to=to, top=top, dry_run=dry_run), as_json)


@click.command("rename")
@note_argument
@click.argument("new", metavar="NEW")
@hand_options
@click.pass_context
def rename_command(ctx: click.Context, note: str, new: str, dry_run: bool, as_json: bool) -> None:
    """Gives a note another name, or a folder of notes; links follow, and the old name stays as an alias."""
    _show(indexed(ctx).rename(note, new, dry_run=dry_run), as_json)


@click.command("retype")
@note_argument
@click.argument("kind", metavar="KIND")
@click.option("--file", "is_filed", is_flag=True, help="Also file it in the folder of its kind, such as Memory/People.")
@hand_options
@click.pass_context
def retype_command(ctx: click.Context, note: str, kind: str, is_filed: bool, dry_run: bool, as_json: bool) -> None:
    """Says what kind of thing a note is about, such as person, project or concept."""
    _show(indexed(ctx).retype(note, kind, file=is_filed, dry_run=dry_run), as_json)


@click.command("describe")
@note_argument
@click.argument("text", metavar="TEXT")
@hand_options
@click.pass_context
def describe_command(ctx: click.Context, note: str, text: str, dry_run: bool, as_json: bool) -> None:
    """Replaces what a note says in its own words above its first section; `-` reads the text from standard input."""
    words = sys.stdin.read() if text == "-" else text
    _show(indexed(ctx).describe(note, words, dry_run=dry_run), as_json)


@click.command("forget")
@note_argument
@click.option("--back", is_flag=True, help="Bring it back.")
@hand_options
@click.pass_context
def forget_command(ctx: click.Context, note: str, back: bool, dry_run: bool, as_json: bool) -> None:
    """Archives a note where it lies: it is found last, and links to it keep leading there."""
    _show(indexed(ctx).forget(note, back=back, dry_run=dry_run), as_json)


class WithNumbers(click.Command):
    """A command that takes a number as an argument: `-1` is one, and no option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts what looks like a negative number behind `--`, where no option is looked for."""
        numbers = [word for word in args if _NEGATIVE.fullmatch(word)]
        if numbers and "--" not in args:
            args = [*(word for word in args if word not in numbers), "--", *numbers]
        return super().parse_args(ctx, args)


@click.command("importance", cls=WithNumbers)
@note_argument
@click.argument("value", metavar="0..1", type=float)
@hand_options
@click.pass_context
def importance_command(ctx: click.Context, note: str, value: float, dry_run: bool, as_json: bool) -> None:
    """Says how much a note matters, from 0 to 1."""
    _show(indexed(ctx).importance(note, value, dry_run=dry_run), as_json)


@click.command("pin")
@note_argument
@off_option
@hand_options
@click.pass_context
def pin_command(ctx: click.Context, note: str, off: bool, dry_run: bool, as_json: bool) -> None:
    """Pins a note: it does not fade, and is not forgotten."""
    _show(indexed(ctx).pin(note, off=off, dry_run=dry_run), as_json)


@click.command("tag")
@note_argument
@click.argument("tags", metavar="TAG...", nargs=-1, required=True)
@off_option
@hand_options
@click.pass_context
def tag_command(ctx: click.Context, note: str, tags: tuple[str, ...], off: bool, dry_run: bool, as_json: bool) -> None:
    """Gives a note tags."""
    _show(indexed(ctx).tag(note, tags, off=off, dry_run=dry_run), as_json)


@click.command("unlink")
@click.argument("source", metavar="A")
@click.argument("target", metavar="B")
@click.option("--relation", metavar="RELATION", help="Only this one (default: all but part_of).")
@hand_options
@click.pass_context
def unlink_command(ctx: click.Context, source: str, target: str, relation: str | None, dry_run: bool, as_json: bool) -> None:
    """Takes typed relations from one note to another out; plain links stay."""
    _show(indexed(ctx).unlink(source, target, relation=relation, dry_run=dry_run), as_json)


@click.command("edit")
@note_argument
@click.pass_context
def edit_command(ctx: click.Context, note: str) -> None:
    """Opens the file of a note in $VISUAL or $EDITOR, and indexes it afterwards. Your own edits are not a run."""
    brain = indexed(ctx)
    path = brain.path_of(note)
    place = brain.root / path
    before = place.read_bytes()
    edit(place, left="; what it saved stays.", cure="brain index")
    report = brain.index()
    is_changed = not place.exists() or place.read_bytes() != before
    talk(f"{path} {'was changed and indexed' if is_changed and not report.skipped.get(path) else 'is unchanged' if not is_changed else 'was changed, and is not indexed'}")


def relate(ctx: click.Context, edge: tuple[str, ...], reason: str, dry_run: bool, as_json: bool) -> None:
    """Carries out `brain link A RELATION B`. Raises: UsageError for another number of words."""
    from brain.errors import UsageError

    if len(edge) != 3:
        raise UsageError("A relation has three parts: two notes, and the word between.", 'brain link "Boat" depends_on "Keel", or brain link alone')
    source, relation, target = edge
    _show(indexed(ctx).link(source, relation, target, reason=reason, dry_run=dry_run), as_json)


def _show(done: Done, as_json: bool) -> None:
    """Prints what a hand did: the diff of a rehearsal, else the notes that were written and how to take that back."""
    from brain import show
    from brain.stages.diff import diff_of

    if as_json:
        out(show.as_json(_as_json(done)))
        return
    if done.dry_run and done.receipts:
        out(show.shown_text(diff_of(done.receipts)))
    lines = [done.says if done.receipts else f"nothing to do: {done.says}"]
    if not done.dry_run:
        lines += [f"  {_word(patch)}: {patch.path}" for receipt in done.receipts for patch in receipt.patches]
    lines += [f"  {notice}" for notice in done.notices]
    if done.receipts and not done.dry_run:
        lines.append(f"  brain undo {done.run} takes it back")
    out("\n".join(lines) + "\n")


def _as_json(done: Done) -> dict[str, Any]:
    from brain.stages.diff import diff_of

    patches = [patch for receipt in done.receipts for patch in receipt.patches]
    found: dict[str, Any] = {
        "hand": done.hand, "run": done.run, "says": done.says, "changed": bool(patches) and not done.dry_run, "dry_run": done.dry_run,
        "items": [receipt.item for receipt in done.receipts], "notes": sorted({patch.path for patch in patches}), "notices": list(done.notices),
    }  # fmt: skip
    return {**found, "diff": diff_of(done.receipts)} if done.dry_run else found


def _show_split(found: Split, as_json: bool) -> None:
    from brain import show, show_work
    from brain.core.plan import Applied, Plan
    from brain.stages.diff import diff_of

    because = f"the merge of {found.path} is taken apart"
    diff = diff_of([Applied(found.merged, Plan("undo", found.merged, {}, (), because), found.patches)]) if found.patches else ""
    if as_json:
        out(show.as_json({"note": found.path, "merged": found.merged, "dry_run": found.dry_run, "report": found.report, **({"diff": diff} if found.dry_run else {})}))
        return
    if not found.dry_run:
        out(show_work.undo_text(found.report))
        return
    lines = [f"not to be taken apart: {left.path}: {left.why}" for left in found.report.left]
    out(show.shown_text(diff) + "\n".join([*lines, "" if lines else f"{because}\n"]))


def _word(patch: Any) -> str:
    return "new" if patch.before is None else "removed" if patch.after is None else "wrote"
