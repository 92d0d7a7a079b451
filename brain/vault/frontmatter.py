"""The frontmatter block of a note: where it is, what it says, and changing one key of it as text.

A block stands at the very start of the file (after a BOM, if any), between two lines of three dashes.
Reading never raises: what cannot be used is named in a problem and the whole file counts as body.
Writing touches the lines of the one key only and is checked by reading the result; it never serialises
a block anew. The YAML itself is read by `properties`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from brain.config import Limits
from brain.errors import BrainError, UsageError
from brain.vault.properties import BadBlock, Block, Entry, plain_value, read_block

FieldValue = str | int | float | bool | tuple[str, ...]

_OPEN = re.compile(r"\ufeff?---[ \t]*(\r?\n)")
_CLOSE = re.compile(r"^---[ \t]*\r?$", re.M)
_KEY_LINE = re.compile(r"\s*[\w\"'][^\n:]{0,80}:(?:[ \t\r\n]|\Z)")
_NEW_KEY = re.compile(r"[^\W\d][\w-]*(?: [\w-]+)*")
_SAFE_PLAIN = re.compile(
    r"[^\W\d_](?:[\w ./@+-]*[\w./+])?|\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?"
)
_YAML_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null"})


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a block cannot be used as it is; `line` is 1-based in the file."""

    code: str
    message: str
    line: int


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """A block found at `[start, end)` of the text, fences included, with its YAML at `[yaml_start, yaml_end)`.

    `block` is None when there is no usable one; then `problem` says why, or is None when the file simply
    has no frontmatter. Without a usable block `end` is where the text starts (after a BOM).
    """

    start: int
    end: int
    yaml_start: int
    yaml_end: int
    block: Block | None
    problem: Problem | None


def read_frontmatter(text: str, limits: Limits) -> Frontmatter:
    """Finds and reads the block of a decoded file; never raises."""
    body = 1 if text.startswith("\ufeff") else 0
    opened = _OPEN.match(text)
    if opened is None:
        return _none(body, None)
    inside = opened.end()
    closed = _CLOSE.search(text, inside)
    if closed is None:
        is_meant = _KEY_LINE.match(text, inside) is not None
        message = "The frontmatter is opened with `---` and never closed."
        return _none(body, Problem("frontmatter-unterminated", message, 1) if is_meant else None)
    if closed.start() - inside > limits.frontmatter_bytes_max:
        message = f"The frontmatter is larger than {limits.frontmatter_bytes_max} bytes (limits.frontmatter_bytes_max)."
        return _none(body, Problem("frontmatter-too-large", message, 1))
    try:
        block = read_block(text[inside : closed.start()], limits.yaml_nodes_max)
    except BadBlock as bad:
        if bad.code == "frontmatter-not-mapping" and bad.reason.startswith("it is plain"):
            return _none(body, None)  # a rule, some prose, another rule
        return _none(body, Problem(bad.code, f"The frontmatter cannot be used: {bad.reason}.", bad.line + 1))
    end = closed.end()
    end = end + 1 if text[end : end + 1] == "\n" else end
    return Frontmatter(body, end, inside, closed.start(), block, None)


def set_field(
    text: str, key: str, value: FieldValue | None, *, where: str = "This note", limits: Limits | None = None
) -> str:
    """Returns the text with one key set; only the lines of that key differ. None removes the key.

    The first occurrence is replaced and later ones are removed; a missing key is added at the end of the
    block, a missing block at the start of the file. `where` names the note in messages.

    Raises: BrainError when the frontmatter is unusable or the change cannot be made without touching more.
    """
    limits = limits or Limits()
    if value is None:
        return remove_field(text, key, where=where, limits=limits)
    found = _usable(text, where, limits)
    eol = line_break_of(text)
    if found.block is None:
        _check_new_key(key)
        return f"{text[: found.start]}---{eol}{key}: {_flow(value)}{eol}---{eol}{text[found.start :]}"
    entries = found.block.find(key)
    if entries:
        changed = _replaced(text, found, entries, value, eol)
    elif found.block.flow:
        raise _refusal(where, "is one `{…}` value")
    else:
        _check_new_key(key)
        changed = f"{text[: found.yaml_end]}{key}: {_flow(value)}{eol}{text[found.yaml_end :]}"
    wanted = list(value) if isinstance(value, tuple) else value
    _verify(found.block, changed, entries[0].key if entries else key, wanted, where, limits)
    return changed


