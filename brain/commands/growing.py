"""Commands of the tree: looking at it, and plans that put it in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from brain.commands.common import (
    Count,
    dry_run_option,
    indexed,
    json_option,
    kind_option,
    looked,
    note_argument,
    out,
    show_report,
    talk,
)
from brain.core.tree import CROWD

if TYPE_CHECKING:
    pass


@click.command("tree")
@note_argument(required=False)
@click.option("--depth", default=0, type=Count(0), help="How many levels; 0: all that limits.tree_levels_max allows.")
@click.option("--min-weight", "weight_min", default=0.0, type=click.FloatRange(0, 1), metavar="W", help="Only notes of which so much is left (0 to 1).")
@kind_option
@click.option("--atoms", is_flag=True, help="The standing claims of each note too.")
@json_option
@click.pass_context
def tree_command(ctx: click.Context, note: str | None, depth: int, weight_min: float, kinds: tuple[str, ...], atoms: bool, as_json: bool) -> None:
    """Shows the tree of part_of, whole or below one note; what a shown note hangs off is shown too."""
    from brain import show

    tree = looked(ctx).tree(note, depth=depth, weight_min=weight_min, kinds=kinds, atoms=atoms)
    out(show.as_json(tree) if as_json else show.tree_text(tree))
    if tree.outside and not tree.branches and not tree.hidden:
        talk('no tree yet: brain setup --name "YOU" makes its root, brain move NOTE PARENT hangs a note below another')


@click.command("reorganize")
@click.option("--limit", type=Count(0), help="How many categories at most (default: the setting; 0: all).")
@dry_run_option
@json_option
@click.pass_context
def reorganize_command(ctx: click.Context, limit: int | None, dry_run: bool, as_json: bool) -> None:
    """Moves notes into categories that fit better; what is not certain waits in `brain review`."""
    brain = indexed(ctx)
    show_report(ctx, brain, brain.reorganize(limit=limit, dry_run=dry_run), as_json)


@click.command("subgroup")
@note_argument(required=False)
@click.option("--threshold", default=CROWD, show_default=True, type=Count(1), help="Only notes with more direct parts than this.")
@click.option("--apply", is_flag=True, help="Write the groups; without it they wait in `brain review`.")
@dry_run_option
@json_option
@click.pass_context
def subgroup_command(ctx: click.Context, note: str | None, threshold: int, apply: bool, dry_run: bool, as_json: bool) -> None:
    """Puts the parts of a crowded note, or of every crowded note, into two to five groups."""
    brain = indexed(ctx)
    show_report(ctx, brain, brain.subgroup(note, threshold=threshold, apply=apply, dry_run=dry_run), as_json)


@click.command("render")
@dry_run_option
@json_option
@click.pass_context
def render_command(ctx: click.Context, dry_run: bool, as_json: bool) -> None:
    """Writes DIGEST.md and a page for each area of the tree into the folder of views. Exit code 1 when a page could not be written."""
    brain = indexed(ctx)
    show_report(ctx, brain, brain.render(dry_run=dry_run), as_json)
