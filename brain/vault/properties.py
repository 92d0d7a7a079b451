"""A YAML block as a person meant it: JSON-safe values, positions, no surprises. Knows no file, no fences.

YAML 1.1 would read `NO` as false, `12:30` as 750, `01234` as 668, `1.10` as 1.1 and a date as an object.
Here a plain scalar is a bool, a number or null only when writing the value back gives the same text;
everything else stays the text that was typed. `[[Name]]` without quotes is that text too, not a list of a
list. Nothing is constructed but None, bool, int, float, str, list and dict; tags are ignored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from brain.core.note import Json

DEPTH_MAX = 32
INTEGER_DIGITS_MAX = 15
"""Longer numbers are identifiers; as floats elsewhere they would lose digits."""

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?")
_WORDS: dict[str, Json] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class BadBlock(Exception):
    """The text is not a usable block: `reason` says why, `line` is 1-based within the block."""

    def __init__(self, code: str, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.line = line


@dataclass(frozen=True, slots=True)
class Scalar:
    """One scalar as it stands: `text` is its value, `[start, end)` its place in the block, quotes included."""

    text: str
    start: int
    end: int
    quoted: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One top-level `key: value`. `end` is where the value's last character stands, `style` how it is written."""

    key: str
    key_start: int
    key_end: int
    start: int
    end: int
    style: str
    """`scalar`, `block scalar`, `flow` or `block`."""
    value: Json
    scalars: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """All entries in the order written, doubled keys included."""

    entries: tuple[Entry, ...]
    flow: bool

    def find(self, key: str) -> tuple[Entry, ...]:
        """Returns the entries of a key: spelt exactly so, else but for letter case."""
        exact = [entry for entry in self.entries if entry.key == key]
        if not exact:
            folded = key.casefold()
            exact = [entry for entry in self.entries if entry.key.casefold() == folded]
        return tuple(exact)

    def last(self, *keys: str) -> Entry | None:
        """Returns the entry that counts (YAML: the last one) for the first of the keys that is there."""
        return next((found[-1] for key in keys if (found := self.find(key))), None)


NO_BLOCK = Block((), flow=False)


def read_block(text: str, nodes_max: int) -> Block:
    """Reads the YAML between two fences.

    Raises: BadBlock when it does not parse, is not a mapping, or unfolds to more than `nodes_max` nodes.
    """
    clean = text if text.isascii() else _SURROGATE.sub("\ufffd", text)
    root = _nodes(clean)
    if root is None or (root.id == "scalar" and root.value == "" and not root.style):
        return NO_BLOCK
    if root.id != "mapping":
        kind = "a list" if root.id == "sequence" else "plain text"
        raise BadBlock("frontmatter-not-mapping", f"it is {kind}, not `key: value` lines")
    reader = _Reader(clean, nodes_max)
    return Block(tuple(reader.entry(key, value) for key, value in root.value), flow=bool(root.flow_style))


def _nodes(text: str) -> Any:
    import yaml  # here, because every command reads notes' bytes and few read their YAML
    from frontmatter.default_handlers import YAMLHandler

    try:
        return YAMLHandler().load(text, Loader=_node_loader())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read as YAML"
        raise BadBlock("frontmatter-invalid", str(problem), (mark.line + 1) if mark is not None else 1) from error
    except (UnicodeError, RecursionError) as error:
        raise BadBlock("frontmatter-invalid", "it cannot be read as YAML") from error


@cache
def _node_loader() -> type:
    """Makes a loader that stops at the node tree, where the text of each scalar and its place still are."""
    import yaml

    parent: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return type("NodeLoader", (parent,), {"get_single_data": lambda self: self.get_single_node()})


class _Reader:
    def __init__(self, text: str, nodes_max: int) -> None:
        self._text = text
        self._nodes_left = nodes_max

    def entry(self, key: Any, value: Any) -> Entry:
        scalars: list[Scalar] = []
        data = self._value(value, 0, scalars)
        style = _style(value)
        start, end = value.start_mark.index, value.end_mark.index
        if style in ("block", "block scalar"):
            end = self._last_content(value, start, end)
        return Entry(self._key(key), key.start_mark.index, key.end_mark.index, start, end, style, data, tuple(scalars))

    def _key(self, node: Any) -> str:
        if node.id == "scalar":
            return str(node.value)
        return self._source(node)

    def _source(self, node: Any) -> str:
        return self._text[node.start_mark.index : node.end_mark.index]

    def _last_content(self, node: Any, start: int, end: int) -> int:
        """Finds the end of a block value: the tokenizer counts the blank lines and comments after it too."""
        if node.id == "scalar":
            return start + len(self._text[start:end].rstrip())
        last: Any = node
        while last.id != "scalar" and last.value and not last.flow_style:
            last = last.value[-1]
            last = last[1] if isinstance(last, tuple) else last
            if last.start_mark.index < start:  # an alias: its node stands elsewhere
                return start + len(self._text[start:end].rstrip())
        if last.id == "scalar" and last.style in ("|", ">"):
            return start + len(self._text[start : last.end_mark.index].rstrip())
        return int(last.end_mark.index)

    def _value(self, node: Any, depth: int, scalars: list[Scalar]) -> Json:
        self._nodes_left -= 1
        if self._nodes_left < 0 or depth > DEPTH_MAX:
            raise BadBlock("frontmatter-too-complex", "it unfolds to too many values")
        if node.id == "scalar":
            return self._scalar(node, scalars)
        if node.id == "sequence":
            if self._is_bare_link(node) or _is_template(node):
                return self._as_text(node, scalars)
            return [self._value(item, depth + 1, scalars) for item in node.value]
        if _is_template(node):
            return self._as_text(node, scalars)
        return {self._key(key): self._value(value, depth + 1, scalars) for key, value in node.value}

    def _scalar(self, node: Any, scalars: list[Scalar]) -> Json:
        text = str(node.value)
        scalars.append(Scalar(text, node.start_mark.index, node.end_mark.index, quoted=node.style in ("'", '"')))
        return text if node.style else plain_value(text)

    def _as_text(self, node: Any, scalars: list[Scalar]) -> str:
        text = self._source(node)
        scalars.append(Scalar(text, node.start_mark.index, node.end_mark.index, quoted=False))
        return text

    def _is_bare_link(self, node: Any) -> bool:
        if not node.flow_style or len(node.value) != 1 or node.value[0].id != "sequence":
            return False
        inner = node.value[0]
        words = [item for item in inner.value if item.id == "scalar" and isinstance(plain_value(item.value), str)]
        return bool(
            inner.flow_style and words and len(words) == len(inner.value) and self._source(node).startswith("[[")
        )


def _style(node: Any) -> str:
    if node.id == "scalar":
        return "block scalar" if node.style in ("|", ">") else "scalar"
    return "flow" if node.flow_style else "block"


def plain_value(text: str) -> Json:
    """Returns what an unquoted scalar means: null, bool, a number that reads back the same, or its text."""
    if text in _WORDS:
        return _WORDS[text]
    match = _NUMBER.fullmatch(text)
    if match is None or not text.isascii():
        return text
    if match[1]:
        number = float(text)
        return number if repr(number) == text else text
    return int(text) if len(text) <= INTEGER_DIGITS_MAX and text != "-0" else text


def _is_template(node: Any) -> bool:
    """Tells whether a value is a placeholder such as `{{title}}`, which YAML takes for a nested mapping."""
    return bool(node.flow_style and node.value and isinstance(node.value[0], tuple) and node.value[0][0].id != "scalar")
