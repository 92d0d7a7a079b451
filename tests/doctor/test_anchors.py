"""Links to a heading or a block: found as editors find them, and what to write when they are not."""

from __future__ import annotations

import re

import pytest

from tests.doctor.conftest import Make, brief, index, of, write

TARGET = """---
kind: note
---
# A: Plan [x]
## What's new?
text ^block-1
### Setup
### Setup

- item ^Item
<a id="html-place"></a>
## Über uns
## `code` and **bold**

```
## Not a heading
not a block ^code-1
```
"""


@pytest.mark.parametrize(
    "link",
    [
        "[[T#A Plan x]]", "[[T#what's NEW?]]", "[[T#Whats  new]]", "[[T#code and bold]]", "[[T#A Plan x#What's new?]]", "[t](T.md#whats-new)", "[t](T.md#What's%20new?)",
        "[[T#^block-1]]", "[[T#^item]]", "![[T#^block-1]]", "[t](T.md#setup-1)", "[t](T.md#html-place)", "[[T#Über uns]]", "[t](T.md#über-uns)",
        "![[T#whats-new,1:#*]]", "![[T#whats-new:#setup]]", "[[T]]", "[[Nobody#X]]", "[t](https://pages.invalid#x)",
    ],
)  # fmt: skip
def test_a_place_that_is_there_is_found(make: Make, link: str) -> None:
    assert of(make({"A.md": f"{link}\n", "T.md": TARGET}), "broken-anchor") == []


@pytest.mark.parametrize(
    "link", ["[[T#Nowhere]]", "[[T#^nowhere]]", "[[T#Not a heading]]", "[[T#^Setup]]", "[[T#uns]]", "[[T#^code-1]]", "[t](T.md#setup-2)", "[[T#What's new?#A Plan x]]", "![[T#whats-new:#nowhere]]"]
)
def test_a_place_that_is_not_there_is_named_with_its_line(make: Make, link: str) -> None:
    assert brief(make({"A.md": f"one\n\n{link}\n", "T.md": TARGET}), "broken-anchor") == [("warning", "A.md", 3)]


def test_places_in_the_same_note_are_looked_up_in_it(make: Make) -> None:
    space = make({"A.md": "# Here\n[[#Here]] [[#There]] [up](#here) [[#^b]]\n"})
    assert [found.message for found in of(space, "broken-anchor")] == [
        "[[#There]] leads to A.md, which has no heading 'There'.", "[[#^b]] leads to A.md, which has no block '^b'.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("link", "written"),
    [
        ("[[T#Setupp|how]]", "[[T#Setup|how]]"), ("[[T#^blok-1]]", "[[T#^block-1]]"), ("[t](T.md#Über%20un)", "[t](T.md#Über%20uns)"),
        ("[[T#Nowhere at all]]", "[[T]]"), ("![[T#Nowhere at all|x]]", "![[T|x]]"),
    ],
)  # fmt: skip
def test_what_it_says_to_write_cures_it(make: Make, link: str, written: str) -> None:
    space = make({"A.md": f"{link}\n", "T.md": TARGET})
    (found,) = of(space, "broken-anchor")
    said = re.fullmatch(r'write (.+) on line 1 of "A.md"', found.cure)
    assert said and said[1] == written
    write(space.vault.root, "A.md", f"{written}\n")
    index(space)
    assert of(space, "broken-anchor") == []


def test_a_link_that_is_an_anchor_alone_is_not_cured_by_an_empty_one(make: Make) -> None:
    cures = [found.cure for found in of(make({"A.md": "[[#Nowhere]]\n[x](#nowhere)\n"}), "broken-anchor")]
    assert cures == [f'take the link away on line {line} of "A.md", or give a heading that name' for line in (1, 2)]
