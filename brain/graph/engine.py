"""The seam to the graph engine: the only file that imports `kuzu` or its fork `ladybug`.

Opens one short-lived handle on a graph file, runs statements, closes everything. No schema, no query
text and no vault knowledge lives here, and no waiting for locks: the caller holds the lock of the vault.

What the engines do (kuzu 0.11.3, ladybug 0.22.0, measured 2026-11) and this file hides:
- An error inside a transaction rolls it back, and what follows commits by itself: `Graph` goes dead
  until the transaction is left.
- A second handle, or a plain read of the file, in one process drops the engine's lock: one handle per
  path, and only `stat` is used on the file.
- A stray `.wal` is replayed into whatever file lies beside it: siblings are removed with the file.
- An empty file opens as an empty graph: here it is unreadable.
- Zones of instants are dropped, not converted: aware instants are bound as naive UTC.
- The engines name internal keys differently (`_id`, `_ID`): rows carry the lower-case form.
"""

from __future__ import annotations

import importlib
import importlib.util  # the engines' Arrow COPY uses it without importing it (both versions above)
import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain.errors import BrainError, IndexBroken, Locked, UsageError
from brain.graph.files import remove_graph

if TYPE_CHECKING:
    import pyarrow as pa

ENGINES: tuple[str, ...] = ("kuzu", "ladybug")
BUFFER_POOL_BYTES = 256 << 20
ADDRESS_SPACE_BYTES: tuple[int, ...] = (1 << 35, 1 << 32, 1 << 30)  # later ones where address space is limited
KEEP_LOG: tuple[str, ...] = ("ladybug",)
"""Engines that replay their log rightly. Kuzu 0.11.3 does not: where nodes were deleted, the replay takes away
relationships and nodes that were not touched, so that its log must be written into the file before it is closed."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INTERNAL_KEYS = {key.upper(): key for key in ("_id", "_label", "_src", "_dst", "_nodes", "_rels")}
_GRAPH_TYPES = ("NODE", "REL")
_ENGINE_ERRORS = (RuntimeError, ValueError, TypeError, IndexError, OverflowError, MemoryError, NotImplementedError)

_open_paths: set[str] = set()
_open_paths_guard = threading.Lock()


class GraphError(BrainError):
    """The engine refused a statement; an open transaction is gone. `reason` is the engine's own text."""

    def __init__(self, message: str, cure: str = "brain doctor; if it goes on, brain rebuild", *, reason: str = "") -> None:
        super().__init__(message, cure)
        self.reason = reason


