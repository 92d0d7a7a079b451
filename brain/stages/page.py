"""HTML → plain text with its headings and lists. Pure; standard library only.

A page is data from a stranger: no link, script, style or form of it comes along, only its words.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

_SILENT = frozenset({"script", "style", "noscript", "template", "svg", "math", "iframe", "object", "select", "textarea", "nav", "form"})
_BLOCK = frozenset({
    "address", "article", "aside", "blockquote", "body", "br", "dd", "details", "div", "dl", "dt", "figcaption", "figure", "footer",
    "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section", "summary", "table", "td", "th",
    "tr", "ul",
})  # fmt: skip
_HEADING = re.compile(r"h([1-6])")


def text_of_html(html: str) -> tuple[str | None, str]:
    """Returns the title of a page, None when it has none, and its words."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    title = " ".join("".join(reader.title).split()) or None
    lines = (" ".join(line.split()) for line in "".join(reader.words).split("\n"))
    return title, re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title: list[str] = []
        self.words: list[str] = []
        self._silent: list[str] = []
        self._is_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the parser's signature
        if self._silent or tag in _SILENT:
            if tag in _SILENT:
                self._silent.append(tag)
            return
        if tag == "title" and not self.title:
            self._is_title = True
        if tag in _BLOCK:
            self.words.append("\n" if tag in ("li", "br", "tr", "dt", "dd") else "\n\n")
        if heading := _HEADING.fullmatch(tag):
            self.words.append("#" * int(heading[1]) + " ")
        elif tag == "li":
            self.words.append("- ")
        elif tag in ("td", "th"):
            self.words[-1] = " "

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            if tag in self._silent:
                del self._silent[self._silent.index(tag) :]
            return
        if tag == "title":
            self._is_title = False
        elif tag in _BLOCK and tag not in ("li", "br", "td", "th", "tr", "dt", "dd"):
            self.words.append("\n\n")

    def handle_data(self, data: str) -> None:
        if self._is_title:
            self.title.append(data)
        elif not self._silent:
            self.words.append(data.replace("\r", " ").replace("\n", " "))
