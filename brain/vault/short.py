"""A journal record of which only a short part is in memory, and the line that holds the rest. Reads only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from brain.errors import BrainError

FILE_KEYS = ("path", "before_sha256", "after_sha256")
LEFT_OUT = ("files", "provenance")
"""What an intent holds of whole notes and quotes; of its files `FILE_KEYS` are kept."""


class Line(NamedTuple):
    """Where a record lies: `length` bytes from byte `start` of a journal file on; `item` is its sign."""

    path: Path
    start: int
    length: int
    item: str

    def read(self) -> dict[str, Any]:
        """Reads the whole record. Raises: BrainError when the line is another one by now."""
        try:
            with open(self.path, "rb") as file:
                file.seek(self.start)
                record = json.loads(file.read(self.length))
        except (OSError, ValueError, RecursionError):
            record = None
        if not isinstance(record, dict) or record.get("item") != self.item:
            raise BrainError(f"The journal changed while it was read ({self.path.name}).", "run the command again")
        return record


def shortened(record: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the part of an intent that is kept; the order of its files is that of the whole."""
    files = [{key: file[key] for key in FILE_KEYS} for file in record["files"]]
    return {**{key: value for key, value in record.items() if key not in LEFT_OUT}, "files": files}


def restored(short: dict[str, Any], line: Line) -> Short:
    """Returns an intent of which the rest is read when it is asked for."""
    short["files"] = [Short(file, line, number) for number, file in enumerate(short["files"])]
    return Short(short, line)


class Short(dict[str, Any]):
    """An intent, or what it says of its `file`-th file: like the whole dictionary, and read from its line once that is needed."""

    __slots__ = ("_file", "_line")

    def __init__(self, short: Mapping[str, Any] | Iterable[tuple[str, Any]], line: Line | None = None, file: int | None = None) -> None:
        super().__init__(short)
        self._line = line
        self._file = file

    def whole(self) -> dict[str, Any]:
        """Returns the whole as a plain dictionary. Raises: BrainError when the journal is another one by now."""
        if self._line is not None:
            record = self._line.read()
            for key, value in (record if self._file is None else record["files"][self._file]).items():
                super().setdefault(key, value)
            self._line = None
        return dict(super().items())

    def __missing__(self, key: str) -> Any:
        if self._line is None:
            raise KeyError(key)
        return self.whole()[key]

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or key in self.whole()

    def get(self, key: str, default: Any = None) -> Any:
        """Returns the value of a key, or the default."""
        try:
            return self[key]
        except KeyError:
            return default

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole())

    def __len__(self) -> int:
        return len(self.whole())

    def __eq__(self, other: object) -> bool:
        return self.whole() == other

    def __ne__(self, other: object) -> bool:
        return self.whole() != other

    __hash__ = None

    def __repr__(self) -> str:
        return repr(self.whole())

    def keys(self) -> Any:
        """Returns all keys."""
        return self.whole().keys()

    def values(self) -> Any:
        """Returns all values."""
        return self.whole().values()

    def items(self) -> Any:
        """Returns all keys with their values."""
        return self.whole().items()
