"""Parsing: a value for every text, exact places, and what each form of Markdown means."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.config import Limits
from brain.core.note import Link, Note
from brain.vault.parse import decode, encode, parse_note

LIMITS = Limits()


def note(text: str, path: str = "Folder/Name.md") -> Note:
    """Parses a text with the limits of a fresh vault."""
    return parse_note(path, text, LIMITS)


def links(text: str) -> list[tuple[str, str | None, str | None, str]]:
    """Returns target, anchor, alias and form of each link."""
    return [(link.target, link.anchor, link.alias, link.form) for link in note(text).links]


def only_link(text: str) -> Link:
    """Returns the one link of a text."""
    (found,) = note(text).links
    return found


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Given\n---\n# Heading", "Given"),
        ("---\ntitle: 2031-05-26\n---\n", "2031-05-26"),
        ("---\ntitle: 1.10\n---\n", "1.10"),
        ("---\ntitle:\n---\n# Heading", "Heading"),
        ("---\ntitle: [a]\n---\n# Heading", "Heading"),
        ("# First `code` #\n", "First `code`"),
        ("\n \n# Heading\n# Other\n", "Heading"),
        ("---\nx: 1\n---\n\n# Heading\n", "Heading"),
        ("\ufeff# Heading\n", "Heading"),
        ("%% a plan %%\n<!-- of\nmine --> <!---->\n\n  # Heading\n", "Heading"),
        ("Set\n===\n", "Set"),
        ("## Second\n# First\n", "Name"),
        ("Some words.\n\n# Clippings\n", "Name"),
        ("---\ntitle: Given\n---\nSome words.\n\n# Clippings\n", "Given"),
        ("```\ncode\n```\n# Heading\n", "Name"),
        ("%% no end\n# Heading\n", "Name"),
        ("#\n# Heading\n", "Name"),
        ("```\n# code\n```\n", "Name"),
        ("", "Name"),
    ],
)
def test_the_title_is_the_property_then_the_heading_that_opens_the_note_then_the_file_name(text: str, title: str) -> None:
    assert note(text).title == title


@pytest.mark.parametrize(
    ("block", "kind", "status"),
    [
        ("type: entity\nkind: person", "person", "active"),
        ("kind: Company", "organization", "active"),
        ("type: entity\nentity: project", "project", "active"),
        ("type: entity\nentity: Ada", "note", "active"),
        ("type: decision", "decision", "active"),
        ("type: session-episode", "episode", "active"),
        ("type: session_capture", "episode", "active"),
        ("type: whatever", "note", "active"),
        ("kind: whatever\ntype: person", "person", "active"),
        ("Status: Stale", "note", "stale"),
        ("status: doing", "note", "active"),
        ("superseded_by: \"[[New]]\"", "note", "superseded"),
        ("superseded_by: \"[[New]]\"\nstatus: active", "note", "active"),
        ("type: [a, b]", "note", "active"),
    ],
)  # fmt: skip
def test_kind_and_status_come_from_closed_lists(block: str, kind: str, status: str) -> None:
    found = note(f"---\n{block}\n---\n")
    assert (found.kind, found.status) == (kind, status)


@pytest.mark.parametrize(
    ("block", "aliases"),
    [
        ("aliases: [Amy Gray, Mandy]", ("Amy Gray", "Mandy")),
        ("aliases:\n  - Pier \n  - 'Bo''s'", ("Pier", "Bo's")),
        ("alias: Dock", ("Dock",)),
        ("aliases: One, Two", ("One", "Two")),
        ('aliases: "Smith, John"', ("Smith, John",)),
        ("aliases: [2031-01-01, 1.0, true]", ("2031-01-01", "1.0", "true")),
        ("aliases:", ()),
        ("aliases: [a, A, null]", ("a",)),
        ("Aliases: x\nalias: y", ("x", "y")),
    ],
)
def test_aliases_are_lists_or_texts_as_typed(block: str, aliases: tuple[str, ...]) -> None:
    assert note(f"---\n{block}\n---\n").aliases == aliases


def test_tags_come_from_the_block_and_from_the_text() -> None:
    text = (
        "---\ntags: [2031-10-24, 1.0, true, '#ok', nested/tag]\n---\n#one (#not) #two/three, x#no #123 #y_1982 #ключ #🔥 \\#no [[N #no]] `#no`\n"
        "#OK https://a.b/#no\n"
    )
    assert note(text).tags == (
        "2031-10-24",
        "1.0",
        "true",
        "ok",
        "nested/tag",
        "one",
        "two/three",
        "y_1982",
        "ключ",
        "🔥",
    )
    assert note("---\ntag: a b, c\n---\n").tags == ("a", "b", "c")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[A]]", ("A", None, None, "wikilink")),
        ("[[ A # B c | d ]]", ("A", "B c", "d", "wikilink")),
        ("[[A#B#C]]", ("A", "B#C", None, "wikilink")),
        ("[[A#^id|x]]", ("A", "^id", "x", "wikilink")),
        ("[[#X]]", ("", "X", None, "wikilink")),
        ("![[A.png|300]]", ("A.png", None, "300", "embed")),
        ("| [[A\\|b]] |", ("A", None, "b", "wikilink")),
        ("[[A&#124;b]]", ("A", None, "b", "wikilink")),
        ("[[A|b [1] c]]", ("A", None, "b [1] c", "wikilink")),
        ("[[[[A]]]]", ("A", None, None, "wikilink")),
        ("\\![[A]]", ("A", None, None, "wikilink")),
        ("[[A|`b`]]", ("A", None, "`b`", "wikilink")),
        ("[[A&B 50%]]", ("A&B 50%", None, None, "wikilink")),
        ("[a](../My%20Note.md#top \"title\")", ("../My Note.md", "top", "a", "markdown")),
        ("[b](<../My Note.md>)", ("../My Note.md", None, "b", "markdown")),
        ("[c](C%23.md)", ("C#.md", None, "c", "markdown")),
        ("[d](a(b)c.md)", ("a(b)c.md", None, "d", "markdown")),
        ("[e](#Part%201)", ("", "Part 1", "e", "markdown")),
        ("[f](https://a.b/c#d)", ("https://a.b/c#d", None, "f", "markdown")),
        ("![g](p.png 'x')", ("p.png", None, "g", "image")),
        ("[[h] i](j.md)", ("j.md", None, "[h] i", "markdown")),
        ("[](k.md)", ("k.md", None, None, "markdown")),
    ],
)  # fmt: skip
def test_a_link_of_each_form(text: str, expected: tuple[str, str | None, str | None, str]) -> None:
    assert links(text) == [expected]


@pytest.mark.parametrize(
    "text",
    ["[[]]", "[[ ]]", "[[|x]]", "[[#]]", "![[]]", "[[open\n]]", "[[a [b] c]]", "]]y[[", "\\[[x]]", "[[{{title}}]]", "[x]()", "[x](a b.md)", "[x]\n(y.md)",
     "`[[x]]`", "```\n[[x]]\n```", "%% [[x]] %%", "<!-- [[x]] -->", "\\[x](y.md)", "[a\n\nb](c.md)", "[[" + "x" * 2_000 + "]]"],
)  # fmt: skip
def test_what_is_malformed_hidden_or_escaped_is_no_link(text: str) -> None:
    assert links(text) == []


def test_a_link_holds_no_link_but_may_hold_an_image() -> None:
    assert [link[0] for link in links("[also [[A]]](https://b.c/)")] == ["A"]
    assert [link[0] for link in links("[![alt](a.png)](b.md) [x](c.md)")] == ["b.md", "a.png", "c.md"]


def test_links_in_properties_are_named_by_their_key() -> None:
    text = '---\npart_of: "[[Friends|f]]"\nbare: [[Free]]\nof: \'[[Bo\'\'s]]\'\nsource:\n  - "[[Call]]" # [[no]]\n  - "[m](a%20b.md)"\nraw: |\n  [[Deep]]\n---\n'
    found = [(link.relation, link.target, link.raw, link.line, link.place) for link in note(text).links]
    assert found == [
        ("part_of", "Friends", "[[Friends|f]]", 2, "property"),
        ("bare", "Free", "[[Free]]", 3, "property"),
        ("of", "Bo's", "[[Bo''s]]", 4, "property"),
        ("source", "Call", "[[Call]]", 6, "property"),
        ("source", "a b.md", "[m](a%20b.md)", 7, "property"),
        ("raw", "Deep", "[[Deep]]", 9, "property"),
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- works_at:: [[Initech]] - told in the call", ("works_at", "told in the call", None, None)),
        ("works_at:: [[Initech]]", ("works_at", None, None, None)),
        (
            "* **works_at**:: [[Initech]] – told (from 2026-03-01) (to 2026-04-01)",
            ("works_at", "told", "2026-03-01", "2026-04-01"),
        ),
        ("- works_at:: [[Initech]] (from 2026-03-01)", ("works_at", None, "2026-03-01", None)),
        ("- works_at:: [[Initech]] - told (from 2026-99-01)", ("works_at", "told (from 2026-99-01)", None, None)),
        ("- works_at:: [[A - B|c - d]] - e", ("works_at", "e", None, None)),
        ("I am [works_at:: [[Initech]]] now", ("works_at", None, None, None)),
        ("> - works_at:: [[Initech]]", ("works_at", None, None, None)),
        ("- Phoned [[Bo Lind]] every Sunday", (None, None, None, None)),
        ("see std::map of [[X]]", (None, None, None, None)),
    ],
)
def test_a_relation_line_has_a_key_a_reason_and_dates(line: str, expected: tuple[str | None, ...]) -> None:
    link = only_link(line)
    assert (link.relation, link.reason, link.valid_from, link.valid_to) == expected


def test_a_link_in_the_reason_is_a_plain_link() -> None:
    found = [
        (link.target, link.relation, link.reason)
        for link in note("about:: [[A]], [[B]] - told in [[Call]]\n[[C]]").links
    ]
    assert found == [
        ("A", "about", "told in [[Call]]"),
        ("B", "about", "told in [[Call]]"),
        ("Call", None, None),
        ("C", None, None),
    ]


def test_inline_fields_of_every_place() -> None:
    text = (
        "started:: 2031-01-08\n- Mood:: calm\nI rate it [**score**:: 9] and (place:: [[Pier|the dock]]).\n🧭:: south\n- 🧭 heading:: east\n[🔥:: hot]\n"
        "empty::\n\n```\ncode:: no\n```\nUse `inline:: no` here, std::sort and 12:: 30, fe80:: too.\n- [ ] task [due:: 2031-02-01]\n"
    )
    assert [(field.key, field.value) for field in note(text).fields] == [
        ("started", "2031-01-08"), ("Mood", "calm"), ("score", "9"), ("place", "[[Pier|the dock]]"), ("🧭", "south"), ("🧭 heading", "east"),
        ("🔥", "hot"), ("empty", ""), ("due", "2031-02-01"),
    ]  # fmt: skip


def test_headings_and_block_ids() -> None:
    text = "# One #\n## Two ^two\n###### Six\n####### none\n#none\nSet\n---\n- item\n---\n> # quoted\npara ^p-1\n- item ^i\n`^no`\n^alone\n[^1]\n"
    found = note(text)
    assert [(h.level, h.text, h.line) for h in found.headings] == [
        (1, "One", 1),
        (2, "Two", 2),
        (6, "Six", 3),
        (2, "Set", 6),
    ]
    assert found.block_ids == {"two": 2, "p-1": 11, "i": 12, "alone": 14}


def test_a_malformed_note_keeps_its_text_and_says_why() -> None:
    found = note('---\ntitle: a: b: c\nup: "[[Old]]"\n---\n# Real\n')
    assert (found.malformed, found.title, found.properties, found.frontmatter, found.body_start) == (
        True,
        "Name",
        {},
        None,
        0,
    )
    assert [(f.code, f.severity, f.path, f.line) for f in found.findings] == [
        ("frontmatter-invalid", "error", "Folder/Name.md", 2)
    ]


def test_doubled_keys_ids_and_blocks_are_named() -> None:
    text = "---\na: 1\na: 2\n---\n\n---\nb: 1\n---\nx ^i\ny ^i\n"
    assert [(f.code, f.line) for f in note(text).findings] == [
        ("duplicate-key", 3),
        ("second-frontmatter", 5),
        ("duplicate-block-id", 10),
    ]
    assert note("---\na: 1\n---\nText\n\n---\nb: 2\n---\n").findings == ()


@pytest.mark.parametrize(
    ("block", "declared"),
    [
        ("id: 01234", "01234"),
        ("id: m-1", "m-1"),
        ("id: 5", "5"),
        ("id:", None),
        ("id: [a]", None),
        ("id: " + "x" * 300, None),
    ],
)
def test_a_declared_id_is_the_text_as_typed(block: str, declared: str | None) -> None:
    assert note(f"---\n{block}\n---\n").declared_id == declared


@given(st.binary(max_size=60))
def test_bytes_come_back_as_they_were(data: bytes) -> None:
    text, _ = decode(data)
    assert encode(text) == data


def test_odd_bytes_are_named() -> None:
    found = [decode(data)[1] for data in (b"a\xff", b"\xff\xfea\x00", b"a\x00", b"\xc3\xa9")]
    assert found == [("invalid-utf8",), ("utf-16", "nul-byte"), ("nul-byte",), ()]


PIECES = st.sampled_from(
    ["---\n", "a: [[x]]\n", "k:: ", "[[", "]]", "[", "](", ")", "|", "\\", "#", "^a", "## Atoms\n", "- ", "(fact, verified) ", "`", "```\n", "%%", "<!--",
     "-->", "\n", "\r\n", "\ufeff", "é", "𝕏", "\t", "  ", ">", "!", "x", "::", "(from 2026-01-01)", "\x00", "\udc80", "\u2028", "===\n", "%20", "<", "&*"]
)  # fmt: skip


@given(st.one_of(st.lists(PIECES, max_size=40).map("".join), st.text(max_size=60)))
def test_every_text_is_a_note_with_exact_places(text: str) -> None:
    found = note(text)
    assert all(text[link.span.start : link.span.end] == link.raw for link in found.links)
    places = [*found.links, *found.headings, *found.fields, *found.atoms]
    assert all(0 <= place.span.start < place.span.end <= len(text) for place in places)
    assert all(place.line == text.count("\n", 0, place.span.start) + 1 for place in places)
    assert found == note(text)
    assert 0 <= found.body_start <= len(text)


@given(st.lists(PIECES, max_size=20).map("".join))
def test_properties_are_json(text: str) -> None:
    found = note("---\n" + text + "\n---\n").properties
    assert json.loads(json.dumps(found)) == found


HOSTILE = [
    "[[", "`", "` ", "`a``b```c", "%%", "%%a\n", "<!--", "<!-- \n\n", "[", "](", "[](", "[x](a](", "![", "[[a|[b]", "[[a] ", "[a::", "(a:: ", "a:: ", "> ", "- ",
    "## Atoms\n- a\n", "a\n---\n", "^a\n", "#a ", "\\", "$$", "    x\n\n", "```\n", "-", "\n> - ```\n", "<pre>", "a - ", "---\n",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_with_the_text_and_not_with_its_square(unit: str) -> None:
    """Compares two sizes in one process; a square would be sixteen times as long, and the floor is noise."""
    short, long = (spent(f"```\n```\n## Atoms\n- x. {unit * (size // len(unit))}") for size in (60_000, 240_000))
    assert long < 10 * max(short, 0.03)


def spent(text: str) -> float:
    """Returns the processor seconds a parse takes, the better of two."""
    return min(_once(text) for _ in range(2))


def _once(text: str) -> float:
    start = time.process_time()
    note(text)
    return time.process_time() - start


def test_a_byte_order_mark_hides_nothing_of_the_first_line() -> None:
    title = parse_note("a.md", "\ufeff# Title ^top\n", Limits())
    assert (title.title, [heading.text for heading in title.headings], list(title.block_ids)) == ("Title", ["Title"], ["top"])
    assert parse_note("a.md", "\ufeffTitle\n=====\n", Limits()).title == "Title"
    assert [link.relation for link in parse_note("a.md", "\ufeffpart_of:: [[House]]\n", Limits()).links] == ["part_of"]
