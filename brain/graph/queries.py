"""Named queries: `cypher/<room>/<name>.cypher`, one a file, with a header that is checked.

    // name: orphans
    // why: Notes that nothing links to and that link to nothing.
    // params: kind text = -: only this kind; limit whole = 50: rows at most
    // returns: path, title

A parameter reads `name kind = default: what it is`, without `= default` when it must be given. Kinds are
text, whole, real, flag and texts; the default `-` is the empty text or list.

Every file reads only, takes values as `$params` alone, and has an ORDER BY and a LIMIT; the room `decay` writes
weights instead, is run by `graph.weigh` alone, and has no name here. Query text lives
in those files; running a person's own text is `graph.sandbox`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from brain.core.nearest import did_you_mean
from brain.core.note import Json
from brain.errors import BrainError, NotFound, UsageError
from brain.graph import guard
from brain.graph.engine import Graph

FOLDER = Path(__file__).with_name("cypher")
WRITING_ROOM = "decay"
Kind = Literal["text", "whole", "real", "flag", "texts"]

_HEADER = re.compile(r"//\s*(name|why|params|returns):\s*(.*)")
_PARAM = re.compile(r"(?P<name>\w+)\s+(?P<kind>text|whole|real|flag|texts)(?:\s*=\s*(?P<default>[^:]+?))?\s*:\s*(?P<why>.+)")
_TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,), "whole": (int,), "real": (float, int), "flag": (bool,), "texts": (list, tuple),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Param:
    """One `$param`: its kind, what it stands for, and the value it has when none is given."""

    name: str
    kind: Kind
    why: str
    default: Json = None
    is_required: bool = True


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A query of the product. `returns` names the columns as they come."""

    name: str
    why: str
    params: tuple[Param, ...]
    returns: tuple[str, ...]
    text: str
    path: Path


def names() -> tuple[str, ...]:
    """Returns the names of all queries, sorted."""
    return tuple(sorted(_files()))


@cache
def load(name: str) -> NamedQuery:
    """Returns a query. Raises: NotFound; BrainError when its file breaks the rules of this module."""
    path = _files().get(name)
    if path is None:
        near = did_you_mean(name, names())
        cure = f"{near} brain cypher --names lists them all" if near else f"brain cypher --name NAME, one of: {', '.join(names())}"
        raise NotFound(f"There is no query named {name!r}.", cure)
    return parse(path, path.read_text("utf-8"))


def parse(path: Path, text: str) -> NamedQuery:
    """Returns the query that a file holds. Raises: BrainError naming the file and the rule it breaks."""
    header: dict[str, str] = {}
    for line in text.splitlines():
        match = _HEADER.fullmatch(line.strip())
        if match and match[1] not in header:
            header[match[1]] = match[2].strip()
    missing = [key for key in ("name", "why", "params", "returns") if key not in header or (key != "params" and not header[key])]
    if missing:
        raise _broken(path, f"its header lacks {', '.join(missing)}")
    query = NamedQuery(
        header["name"], header["why"], _params(path, header["params"]),
        tuple(part.strip() for part in header["returns"].split(",")), text, path,
    )  # fmt: skip
    _check(query)
    return query


def run(graph: Graph, name: str, params: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Runs a named query on an open graph and returns its rows.

    Raises: NotFound, UsageError for a missing, unknown or mistyped parameter, GraphError.
    """
    query = load(name)
    return graph.execute(query.text, filled(query, params or {}))


def filled(query: NamedQuery, params: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values of all parameters, defaults included.

    Raises: UsageError; the engine would take a missing one for NULL and answer with no rows (kuzu 0.11.3).
    """
    values = {param.name: param.default for param in query.params if not param.is_required} | dict(params)
    check_params((param.name for param in query.params), values, of=f"The query {query.name}")
    for param in query.params:
        value = values[param.name]
        if not isinstance(value, _TYPES[param.kind]) or (isinstance(value, bool) and param.kind != "flag"):
            raise UsageError(
                f"The query {query.name} takes `{param.name}` as {param.kind}, not {value!r}.",
                f"give {param.name}: {param.why}",
            )
    return values


def check_params(wanted: Iterable[str], given: Mapping[str, Any], *, of: str) -> None:
    """Checks that the names given are the names wanted. Raises: UsageError naming those that are not."""
    names_wanted = set(wanted)
    missing, unknown = sorted(names_wanted - set(given)), sorted(set(given) - names_wanted)
    if missing:
        raise UsageError(f"{of} needs a value for {_listed(missing)}.", " ".join(f"--param {name}=…" for name in missing))
    if unknown:
        known = _listed(sorted(names_wanted)) if names_wanted else "none"
        raise UsageError(f"{of} has no parameter {_listed(unknown)}.", f"leave it out; its parameters: {known}")


def _files() -> dict[str, Path]:
    return {path.stem: path for path in sorted(FOLDER.rglob("*.cypher")) if path.parent.name != WRITING_ROOM}


def _params(path: Path, text: str) -> tuple[Param, ...]:
    if text in ("", "none"):
        return ()
    return tuple(_param(path, part.strip()) for part in text.split(";"))


def _param(path: Path, text: str) -> Param:
    match = _PARAM.fullmatch(text)
    if match is None:
        raise _broken(path, f"a parameter reads {text!r}, not `name kind = default: what it is`")
    kind: Any = match["kind"]
    if match["default"] is None:
        return Param(match["name"], kind, match["why"])
    return Param(match["name"], kind, match["why"], _default(path, kind, match["default"]), is_required=False)


def _default(path: Path, kind: Kind, text: str) -> Json:
    try:
        match kind:
            case "whole":
                return int(text)
            case "real":
                return float(text)
            case "flag":
                return {"true": True, "false": False}[text]
            case "texts":
                return [part for part in text.split() if part != "-"]
            case "text":
                return "" if text == "-" else text
    except (ValueError, KeyError) as error:
        raise _broken(path, f"{text!r} is no {kind} value") from error


def _check(query: NamedQuery) -> None:
    if query.name != query.path.stem:
        raise _broken(query.path, f"its name is {query.name!r}, not the name of the file")
    try:
        statement = guard.check(query.text)
    except UsageError as error:
        raise _broken(query.path, error.message) from error
    words = [token.text.upper() for token in statement.tokens if token.kind == "word"]
    if ("ORDER", "BY") not in pairwise(words):
        raise _broken(query.path, "it has no ORDER BY")
    if statement.tokens[-2].text.upper() != "LIMIT" or statement.tokens[-1].kind not in ("param", "number"):
        raise _broken(query.path, "it does not end in a LIMIT")
    documented = tuple(sorted(param.name for param in query.params))
    if documented != statement.params:
        raise _broken(query.path, f"its header documents {_listed(documented)}, its text uses {_listed(statement.params)}")


def _broken(path: Path, why: str) -> BrainError:
    return BrainError(f"The query file {path} is not usable: {why}.", f'open "{path}" and correct it')


def _listed(found: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in found) or "nothing"
