"""Which links doctor complains of, how loudly, and that what it says to write cures them."""

from __future__ import annotations

import re

import pytest

from brain.doctor.links import near_key
from tests.doctor.conftest import Make, brief, index, of, write


def test_a_name_that_no_note_has_yet_is_good_to_know_and_no_fault(make: Make) -> None:
    space = make({"A.md": "one\n\n[[Nobody]]\n![[Nobody else]]\n[[Node.js]]\n"})
    assert brief(space, "broken-link") == [("info", "A.md", 3), ("info", "A.md", 4), ("info", "A.md", 5)]
    assert of(space, "broken-link")[0].cure == 'write the note "Nobody.md", or take the link away on line 3 of "A.md"'
    for name in ("Nobody.md", "Nobody else.md", "Node.js.md"):
        write(space.vault.root, name, "Here.\n")
    index(space)
    assert of(space, "broken-link") == []


def test_a_link_that_names_a_place_where_no_note_is_wants_a_look(make: Make) -> None:
    space = make({"deep/A.md": "[[x/Nobody]]\n[Nobody](../y/Nobody.md)\n[[Nobody.md]]\n"})
    assert brief(space, "broken-link") == [("warning", "deep/A.md", line) for line in (1, 2, 3)]
    cures = [finding.cure for finding in of(space, "broken-link")]
    written = [re.match(r'write the note "([^"]+)"', cure) for cure in cures]
    assert [found and found[1] for found in written] == ["deep/x/Nobody.md", "y/Nobody.md", "deep/Nobody.md"]
    for found in written:
        assert found
        write(space.vault.root, found[1], "Here.\n")
    index(space)
    assert of(space, "broken-link") == []


def test_a_name_that_differs_in_spaces_and_punctuation_is_suggested(make: Make) -> None:
    space = make({"A.md": "see [[site-map#Top|the map]]\n", "x/Site Map.md": "# Top\n"})
    (found,) = of(space, "broken-link")
    assert (found.severity, found.cure) == ("warning", 'write [[Site Map#Top|the map]] on line 1 of "A.md"')
    write(space.vault.root, "A.md", "see [[Site Map#Top|the map]]\n")
    index(space)
    assert of(space, "broken-link") == of(space, "broken-anchor") == []


def test_a_suggestion_for_a_table_keeps_its_pipe_escaped(make: Make) -> None:
    space = make({"A.md": "| a | b |\n|---|---|\n| [[site-map\\|m]] | x |\n", "Site Map.md": "x\n"})
    assert of(space, "broken-link")[0].cure == 'write [[Site Map\\|m]] on line 3 of "A.md"'


def test_a_note_that_was_moved_is_suggested_by_its_new_path(make: Make) -> None:
    space = make({"A.md": "[[old/Plan]]\n", "new/Plan.md": "x\n"})
    assert of(space, "broken-link")[0].cure == 'write [[Plan]] on line 1 of "A.md"'


def test_a_suggestion_that_two_notes_answer_to_is_not_made(make: Make) -> None:
    space = make({"A.md": "[[site-map]]\n", "x/Site Map.md": "x\n", "y/SiteMap.md": "y\n"})
    assert brief(space, "broken-link") == [("info", "A.md", 1)]


def test_a_label_that_stands_where_the_target_should_is_turned_round(make: Make) -> None:
    space = make({"A.md": "[[the guide|dendron://docs/guide.start#first-steps]]\n[[Nobody|start]]\n", "guide.start.md": "# First steps\n", "start.md": "x\n"})
    turned, other = sorted(of(space, "broken-link"), key=lambda finding: finding.line)
    assert turned.cure == 'write [[guide.start#first-steps|the guide]] on line 1 of "A.md"'
    assert other.severity == "info"  # an alias in words is an alias


@pytest.mark.parametrize(("one", "other", "same"), [("Site Map", "site_map", True), ("∑ Map", "Map", False), ("C++", "C", False), ("左、右", "左，右", True)])
def test_names_are_near_when_only_spaces_and_punctuation_tell_them_apart(one: str, other: str, same: bool) -> None:
    assert (near_key(one) == near_key(other)) is same


def test_a_link_to_a_file_or_folder_that_is_there_is_not_broken(make: Make) -> None:
    files = {"LICENSE": "free\n", "deep/pictures/cat.png": "", "Attic/Note.sync-conflict-20260101-120000-ABCDEFG.md": "x\n"}
    links = "[a](../LICENSE)\n[b](/LICENSE)\n[c](pictures/)\n[[LICENSE]]\n![[CAT.png|200]]\n[[Note.sync-conflict-20260101-120000-ABCDEFG]]\n"
    assert of(make({**files, "deep/A.md": links}), "broken-link") == []


