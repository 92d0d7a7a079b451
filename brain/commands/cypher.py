"""The command `cypher`: a statement, a file, or a query of the product; rows as table, JSON or CSV."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click

from brain.commands.common import Count, Word, opened, out, talk, width


@click.command("cypher")
@click.argument("text", required=False)
@click.option("--file", "file", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Read the statement from a file.")
@click.option("--name", help="Run a query of the product (see --names).")
@click.option("--param", "params", multiple=True, metavar="KEY=VALUE", help="A parameter; the value is JSON, else text.")
@click.option("--format", "form", type=Word(["table", "json", "csv"]), default="table", show_default=True, help="How rows are shown.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--timeout", type=click.FloatRange(0.1, 3600), help="Seconds before the query is ended.")
@click.option("--limit", type=Count(1), help="Rows at most.")
@click.option("--schema", is_flag=True, help="Show what can be asked.")
@click.option("--names", is_flag=True, help="List the queries of the product.")
@click.pass_context
def cypher_command(
    ctx: click.Context, text: str | None, file: Path | None, name: str | None, params: tuple[str, ...], form: str,
    as_json: bool, timeout: float | None, limit: int | None, schema: bool, names: bool,
) -> None:  # fmt: skip
    """Asks the graph in Cypher. Reading only: one statement, in a process of its own, ended at the time limit."""
    from brain import show
    from brain.errors import UsageError

    if names:
        out(_named())
        return
    brain = opened(ctx)
    if schema:
        out(brain.cypher_schema())
        return
    if timeout is not None and math.isnan(timeout):
        raise UsageError("--timeout is a number of seconds.", "brain cypher … --timeout 30")
    statement, values = _asked(text, file, name, dict(map(_param, params)))
    table = brain.cypher(statement, values, timeout_s=timeout, rows_max=limit)
    if as_json or form == "json":
        out(show.as_json(show.table_json(table)))
    else:
        out(show.table_csv(table) if form == "csv" else show.table_text(table, width()))
    if not table.rows:
        talk("no rows")
    if table.truncated:
        talk(f"more rows were found than the {len(table.rows)} shown: --limit shows more")


def _asked(text: str | None, file: Path | None, name: str | None, params: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    from brain.errors import UsageError
    from brain.graph import queries

    if sum(given is not None for given in (text, file, name)) != 1:
        raise UsageError("Give a statement, or --file, or --name: one of the three.", "brain cypher --schema")
    if name is not None:
        query = queries.load(name)
        return query.text, dict(queries.filled(query, params))
    if file is not None:
        try:
            return file.read_text("utf-8"), params
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{file} cannot be read as text.", "name a file with one Cypher statement") from error
    return text or "", params


def _param(given: str) -> tuple[str, Any]:
    from brain.errors import UsageError

    key, equals, value = given.partition("=")
    if not equals or not key:
        raise UsageError(f"--param {given!r} is not KEY=VALUE.", "brain cypher … --param name=Ada")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _named() -> str:
    from brain.graph import queries

    return "".join(f"{query.name:<22} {query.why}\n" for query in map(queries.load, queries.names()))
