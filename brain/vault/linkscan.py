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
_WIKI = re.compile(rf"(?<!\\)(!?){_WIKI_INNER}")
_TOKEN = re.compile(rf"\\.|(!?){_WIKI_INNER}|(!?\[)|\](\()?")
_DESTINATION = re.compile(
    r"\([ \t]*(?:<((?:[^<>\\\r\n]|\\.)*)>|((?:[^\s()<>\\]|\\.)(?:[^\s()\\]|\\.)*(?:\((?:[^\s()\\]|\\.)*\)(?:[^\s()\\]|\\.)*)*))"
    r"(?:\s+(?:\"[^\"\r\n]*\"|'[^'\r\n]*'|\([^()\r\n]*\)))?[ \t]*\)"
)
_ALIAS = re.compile(r"\\?\||&#124;")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_PLACEHOLDER = re.compile(r"\{\{.*\}\}|<%.*%>")
_EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*://|//|(?:mailto|tel|sms|data|javascript|file|obsidian|zotero|message|doi|urn|news|about):", re.I)


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
        found = _all_links(masked, text, start, end)
    elif masked.find("[[", start, end) >= 0:
        found = [_wikilink(text, match) for match in _WIKI.finditer(masked, start, end)]
    else:
        return []
    return [link for link in found if link is not None and link.end - link.start <= chars_max]


def is_external(target: str) -> bool:
    """Tells whether a target leads out of the vault (`https:`, `mailto:`, `//host`)."""
    return _EXTERNAL.match(target) is not None


def _all_links(masked: str, text: str, start: int, end: int) -> list[Found | None]:
    found: list[Found | None] = []
    openers: list[tuple[int, bool]] = []
    at = start
    while token := _TOKEN.search(masked, at, end):
        at = token.end()
        if token[2] is not None:
            found.append(link := _wikilink(text, token, shift=True))
            if link is not None and link.form == "wikilink":
                openers = [opener for opener in openers if opener[1]]
        elif token[3] is not None:
            openers.append((token.start(), token[3] == "!["))
        elif token[0].startswith("]") and openers:
            opened, is_image = openers.pop()
            target = _DESTINATION.match(masked, token.end() - 1, end) if token[4] else None
            if target is None:
                at = token.start() + 1
                continue
            found.append(_markdown(text, opened, token.start(), target, is_image))
            at = target.end()
            if not is_image:
                openers = [opener for opener in openers if opener[1]]
    return sorted((link for link in found if link is not None), key=lambda link: link.start)  # type: ignore[return-value]


def _wikilink(text: str, match: re.Match[str], *, shift: bool = False) -> Found | None:
    del shift
    inner = text[match.start(2) : match.end(2)]
    target, anchor, alias = split_wikilink(inner)
    if (not target and not anchor) or _PLACEHOLDER.search(target):
        return None
    return Found(match.start(), match.end(), "embed" if match[1] else "wikilink", target, anchor, alias)


def split_wikilink(inner: str) -> tuple[str, str | None, str | None]:
    """Splits what stands between the brackets into target, anchor and alias, each trimmed."""
    parts = _ALIAS.split(inner, maxsplit=1)
    target, _, anchor = parts[0].partition("#")
    alias = parts[1].strip() if len(parts) == 2 else ""
    return target.strip(), anchor.strip() or None, alias or None


def _markdown(text: str, opened: int, closed: int, target: re.Match[str], is_image: bool) -> Found | None:
    group = 1 if target[1] is not None else 2
    written = _ESCAPED.sub(r"\1", text[target.start(group) : target.end(group)]).strip()
    label = text[opened + (2 if is_image else 1) : closed].strip() or None
    if is_external(written):
        name, anchor = written, None
    else:
        path, _, fragment = written.partition("#")
        name, anchor = _decoded(path), _decoded(fragment) or None
    if (not name and not anchor) or _PLACEHOLDER.search(name):
        return None
    return Found(opened, target.end(), "image" if is_image else "markdown", name, anchor, label)


def _decoded(text: str) -> str:
    return unquote(text, errors="replace") if "%" in text else text