def test_a_link_to_nothing_or_out_of_the_vault_is(make: Make) -> None:
    space = make({"deep/A.md": "[d](NOTICE)\n[e](../../outside)\n"})
    write(space.vault.root.parent, "outside", "not ours\n")
    assert brief(space, "broken-link") == [("warning", "deep/A.md", 1), ("warning", "deep/A.md", 2)]


def test_an_image_or_attachment_that_is_not_there_is_missing(make: Make) -> None:
    space = make({"deep/A.md": "![[cat.png|200]]\n![dog](img/dog%201.png)\n[[report.pdf#page=2]]\n![](/top.svg)\n![](../../out.png)\n"})
    assert brief(space, "missing-asset") == [("warning", "deep/A.md", line) for line in (1, 2, 3, 4, 5)]
    named = [re.match(r'put the file at "([^"]+)"', finding.cure) for finding in of(space, "missing-asset")]
    assert [found and found[1] for found in named] == ["deep/cat.png", "deep/img/dog 1.png", "deep/report.pdf", "top.svg", None]
    for found in filter(None, named):
        write(space.vault.root, found[1], "")
    assert brief(space, "missing-asset") == [("warning", "deep/A.md", 5)]


@pytest.mark.parametrize("place", ["cat.png", "deep/cat.png", "x/y/CAT.PNG", "deep/x/cat.png"])
def test_an_embedded_file_is_found_wherever_it_lies(make: Make, place: str) -> None:
    space = make({"deep/A.md": "![[cat.png]]\n![](cat.png)\n![](cat.png?raw=true)\n", place: ""})
    assert of(space, "missing-asset") == of(space, "broken-link") == []


def test_an_address_without_its_scheme_is_told_so(make: Make) -> None:
    (found,) = of(make({"A.md": "[shop](www.pages.example.com/x.html)\n"}), "missing-asset")
    assert found.cure.startswith("write https://www.pages.example.com/x.html")


def test_an_ambiguous_link_comes_with_targets_to_paste(make: Make) -> None:
    space = make({"A.md": "[[Plan]]\n", "x/Plan.md": "x\n", "y/Plan.md": "y\n"})
    (found,) = of(space, "ambiguous-link")
    assert (found.severity, found.cure) == ("warning", 'write [[x/Plan]] or [[y/Plan]] in "A.md"')
    write(space.vault.root, "A.md", "[[y/Plan]]\n")
    index(space)
    assert of(space, "ambiguous-link") == []


def test_a_bare_link_is_named_before_a_new_note_takes_its_name(make: Make) -> None:
    space = make({"A.md": "one [[Plan]] and [[Plan|two]]\n", "x/Plan.md": "x\n"})
    assert of(space, "bare-link") == []
    write(space.vault.root, "y/Plan.md", "y\n")
    (found,) = of(space, "bare-link")
    assert (found.severity, found.path, found.cure) == ("warning", "A.md", "brain repair bare-link")
    assert "x/Plan.md" in found.message and "y/Plan.md" in found.message


def test_a_bare_link_that_leads_to_its_neighbour_only_by_its_place_is_good_to_know(make: Make) -> None:
    space = make({"x/A.md": "[[Plan]]\n", "x/Plan.md": "x\n", "y/Plan.md": "y\n"})
    assert brief(space, "bare-link") == [("info", "x/A.md", 1)]


@pytest.mark.parametrize(
    ("text", "path", "cure"),
    [
        ("[[the guide|guide.start]]", "guide.start.md", "[[guide.start|the guide]]"),
        ("[[term/page]]", "pages/term___page.md", "[[term___page]]"),
        ("[More]([[Handbook]])", "pages/Handbook.md", "a link to pages/Handbook.md"),
    ],
    ids=["name and alias the other way round", "a page with a namespace", "a link in a link"],
)
def test_a_link_that_another_program_follows_is_good_to_know(make: Make, text: str, path: str, cure: str) -> None:
    space = make({"A.md": f"{text}\n", path: "x\n"})
    (found,) = of(space, "broken-link")
    assert (found.severity, found.cure) == ("info", f'write {cure} on line 1 of "A.md"')
    assert found.message.endswith(f"{path} has this name in the form of another program.")