class GraphUnreadable(IndexBroken):
    """The graph file cannot be opened; move it aside with `files.quarantine` and build it anew."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A result by place: column names, values, and whether rows were left out."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool


class Graph:
    """One open graph. Made by `open_graph`; not for use from several threads at once."""

    def __init__(self, engine: Any, database: Any) -> None:
        self._engine = engine
        self._database = database
        self._connection = engine.Connection(database)
        self._in_transaction = False
        self._failure: GraphError | None = None

    def execute(self, cypher: str, params: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Runs one statement and returns its rows, by column name.

        Raises: GraphError when the engine refuses it, and at every later call until the transaction is left.
        """
        result = self._run(cypher, params)
        try:
            columns = result.get_column_names()
            return [dict(zip(columns, row, strict=True)) for row in _rows_of(result)]
        except _ENGINE_ERRORS as error:
            raise self._failed(error, cypher) from error
        finally:
            result.close()

    def table(self, cypher: str, params: Mapping[str, Any] | None = None, *, rows_max: int) -> Rows:
        """Runs one statement, by the engine's own check, and returns its first `rows_max` rows by place.

        Raises: GraphError.
        """
        bound = _bound(params)
        try:
            statement = self._engine.PreparedStatement(self._open(), cypher, bound)
        except _ENGINE_ERRORS as error:
            raise self._failed(error, cypher) from error
        result = self._run(statement, bound)
        rows: list[tuple[Any, ...]] = []
        try:
            columns = tuple(result.get_column_names())
            for row in _rows_of(result):
                if len(rows) == rows_max:
                    return Rows(columns, tuple(rows), truncated=True)
                rows.append(tuple(row))
        except _ENGINE_ERRORS as error:
            raise self._failed(error, cypher) from error
        finally:
            result.close()
        return Rows(columns, tuple(rows), truncated=False)

    def copy(self, table: str, source: pa.Table | Path) -> None:
        """Loads rows into a table: columns by place, relationships as from-key, to-key, properties.

        Raises: GraphError, UsageError when the name of the table is no plain identifier.
        """
        if not _IDENTIFIER.fullmatch(table):
            raise UsageError(f"{table!r} is not the name of a table.", "brain cypher --schema")
        if isinstance(source, Path):
            self.execute(f"COPY `{table}` FROM {_quoted(os.path.abspath(source))}")
        else:
            self.execute(f"COPY `{table}` FROM $rows", {"rows": source})

    @contextmanager
    def transaction(self) -> Iterator[Graph]:
        """Commits what runs inside when it ends well; else none of it is in the graph.

        Raises: GraphError, also when an error inside was caught and the block went on.
        """
        if self._in_transaction:
            raise GraphError("A transaction is already open on this graph.")
        self.execute("BEGIN TRANSACTION")
        self._in_transaction = True
        try:
            yield self
            if self._failure is not None:
                raise self._failure
            self.execute("COMMIT")
        except BaseException:
            self._failure = None
            self._roll_back()
            raise
        finally:
            self._in_transaction, self._failure = False, None

    def close(self) -> None:
        """Closes connection and database, and with them the engine's lock. Closing twice is fine."""
        connection, self._connection = self._connection, None
        database, self._database = self._database, None
        if connection is not None:
            connection.close()
        if database is not None:
            database.close()

    def _open(self) -> Any:
        if self._connection is None:
            raise GraphError("The graph is closed.")
        if self._failure is not None:
            raise self._failure
        return self._connection

    def _run(self, statement: Any, params: Mapping[str, Any] | None) -> Any:
        connection = self._open()
        try:
            result = connection.execute(statement, _bound(params))
        except _ENGINE_ERRORS as error:
            raise self._failed(error, statement) from error
        if isinstance(result, list):
            for one in result:
                one.close()
            raise self._failed(ValueError("more than one statement"), statement)
        return result

    def _failed(self, error: BaseException, statement: Any) -> GraphError:
        text = statement if isinstance(statement, str) else ""
        failure = GraphError(f"The graph refused a statement: {_first_lines(error)}{_shown(text)}", reason=str(error))
        if self._in_transaction:
            self._failure = failure
        return failure

    def _roll_back(self) -> None:
        """Ends the engine's transaction, which after most errors, but not all, is over already."""
        if self._connection is None:
            return
        try:
            self._connection.execute("ROLLBACK").close()
        except _ENGINE_ERRORS as error:
            if "No active transaction" not in str(error):
                raise GraphError(f"A graph transaction could not be rolled back: {_first_lines(error)}") from error


@contextmanager
def open_graph(
    path: Path, engine: str = "kuzu", *, read_only: bool = False, pool_bytes: int = BUFFER_POOL_BYTES, log_bytes_max: int = 0
) -> Iterator[Graph]:
    """Opens a graph file, making it when it is missing and not `read_only`, and closes it for certain.

    `pool_bytes` is how much of the file may be held in memory: a bulk load needs room for what it writes.
    `log_bytes_max` leaves changes in the log beside the file until they are so many; 0 writes them into the
    file at the end. At 100,000 notes that costs a second and 70 MB for a single changed row (0.11.3).

    Raises: GraphUnreadable when the file cannot be opened, Locked when another program has it open,
    GraphError when this process has it open, UsageError for an unknown or missing engine.
    """
    module = load_engine(engine)
    key = os.path.realpath(path)
    with _claimed(key):
        _check_file(path, read_only=read_only)
        database = _database(module, path, read_only=read_only, pool_bytes=pool_bytes)
        try:
            graph = Graph(module, database)
        except _ENGINE_ERRORS as error:
            database.close()
            raise GraphUnreadable(f"{path} cannot be used: {_first_lines(error)}.") from error
        try:
            if log_bytes_max:
                graph.execute("CALL force_checkpoint_on_close=false")
                graph.execute(f"CALL checkpoint_threshold={int(log_bytes_max)}")
            yield graph
        finally:
            graph.close()


