"""Finding links in text: wikilinks, embeds, Markdown links and images, with exact places. Resolves nothing.

Runs over masked text and cuts `raw` out of the original, so code never yields a link and every offset is
an offset of the file. Malformed links (`[[]]`, `[[|x]]`, one broken over lines, a template's `[[{{x}}]]`)
are no links. Source: CommonMark 0.31 section 6.3 (a link holds no link; brackets in a label nest).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from urllib.parse import unquote

from brain.core.note import LinkForm

# A target holds no brackets; an alias may hold a pair (`[[Paper|[12]]]`).
_WIKI_INNER = r"\[\[([^\[\]|\r\n]*(?:\|(?:[^\[\]\r\n]|\[[^\[\]\r\n]*\])*)?)\]\]"
_WIKI = re.compile(_WIKI_INNER)
_TOKEN = re.compile(rf"\\.|(!?){_WIKI_INNER}|(!?\[)|\](\()?")
_DESTINATION = re.compile(
    r"\([ \t]*(?:<((?:[^<>\\\r\n]|\\.)*)>|((?:[^\s()<>\\]|\\.)(?:[^\s()\\]|\\.)*(?:\((?:[^\s()\\]|\\.)*\)(?:[^\s()\\]|\\.)*)*))"
    r"(?:\s+(?:\"[^\"\r\n]*\"|'[^'\r\n]*'|\([^()\r\n]*\)))?[ \t]*\)"
)
_BLANK_LINE = re.compile(r"\n[ \t>]*\r?\n")
_ALIAS = re.compile(r"\\?\||&#124;")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_PLACEHOLDER = re.compile(r"\{\{.*\}\}|<%.*%>")
_EXTERNAL = re.compile(
    r"[a-z][a-z0-9+.-]*://|//|(?:mailto|tel|sms|data|javascript|file|obsidian|zotero|message|doi|urn|news|about):", re.I
)


@dataclass(frozen=True, slots=True)
class Found:
    """A link at `[start, end)` of the text. `target` has no anchor; both are decoded and trimmed."""

    start: int
    end: int
    form: LinkForm
    target: str
    anchor: str | None
    alias: str | None


class Lines:
    """Line numbers of offsets in one text."""

    def __init__(self, text: str) -> None:
        self._breaks = [match.start() for match in re.finditer("\n", text)]

    def at(self, offset: int) -> int:
        """Returns the 1-based line that holds the character at an offset."""
        return bisect_right(self._breaks, offset - 1) + 1


def find_links(masked: str, text: str, start: int, end: int, chars_max: int) -> list[Found]:
    """Returns the links in `[start, end)` in order; `masked` and `text` are of one length.

    A link longer than `chars_max` characters is left out: it is text that happens to have brackets.
    """
    if masked.find("](", start, end) >= 0:
        found = _all_links(masked, text, start, end, chars_max)
    elif masked.find("[[", start, end) >= 0:
        found = _wikilinks(masked, text, start, end)
    else:
        return []
    return [link for link in found if link.end - link.start <= chars_max]


def is_external(target: str) -> bool:
    """Tells whether a target leads out of the vault (`https:`, `mailto:`, `//host`)."""
    return _EXTERNAL.match(target) is not None


def _wikilinks(masked: str, text: str, start: int, end: int) -> list[Found]:
    """Reads a text without Markdown links. The expression begins with its brackets, which are found far faster than `!?`."""
    found: list[Found] = []
    for match in _WIKI.finditer(masked, start, end):
        opened = match.start()
        before = masked[opened - 1] if opened else ""
        is_embed = before == "!" and opened > start and masked[opened - 2 : opened - 1] != "\\"
        if before != "\\" and (link := _wikilink(text, opened - is_embed, match, 1, is_embed=is_embed)):
            found.append(link)
    return found


def _all_links(masked: str, text: str, start: int, end: int, chars_max: int) -> list[Found]:
    """Scans brackets with a stack. Openers below `closed_off` already hold a link, so they can only be images."""
    found: list[Found] = []
    openers: list[tuple[int, bool]] = []
    closed_off = 0
    at = start
    while token := _TOKEN.search(masked, at, end):
        at = token.end()
        if token[2] is not None:
            if link := _wikilink(text, token.start(), token, 2, is_embed=bool(token[1])):
                found.append(link)
                closed_off = closed_off if link.form == "embed" else len(openers)
        elif token[3] is not None:
            openers.append((token.start(), token[3] == "!["))
        elif token[0][0] == "]" and openers:
            opened, is_image = openers.pop()
            at = token.start() + 1
            is_open = is_image or len(openers) >= closed_off
            closed_off = min(closed_off, len(openers))
            if token[4] is None or not is_open or not _is_label(masked, opened, at, chars_max):
                continue
            target = _DESTINATION.match(masked, at, min(end, at + chars_max))
            if target is None:
                continue
            at = target.end()
            closed_off = closed_off if is_image else len(openers)
            if link := _markdown(text, opened, token.start(), target, is_image):
                found.append(link)
    return sorted(found, key=lambda link: link.start)


def _is_label(masked: str, start: int, end: int, chars_max: int) -> bool:
    return end - start <= chars_max and not _BLANK_LINE.search(masked, start, end)


def _wikilink(text: str, start: int, match: re.Match[str], inner: int, *, is_embed: bool) -> Found | None:
    target, anchor, alias = split_wikilink(text[match.start(inner) : match.end(inner)])
    if (not target and not anchor) or _is_placeholder(target):
        return None
    return Found(start, match.end(), "embed" if is_embed else "wikilink", target, anchor, alias)


def _is_placeholder(target: str) -> bool:
    return ("{{" in target or "<%" in target) and _PLACEHOLDER.search(target) is not None


def split_wikilink(inner: str) -> tuple[str, str | None, str | None]:
    """Splits what stands between the brackets into target, anchor and alias, each trimmed."""
    parts = _ALIAS.split(inner, maxsplit=1) if "|" in inner or "&" in inner else [inner]
    target, _, anchor = parts[0].partition("#")
    alias = parts[1].strip() if len(parts) == 2 else ""
    return target.strip(), anchor.strip() or None, alias or None


def _markdown(text: str, opened: int, closed: int, target: re.Match[str], is_image: bool) -> Found | None:
    group = 1 if target[1] is not None else 2
    written = _ESCAPED.sub(r"\1", text[target.start(group) : target.end(group)]).strip()
    label = text[opened + (2 if is_image else 1) : closed].strip() or None
    if is_external(written):
        name: str = written
        anchor: str | None = None
    else:
        path, _, fragment = written.partition("#")
        name, anchor = _decoded(path), _decoded(fragment) or None
    if (not name and not anchor) or _is_placeholder(name):
        return None
    return Found(opened, target.end(), "image" if is_image else "markdown", name, anchor, label)


def _decoded(text: str) -> str:
    return unquote(text, errors="replace") if "%" in text else text
