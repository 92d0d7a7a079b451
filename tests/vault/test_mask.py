"""Masking: code and comments go, everything else stays, and no character moves."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from brain.vault.mask import FILLER, mask

MARKER = re.compile(r"\[\[L\d+\]\]")
CONSTRUCTS = (
    "`",
    "``",
    "```\n",
    "~~~\n",
    "%%",
    "<!--",
    "-->",
    "$$",
    "\\",
    "[[",
    "]]",
    "\n\n",
    "> ",
    "- ",
    "    ",
    "\t",
    "\r\n",
    "<pre>",
    "a",
)


def left(text: str) -> str:
    """Returns the text with filler shown as a dot."""
    return mask(text).replace(FILLER, "·")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a `x` b", "a ··· b"),
        ("``a ` b`` c", "········· c"),
        ("`open [[x]]", "`open [[x]]"),
        ("`a\n\nb`", "`a\n\nb`"),
        ("\\`[[x]]`", "\\`[[x]]`"),
        ("```\n[[x]]\n```\ny", "···\n·····\n···\ny"),
        ("```\r\n[[x]]\r\n```\r\ny", "···\r\n·····\r\n···\r\ny"),
        ("~~~\n```\nx\n~~~\ny", "···\n···\n·\n···\ny"),
        ("```\nnever closed", "···\n············"),
        ("> ```\n> x\ny", "> ···\n···\ny"),
        ("- a\n  ```\n  x\n  ```\n  y", "- a\n  ···\n···\n·····\n  y"),
        ("a\n\n    code", "a\n\n········"),
        ("a\n    text", "a\n    text"),
        ("# Outline\n\t- [[x]]", "# Outline\n\t- [[x]]"),
        ("[^1]: note\n\n    [[x]]", "[^1]: note\n\n    [[x]]"),
        ("a %% hidden %% b", "a ············ b"),
        ("%%\na\n\nb\n%%\nc", "··\n·\n\n·\n··\nc"),
        ("%%\nto the end", "··\n··········"),
        ("100%% sure\n\nof 50%% more", "100%% sure\n\nof 50%% more"),
        ("a <!-- x --> b", "a ·········· b"),
        ("<!--\na\n\nb --> c", "····\n·\n\n····· c"),
        ("<!-- to the end\n\n[[x]]", "···············\n\n·····"),
        ("a <!-- open\n\n[[x]] -->", "a <!-- open\n\n[[x]] -->"),
        ("$$\n[[a]]\n$$", "··\n·····\n··"),
        ("5$ and 6$", "5$ and 6$"),
        ("<pre>\n[[x]]\n</pre> y", "·····\n·····\n······ y"),
        ("<div>[[x]]</div>", "<div>[[x]]</div>"),
        ("`%%` [[x]] `%%`", "···· [[x]] ····"),
        ("%%\n```\n%%\n[[x]]", "··\n···\n··\n[[x]]"),
    ],
)
def test_code_and_comments_are_blanked_and_nothing_else(text: str, expected: str) -> None:
    assert left(text) == expected


def test_everything_before_the_start_is_filler() -> None:
    assert mask("---\na: 1\n---\nb", 13) == f"{FILLER * 3}\n{FILLER * 4}\n{FILLER * 3}\nb"


@given(st.lists(st.sampled_from(CONSTRUCTS), max_size=40).map("".join))
def test_a_mask_keeps_length_and_line_breaks_and_changes_a_character_to_filler_only(text: str) -> None:
    masked = mask(text)
    assert len(masked) == len(text)
    assert all(new in (old, FILLER) for old, new in zip(text, masked, strict=True))
    assert [i for i, c in enumerate(text) if c in "\r\n"] == [i for i, c in enumerate(masked) if c in "\r\n"]


# Lines of mixed constructs; `@` becomes a link with a number of its own.
PREFIXES = ("", "", "", "> ", "- ", "  ", "    ", "1. ", "\t", "> - ", "- > ")
BODIES = (
    "", "", "text", "text @", "@", "`@`", "``@ ` @``", "`@", "@`", "``", "`", "```", "```py", "~~~", "````", "~~~~",
    "# h @", "`a\\` @`", "\\`@`", "- @", "---", "x `@` y", "* @", "* * *",
)  # fmt: skip
LINES = st.tuples(st.sampled_from(PREFIXES), st.sampled_from(BODIES)).map("".join)
INDENTED_ITEM = re.compile(r"^(?:\t| {4})[ \t>]*(?:[-*+]|\d+\.)(?: |$)", re.M)


@given(st.lists(LINES, min_size=1, max_size=9))
def test_what_is_code_agrees_with_markdown_it(lines: list[str]) -> None:
    """Lines set in by four that are list items are left out: here they are outlines, there they are code."""
    numbers = iter(range(1, 100))
    text = re.sub("@", lambda _: f"[[L{next(numbers)}]]", "\n".join(lines)) + "\n"
    assume(not INDENTED_ITEM.search(text))
    theirs = set(MARKER.findall("\n".join(code_in(MarkdownIt("commonmark").parse(text)))))
    ours = set(MARKER.findall(text)) - set(MARKER.findall(mask(text)))
    assert ours == theirs


def code_in(tokens: list[Token]) -> list[str]:
    """Returns all code of a parsed document, info strings of fences included."""
    found = []
    for token in tokens:
        if token.type in ("fence", "code_block", "code_inline"):
            found += [token.content, token.info]
        found += code_in(token.children or [])
    return found