def load_engine(engine: str) -> Any:
    """Returns the engine's module.

    Raises: UsageError when the name is unknown, it is not installed, or this process runs the other
    one: both in one process crash it.
    """
    if engine not in ENGINES:
        raise UsageError(f"There is no graph engine {engine!r}.", f"set `engine` in brain.toml to one of: {', '.join(ENGINES)}")
    other = next((name for name in ENGINES if name != engine and name in sys.modules), None)
    if other is not None:
        raise UsageError(
            f"This process already runs the graph engine {other}; {engine} cannot join it.",
            f"start a new process with BRAIN_ENGINE={engine}",
        )
    try:
        return importlib.import_module(engine)
    except ImportError as error:
        raise UsageError(f"The graph engine {engine} cannot be loaded ({error}).", f"pip install {engine}") from error


def engine_version(engine: str) -> str:
    """Returns the version of an installed engine. Raises: as `load_engine`."""
    return str(load_engine(engine).__version__)


@contextmanager
def _claimed(key: str) -> Iterator[None]:
    with _open_paths_guard:
        if key in _open_paths:
            raise GraphError(f"{key} is already open in this process.", "close the first handle, or run the command again")
        _open_paths.add(key)
    try:
        yield
    finally:
        with _open_paths_guard:
            _open_paths.discard(key)


def _check_file(path: Path, *, read_only: bool) -> None:
    try:
        size = path.stat().st_size
    except FileNotFoundError as error:
        if read_only:
            raise GraphUnreadable(f"There is no graph at {path}.") from error
        remove_graph(path)  # what a lost file left behind would be replayed into the new one
        path.parent.mkdir(parents=True, exist_ok=True)
        return
    if size == 0 or not path.is_file():
        raise GraphUnreadable(f"{path} is not a graph file.")


def _database(module: Any, path: Path, *, read_only: bool, pool_bytes: int) -> Any:
    reason = ""
    for space in ADDRESS_SPACE_BYTES:
        try:
            return module.Database(str(path), buffer_pool_size=pool_bytes, max_db_size=space, read_only=read_only)
        except _ENGINE_ERRORS as error:
            reason = _first_lines(error)
            if "Could not set lock" in reason:
                raise Locked(f"{path} is open in another program.", "close that program, then run the command again") from error
            if "mmap" not in reason.casefold():
                break
    raise GraphUnreadable(f"{path} cannot be opened: {reason}.")


def _rows_of(result: Any) -> Iterator[list[Any]]:
    has_graph_values = [any(word in kind for word in _GRAPH_TYPES) for kind in result.get_column_data_types()]
    while result.has_next():
        row = result.get_next()
        if any(has_graph_values):
            yield [_plain_keys(value) if flag else value for value, flag in zip(row, has_graph_values, strict=True)]
        else:
            yield row


def _plain_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {_INTERNAL_KEYS.get(key, key): _plain_keys(item) for key, item in value.items()}
    return [_plain_keys(item) for item in value] if isinstance(value, list) else value


def _bound(params: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: _bindable(value) for name, value in (params or {}).items()}


def _bindable(value: Any) -> Any:
    if isinstance(value, datetime):
        return value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
    if isinstance(value, dict):
        return {key: _bindable(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_bindable(item) for item in value]
    return value


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _first_lines(error: BaseException) -> str:
    return " ".join(str(error).split())[:400].rstrip(".") or type(error).__name__


def _shown(cypher: str) -> str:
    text = " ".join(cypher.split())
    return f" — in: {text[:120]}" if text else ""
