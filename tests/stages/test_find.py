"""The named queries of the stages, each on a handful of notes."""

from __future__ import annotations

from tests.stages.conftest import Make
from tests.stages.support import Vault


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
    assert [(row["path"], row["title"], row["properties"]) for row in rows] == [("a.md", "a", '{"Email": "x@y.org"}')]


def ids_of(vault: Vault) -> dict[str, str]:
    with vault.space.catalog() as conn:
        return dict(conn.execute("SELECT path, id FROM note"))


def test_name_blocks_are_the_live_notes_with_one_rare_word_in_their_names(make: Make) -> None:
    vault = make({
        "Mira.md": "m\n", "Mira Holt.md": "m\n", "Bo Holt.md": "b\n", "Mira Sund.md": "---\nstatus: archived\n---\n", "Mira call.md": "---\ntype: episode\n---\n",
    })  # fmt: skip
    ids = ids_of(vault)
    holt = {"word": "holt", "notes": sorted((ids["Bo Holt.md"], ids["Mira Holt.md"]))}
    mira = {"word": "mira", "notes": sorted((ids["Mira Holt.md"], ids["Mira.md"]))}
    assert vault.ctx.graph.run("name-blocks", df_max=4, after="") == [holt, mira]
    assert vault.ctx.graph.run("name-blocks", df_max=4, after="holt") == [mira]
    assert vault.ctx.graph.run("name-blocks", df_max=3, after="") == [holt]


def test_link_blocks_are_the_live_notes_that_link_to_what_few_others_do(make: Make) -> None:
    vault = make({
        "a.md": "[[x]] [[hub]]\n", "b.md": "see [[x]] [[x]] [[hub]]\n", "c.md": "part_of:: [[x]] - so\n", "d.md": "[[hub]]\n", "e.md": "[[y]] [[hub]]\n",
        "f.md": "---\ntype: episode\n---\n[[y]]\n", "x.md": "", "y.md": "", "hub.md": "",
    })  # fmt: skip
    ids = ids_of(vault)
    block = {"target": ids["x.md"], "notes": sorted(ids[path] for path in ("a.md", "b.md", "c.md"))}
    assert vault.ctx.graph.run("link-blocks", df_max=3, after="") == [block]
    assert vault.ctx.graph.run("link-blocks", df_max=3, after=ids["x.md"]) == []
    assert [len(row["notes"]) for row in vault.ctx.graph.run("link-blocks", df_max=4, after="")] in ([3, 4], [4, 3])


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