def remove_field(text: str, key: str, *, where: str = "This note", limits: Limits | None = None) -> str:
    """Returns the text without any line of the key; the text itself when it has none.

    Raises: BrainError when the frontmatter is unusable or the change cannot be made without touching more.
    """
    limits = limits or Limits()
    found = _usable(text, where, limits)
    entries = found.block.find(key) if found.block else ()
    if found.block is None or not entries:
        return text
    if found.block.flow:
        raise _refusal(where, "is one `{…}` value")
    changed = text
    for entry in reversed(entries):
        changed = _without(changed, found.yaml_start, entry)
    _verify(found.block, changed, entries[0].key, None, where, limits)
    return changed


def line_break_of(text: str) -> str:
    """Returns the line break a text uses, judged by its first one; `\\n` when it has none."""
    newline = text.find("\n")
    return "\r\n" if newline > 0 and text[newline - 1] == "\r" else "\n"


def _none(body: int, problem: Problem | None) -> Frontmatter:
    return Frontmatter(body, body, body, body, None, problem)


def _usable(text: str, where: str, limits: Limits) -> Frontmatter:
    found = read_frontmatter(text, limits)
    if found.problem is not None:
        message = f"{where} was left alone, because its frontmatter cannot be changed safely (line {found.problem.line}): {found.problem.message}"
        raise BrainError(message, "correct the block between the two `---` lines, then run the command again")
    return found


def _refusal(where: str, why: str) -> BrainError:
    message = f"{where} was left alone: its frontmatter {why}, so one key cannot be changed without touching others."
    return BrainError(message, "write the block as plain `key: value` lines, then run the command again")


def _check_new_key(key: str) -> None:
    if not _NEW_KEY.fullmatch(key) or key.casefold() in _YAML_WORDS:
        raise UsageError(
            f"`{key}` cannot be the name of a property.", "use letters, digits, `-`, `_` and single spaces"
        )


def _replaced(text: str, found: Frontmatter, entries: tuple[Entry, ...], value: FieldValue, eol: str) -> str:
    changed = text
    for entry in reversed(entries[1:]):
        changed = _without(changed, found.yaml_start, entry)
    entry = entries[0]
    start, end = found.yaml_start + entry.start, found.yaml_start + entry.end
    colon = text.index(":", found.yaml_start + entry.key_end) + 1
    if entry.style == "block" and isinstance(value, tuple) and value and text[start] == "-":
        lead = text[text.rfind("\n", 0, start) + 1 : start]
        written = f"{eol}{lead}".join(f"- {_scalar(item)}" for item in value)
        return changed[:start] + written + changed[end:]
    if "\n" not in text[colon:start]:
        gap = "" if text[colon:start].strip(" \t") == "" and start > colon else " "
        return changed[:start] + gap + _flow(value) + changed[end:]
    value_line = text.rfind("\n", 0, start) + 1
    kept = changed[colon : value_line - 1].rstrip("\r")
    return f"{changed[:colon]} {_flow(value)}{kept}{changed[_content_end(text, end, found) :]}"


def _content_end(text: str, end: int, found: Frontmatter) -> int:
    """Returns where the line of a value's last character ends, without its line break."""
    stop = text.find("\n", end, found.yaml_end)
    stop = found.yaml_end - 1 if stop < 0 else stop
    return stop - 1 if text[stop - 1] == "\r" else stop


def _without(text: str, yaml_start: int, entry: Entry) -> str:
    start = text.rfind("\n", 0, yaml_start + entry.key_start) + 1
    end = text.index("\n", max(yaml_start + entry.end, yaml_start + entry.key_end)) + 1
    return text[:start] + text[end:]


def _verify(before: Block, changed: str, key: str, wanted: object, where: str, limits: Limits) -> None:
    """Reads the result: the key must have its value and every other key the one it had."""
    after = read_frontmatter(changed, limits)
    had = [(entry.key, entry.value) for entry in before.entries if entry.key != key]
    has = [(entry.key, entry.value) for entry in after.block.entries if entry.key != key] if after.block else None
    now = [entry.value for entry in after.block.entries if entry.key == key] if after.block else None
    if had != has or now != ([] if wanted is None else [wanted]):
        raise _refusal(where, "is written in a way that ties its keys together")


def _flow(value: FieldValue) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_scalar(item) for item in value) + "]"
    return _scalar(value)


def _scalar(value: str | int | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if _SAFE_PLAIN.fullmatch(value) and value.casefold() not in _YAML_WORDS and plain_value(value) == value:
        return value
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise UsageError("The value holds bytes that are not text.", "give it as UTF-8 text")
    quoted = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() or ord(c) > 0xFFFF else f"\\u{ord(c):04x}" for c in quoted)
