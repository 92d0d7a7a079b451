"""Frontmatter: found only where it is one, read as it was meant, changed one key at a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.config import Limits
from brain.errors import BrainError, UsageError
from brain.vault.frontmatter import FieldValue, read_frontmatter, remove_field, set_field

LIMITS = Limits()


def values(text: str) -> dict[str, object] | None:
    """Returns what a block says, None when there is no usable one."""
    block = read_frontmatter(text, LIMITS).block
    return {entry.key: entry.value for entry in block.entries} if block else None


def problem(text: str) -> str | None:
    """Returns the code of what is wrong with the frontmatter."""
    found = read_frontmatter(text, LIMITS).problem
    return found.code if found else None


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\na: 1\n---\nBody", "Body"),
        ("---\r\na: 1\r\n---\r\nBody", "Body"),
        ("\ufeff---\na: 1\n---\nBody", "Body"),
        ("---  \na: 1\n--- \t\nBody", "Body"),
        ("---\na: 1\n---", ""),
        ("---\n---\nBody", "Body"),
        ("---\n# only a comment\n---\nBody", "Body"),
        ("---\na: 1\n--- x\n---\nBody", "---\na: 1\n--- x\n---\nBody"),
    ],
)
def test_the_block_ends_at_three_dashes_alone_on_a_line(text: str, body: str) -> None:
    assert text[read_frontmatter(text, LIMITS).end :] == body


@pytest.mark.parametrize(
    "text",
    [
        "Body",
        "\n---\na: 1\n---\n",
        "----\na: 1\n---\n",
        "---\n\nA rule, some prose.\n\n---\nMore",
        "---\n\nA rule",
        " ---\na: 1\n---\n",
        "",
    ],
)
def test_a_text_without_a_block_at_its_start_has_no_frontmatter_and_no_problem(text: str) -> None:
    assert (values(text), problem(text)) == (None, None)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("---\na: 1\nBody", "frontmatter-unterminated"),
        ("---\n- a\n- b\n---\n", "frontmatter-not-mapping"),
        ("---\na: b: c\n---\n", "frontmatter-invalid"),
        ("---\na: @x\n---\n", "frontmatter-invalid"),
        ("---\na:\n\t- x\n---\n", "frontmatter-invalid"),
        ("---\nkey: `C:\\x`: z\n---\n", "frontmatter-invalid"),
        ("---\na: " + "[" * 5_000 + "\n---\n", "frontmatter-invalid"),
        ("---\na: &x [*x]\n---\n", "frontmatter-too-complex"),
        ("---\na: " + "x" * 70_000 + "\n---\n", "frontmatter-too-large"),
    ],
)
def test_an_unusable_block_is_named_and_the_whole_file_is_body(text: str, code: str) -> None:
    found = read_frontmatter(text, LIMITS)
    assert (problem(text), values(text), found.end) == (code, None, 0)


def test_values_that_unfold_without_end_are_refused() -> None:
    rows = ["l0: &l0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, 9)]
    assert problem("---\n" + "\n".join(rows) + "\n---\n") == "frontmatter-too-complex"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("01234", "01234"), ("1.10", "1.10"), ("12:30", "12:30"), ("NO", "NO"), ("yes", "yes"), ("on", "on"),
        ("2031-05-26", "2031-05-26"), ("2031-03-01T10:00:00+02:00", "2031-03-01T10:00:00+02:00"), ("0x1F", "0x1F"),
        ("1_000", "1_000"), ("+5", "+5"), ("-0", "-0"), (".nan", ".nan"), ("1e3", "1e3"), ("12345678901234567890", "12345678901234567890"),
        ("5", 5), ("-5", -5), ("0.7", 0.7), ("1.0", 1.0), ("true", True), ("False", False), ("", None), ("~", None), ("null", None),
        ('"5"', "5"), ("'true'", "true"), ("[[Ada]]", "[[Ada]]"), ("[[Smith, John]]", "[[Smith, John]]"),
        ("[[1, 2]]", [[1, 2]]), ("[a, 1.10]", ["a", "1.10"]), ("{{title}}", "{{title}}"), ("!!python/object:os.system x", "x"),
        ("|\n  one\n  two", "one\ntwo\n"), ("{x: NO}", {"x": "NO"}),
    ],
)  # fmt: skip
def test_a_value_is_what_a_person_typed(written: str, meant: object) -> None:
    assert values(f"---\nk: {written}\n---\n") == {"k": meant}


def test_the_last_of_two_equal_keys_counts() -> None:
    assert values("---\nk: 1\nk: 2\n---\n") == {"k": 2}


@pytest.mark.parametrize(
    ("before", "key", "value", "after"),
    [
        ("---\r\nstatus: open\r\nowner: Bo\r\n---\r\nText.\r\n", "status", "done", "---\r\nstatus: done\r\nowner: Bo\r\n---\r\nText.\r\n"),
        ("---\ntitle: The Mole\n---\n\n# The Mole\n", "id", "m-1", "---\ntitle: The Mole\nid: m-1\n---\n\n# The Mole\n"),
        ("---\na: 1\n---\n\nText\n\n---\na: 2\n---\n", "a", 5, "---\na: 5\n---\n\nText\n\n---\na: 2\n---\n"),
        ("---\nstate: 'open'   # why\nb: \"007\"\n---\n", "state", "done", "---\nstate: done   # why\nb: \"007\"\n---\n"),
        ("---\nk: 1\nother: x\nk: 2\n---\n", "k", 3, "---\nk: 3\nother: x\n---\n"),
        ("---\nk: |\n  one\n  two\n\nb: 1\n---\n", "k", "x", "---\nk: x\n\nb: 1\n---\n"),
        ("---\nk:   # list\n  - a\n  - b\n# about c\nc: 1\n---\n", "k", ("x", "[[Y]]"), "---\nk:   # list\n  - x\n  - \"[[Y]]\"\n# about c\nc: 1\n---\n"),
        ("---\nk:\n  - a\n  - b\nc: 1\n---\n", "k", "x", "---\nk: x\nc: 1\n---\n"),
        ("---\nk: [a, b]\n---\n", "k", ("a", "b: c"), "---\nk: [a, \"b: c\"]\n---\n"),
        ("---\nk:\nb: 1\n---\n", "k", True, "---\nk: true\nb: 1\n---\n"),
        ("---\nK: 1\n---\n", "k", 2, "---\nK: 2\n---\n"),
        ("---\nk: 2031-01-01\n---\n", "k", "2031-02-02", "---\nk: 2031-02-02\n---\n"),
        ("---\n---\n", "k", "5", "---\nk: \"5\"\n---\n"),
        ("\ufeffText\r\n", "k", 0.5, "\ufeff---\r\nk: 0.5\r\n---\r\nText\r\n"),
        ("", "k", "no", "---\nk: \"no\"\n---\n"),
        ("---\nk: 1\nb: 2\n---\n", "k", None, "---\nb: 2\n---\n"),
        ("---\nk:\n  - a\nb: 2\n---\n", "k", None, "---\nb: 2\n---\n"),
        ("---\nb: 2\n---\n", "k", None, "---\nb: 2\n---\n"),
    ],
)  # fmt: skip
def test_setting_a_key_changes_its_lines_only(before: str, key: str, value: FieldValue | None, after: str) -> None:
    assert set_field(before, key, value) == after


@pytest.mark.parametrize(
    "text",
    ["---\ntitle: a: b\n---\n", "---\na: 1\n", "---\n- a\n---\n", "---\n{a: 1}\n---\n", "---\nk: &x 1\nb: *x\n---\n"],
)
def test_a_block_that_cannot_be_changed_safely_is_refused_by_name(text: str) -> None:
    with pytest.raises(BrainError, match=r"Bad\.md"):
        set_field(text, "k", "v", where="Bad.md")


@pytest.mark.parametrize("key", ["", "a: b", "- a", "#x", "null", "a\nb", "1"])
def test_a_new_key_must_be_a_word(key: str) -> None:
    with pytest.raises(UsageError):
        set_field("---\na: 1\n---\n", key, "v")


BLOCKS = st.lists(
    st.sampled_from(["a: 1", "b: 'x'  # why", "# comment", "", "c: [p, q]", "d:\n  - p\n  - q", "e: |\n  one\n\n  two", "f:", "g:\n  h: 1", '"i j": 2', "k: 01", "a: 2"]),
    max_size=8,
)  # fmt: skip
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.one_of(TEXTS, st.integers(-999, 999), st.booleans(), st.lists(TEXTS, max_size=3).map(tuple), st.none())


@given(
    BLOCKS,
    st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "i j", "k", "new"]),
    VALUES,
    st.sampled_from(["\n", "\r\n"]),
)
def test_after_setting_a_key_it_has_the_value_and_every_other_line_is_the_same(
    block: list[str], key: str, value: FieldValue | None, eol: str
) -> None:
    text = "\n".join(["---", *block, "---", "Body", ""]).replace("\n", eol)
    before = values(text)
    assert before is not None
    changed = set_field(text, key, value)
    wanted = {**before, key: list(value) if isinstance(value, tuple) else value}
    assert values(changed) == ({k: v for k, v in before.items() if k != key} if value is None else wanted)
    assert others(changed, key) == others(text, key)
    assert set_field(changed, key, value) == changed


def others(text: str, key: str) -> list[str]:
    """Returns the lines of the text that do not belong to the key, blank lines left out."""
    found = read_frontmatter(text, LIMITS)
    assert found.block is not None
    cuts = [
        (e.key_start + found.yaml_start, max(e.end, e.key_end) + found.yaml_start)
        for e in found.block.entries
        if e.key == key
    ]
    for start, end in reversed(cuts):
        stop = text.find("\n", end)
        text = text[: text.rfind("\n", 0, start) + 1] + text[stop + 1 :]
    return [line for line in text.splitlines() if line.strip()]


def test_a_key_can_be_removed_from_a_block_with_comments_around_it() -> None:
    assert remove_field("---\n# one\nk: 1\n# two\nb: 2\n---\n", "k") == "---\n# one\n# two\nb: 2\n---\n"
