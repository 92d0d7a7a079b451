"""Rename: file, title, links of every form; what is not rewritten is kept good by an alias."""

from __future__ import annotations

from time import process_time

import pytest

from brain.core.plan import AppendToSection, Provenance
from brain.errors import Ambiguous, NotFound, UsageError
from brain.stages.commit import commit
from tests.stages.hands.conftest import Hold


def test_links_of_every_form_follow_and_keep_their_words(hold: Hold) -> None:
    held = hold({
        "d/Old.md": "---\ntitle: Old\n---\n# Old\nSee [[#Part]] and [[Old#Part]].\n## Part\n",
        "K.md": '---\nup: "[[Old]]"\nrel:\n  - "[[d/Old|o]]"\n---\n[[Old#Part|t]] ![[Old]] [m](d/Old.md#Part) `[[Old]]`\n',
    })  # fmt: skip
    held.brain.rename("Old", "New name")
    assert held.text("K.md") == (
        '---\nup: "[[New name]]"\nrel:\n  - "[[d/New name|o]]"\n---\n[[New name#Part|t]] ![[New name]] [m](d/New%20name.md#Part) `[[Old]]`\n'
    )
    assert held.text("d/New name.md") == "---\ntitle: New name\naliases: [Old]\n---\n# New name\nSee [[#Part]] and [[New name#Part]].\n## Part\n"


def test_what_was_said_and_what_is_over_is_not_rewritten_and_still_leads_there(hold: Hold) -> None:
    notes = {"Inbox/E.md": "---\ntype: episode\n---\n[[Old]] and [[d/Old]]\n", "Gone.md": '---\nstatus: superseded\nsuperseded_by: "[[d/Old]]"\n---\n'}
    held = hold({"d/Old.md": "o\n", **notes})
    held.brain.rename("Old", "New")
    assert {path: held.text(path) for path in notes} == notes
    for path in notes:
        links = held.brain.links(path)[1]
        assert {link.other for link in links} == {"d/New.md"}, path


def test_a_link_that_no_alias_can_keep_is_named(hold: Hold) -> None:
    held = hold({"d/Old.md": "o\n", "Inbox/E.md": "---\ntype: episode\n---\n[o](../d/Old.md)\n"})
    assert "Inbox/E.md is not rewritten" in held.brain.rename("Old", "New").notices[0]


@pytest.mark.parametrize("name", ["B", "b", "Bee", "b.md"])
def test_a_name_that_another_note_answers_to_is_refused(hold: Hold, name: str) -> None:
    held = hold({"A.md": "a\n", "x/B.md": "---\naliases: [Bee]\n---\n"})
    with pytest.raises(UsageError, match=r"taken: x/B\.md"):
        held.brain.rename("A", name)
    assert held.text("A.md") == "a\n"


@pytest.mark.parametrize("name", ["x/New", "../New", "a#b", "[[N]]", "", "CON", "a|b", "  "])
def test_a_name_that_no_link_or_file_system_holds_is_refused_with_one_that_does(hold: Hold, name: str) -> None:
    with pytest.raises(UsageError) as refused:
        hold({"A.md": "a\n"}).brain.rename("A", name)
    assert "brain " in refused.value.cure


def test_only_the_letter_case_may_change(hold: Hold) -> None:
    held = hold({"hello.md": "precious\n", "K.md": "[[hello]]\n"})
    done = held.brain.rename("hello", "Hello")
    assert held.vault.bytes() == {"Hello.md": b"precious\n", "K.md": b"[[Hello]]\n"}
    held.brain.undo(done.run)
    assert held.vault.bytes() == {"hello.md": b"precious\n", "K.md": b"[[hello]]\n"}


def test_a_rehearsal_of_another_letter_case_shows_it(hold: Hold) -> None:
    held = hold({"hello.md": "precious\n"})
    assert {patch.path for receipt in held.brain.rename("hello", "Hello", dry_run=True).receipts for patch in receipt.patches} == {"hello.md", "Hello.md"}
    assert held.text("hello.md") == "precious\n"


def test_the_note_keeps_its_id(hold: Hold) -> None:
    held = hold({"A.md": "a\n"})
    before = held.brain.get("A", touch=False).note.id
    held.brain.rename("A", "B")
    assert held.brain.get("B", touch=False).note.id == before


def test_a_link_to_the_title_heading_follows_its_new_words(hold: Hold) -> None:
    held = hold({"A.md": "# A\n", "K.md": "[[A#A]]\n"})
    held.brain.rename("A", "B")
    assert held.text("K.md") == "[[B#B]]\n"


def test_a_folder_of_notes_is_renamed_and_path_links_follow(hold: Hold) -> None:
    held = hold({"dir/n.md": "[k](../K.md) [[dir/sub/m]]\n", "dir/sub/m.md": "[n](../n.md)\n", "K.md": "[[dir/n]] [[n]] [t](dir/n.md)\n"})
    held.brain.rename("dir", "place")
    assert held.vault.bytes() == {
        "place/n.md": b"[k](../K.md) [[place/sub/m]]\n", "place/sub/m.md": b"[n](../n.md)\n", "K.md": b"[[place/n]] [[n]] [t](place/n.md)\n",
    }  # fmt: skip


