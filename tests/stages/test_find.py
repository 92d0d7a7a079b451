"""The named queries of the stages, each on a handful of notes."""

from __future__ import annotations

from tests.stages.conftest import Make


def test_episodes_are_the_current_notes_of_one_folder_and_those_below_it(make: Make) -> None:
    vault = make({
        "Inbox/a.md": "a\n", "Inbox/deep/b.md": "b\n", "Inboxes/c.md": "c\n", "d.md": "d\n", "Inbox/e.md": "---\nstatus: archived\n---\n",
    })  # fmt: skip
    rows = vault.ctx.graph.run("episodes", folder="Inbox", after="", limit=10)
    assert [row["path"] for row in rows] == ["Inbox/a.md", "Inbox/deep/b.md"]
    assert [row["path"] for row in vault.ctx.graph.run("episodes", folder="Inbox", after="Inbox/a.md", limit=1)] == ["Inbox/deep/b.md"]


def test_identified_are_the_live_notes_with_one_of_the_keys(make: Make) -> None:
    vault = make({
        "a.md": "---\nEmail: x@y.org\n---\n", "b.md": "---\ndoi: 1\n---\n", "c.md": "email: no property\n",
        "d.md": "---\nemail: x@y.org\ntype: episode\n---\n", "e.md": "---\nemail: x@y.org\nstatus: superseded\n---\n",
    })  # fmt: skip
    rows = vault.ctx.graph.run("identified", keys=['"email":'], after="")
    assert [row["path"] for row in rows] == ["a.md"]


def test_shared_names_are_pairs_with_a_rare_word_that_nobody_told_apart(make: Make) -> None:
    vault = make({
        "Mira.md": "m\n", "Mira Holt.md": "m\n", "Mira Sund.md": '---\ndistinct_from: "[[Mira]]"\n---\n', "Bo.md": "b\n",
        "Mira call.md": "---\ntype: episode\n---\n",
    })  # fmt: skip
    rows = vault.ctx.graph.run("shared-names", df_max=4)
    assert [(row["left"], row["right"], row["words"]) for row in rows] == [("Mira Holt.md", "Mira Sund.md", 1), ("Mira Holt.md", "Mira.md", 1)]
    assert vault.ctx.graph.run("shared-names", df_max=3) == []


def test_linking_notes_are_live_and_no_episodes(make: Make) -> None:
    vault = make({
        "a.md": "[[x]]\n", "b.md": '---\nof: "[[x]]"\n---\n', "c.md": "part_of:: [[x]]\n", "d.md": "---\ntype: episode\n---\n[[x]]\n",
        "e.md": "[[y]]\n", "x.md": "x\n", "y.md": "y\n",
    })  # fmt: skip
    rows = vault.ctx.graph.run("linking-notes", path="x.md", after="")
    assert [row["path"] for row in rows] == ["a.md", "b.md", "c.md"]


def test_unexplained_are_typed_edges_without_a_reason(make: Make) -> None:
    vault = make({"a.md": "part_of:: [[x]]\n", "b.md": "- part_of:: [[x]] - told so\n", "c.md": "[[x]]\n", "x.md": "x\n"})
    assert vault.ctx.graph.run("unexplained", skip=0) == [{"source": "a.md", "type": "part_of", "target": "x.md", "lines": [1]}]