def test_a_folder_with_other_files_is_left_to_the_file_manager(hold: Hold) -> None:
    held = hold({"dir/n.md": "n\n"})
    (held.vault.root / "dir/x.png").write_bytes(b"x")
    with pytest.raises(UsageError, match=r"dir/x\.png"):
        held.brain.rename("dir", "place")


def test_a_name_of_two_notes_is_never_guessed_and_an_unknown_one_gets_a_guess(hold: Hold) -> None:
    held = hold({"a/Plan.md": "1\n", "b/Plan.md": "2\n"})
    with pytest.raises(Ambiguous, match=r"a/Plan\.md, b/Plan\.md"):
        held.brain.rename("Plan", "X")
    with pytest.raises(NotFound) as unknown:
        held.brain.rename("Plam", "X")
    assert "did you mean" in unknown.value.cure


def test_anchors_follow_a_heading_that_gets_the_new_name(hold: Hold) -> None:
    held = hold({"Boat.md": "# Boat\n[[#Boat]] [up](#Boat)\n## Hull\n", "L.md": "[[Boat#Boat]] [[Boat#Boat#Hull]] [[Boat#Hull]]\n"})
    held.brain.rename("Boat", "Ship")
    assert "[[#Ship]] [up](#Ship)\n" in held.text("Ship.md")
    assert held.text("L.md") == "[[Ship#Ship]] [[Ship#Ship#Hull]] [[Ship#Hull]]\n"


def test_the_words_of_an_episode_stay_when_it_gets_another_name(hold: Hold) -> None:
    held = hold({"Talk.md": "---\ntype: episode\n---\n# Talk\nsaid\n", "L.md": "[[Talk#Talk]]\n"})
    held.brain.rename("Talk", "Call")
    assert held.text("Call.md").endswith("---\n# Talk\nsaid\n")
    assert held.text("L.md") == "[[Call#Talk]]\n"


def test_a_folder_gets_another_name_and_its_own_again(hold: Hold) -> None:
    held = hold({"F/In/A.md": "a\n", "L.md": "[[F/In/A]]\n"})
    held.brain.rename("F", "G")
    assert not (held.vault.root / "F").exists()
    run = held.brain.rename("G", "F").run
    assert held.text("L.md") == "[[F/In/A]]\n" and not (held.vault.root / "G").exists()
    held.brain.undo(run)
    assert (held.vault.root / "G/In/A.md").is_file() and not (held.vault.root / "F").exists()


@pytest.mark.parametrize("head", ["", "---\nid: n-keel\n---\n"])
def test_why_a_relation_stands_is_known_under_the_new_name(hold: Hold, head: str) -> None:
    held = hold({"E.md": "---\ntype: episode\n---\n[[Boat]] depends on [[Keel]].\n", "Boat.md": "b\n", "Keel.md": f"{head}k\n"})
    line = AppendToSection("Boat.md", "Related", ("- depends_on:: [[Keel]] - so",))
    source = Provenance("Boat.md|depends_on|Keel.md", "E.md", "0" * 64, 4, "[[Boat]] depends on [[Keel]].", "so", "rules/1")
    commit(held.vault.ctx, [held.vault.plan(line, provenance=(source,))], run="r-1")
    held.brain.rename("Keel", "Fin")
    assert [origin.reason for origin in held.brain.explain("Boat", "depends_on", "Fin").origins] == ["so"]


def test_a_folder_of_many_notes_is_planned_in_a_time_that_grows_with_it(hold: Hold) -> None:
    def planned(count: int) -> float:
        names = hold({f"F{count}/n{count}-{number}.md": f"[[F{count}/n{count}-{(number + 7) % count}]]\n" for number in range(count)})
        started = process_time()
        names.brain.rename(f"F{count}", f"G{count}", dry_run=True)
        return process_time() - started

    planned(20)
    assert planned(600) < 12 * planned(100), "a time that grows with the square is 36 times as long"


def test_a_taken_name_is_answered_with_another_one_first(hold: Hold) -> None:
    held = hold({"Atlas.md": "a\n", "Hermes.md": "h\n", "Hermes 2.md": "h\n", "Areas.md": "---\nkind: category\n---\n"})
    with pytest.raises(UsageError) as refused:
        held.brain.rename("Atlas", "Hermes")
    assert refused.value.cure.startswith('brain rename "Atlas.md" "Hermes 3", or another name; only if the two are one thing, brain merge')
    with pytest.raises(UsageError) as refused:
        held.brain.rename("Atlas", "Areas")
    assert refused.value.cure == 'brain rename "Atlas.md" "Areas 2", or another name'  # a merge of the two would be refused


def test_a_folder_whose_name_is_taken_in_other_letters_gets_another(hold: Hold) -> None:
    held = hold({"Projects/A.md": "a\n", "People/B.md": "b\n"})
    with pytest.raises(UsageError) as refused:
        held.brain.rename("Projects", "people")
    assert refused.value.message == "There is something at People already."
    assert refused.value.cure == 'brain rename "Projects" "people 2", or another name; brain move "Projects/A.md" --to "People" moves a single note there'
    with pytest.raises(UsageError) as refused:
        held.brain.rename("Projects", "projects")
    assert refused.value.cure == 'brain rename "Projects" "projects 2", then brain rename "projects 2" "projects"'
    held.brain.rename("Projects", "projects 2")
    held.brain.rename("projects 2", "projects")
    assert held.text("projects/A.md") == "a\n"
