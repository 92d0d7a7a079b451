"""The verbs of `Brain` on a real vault: what they need, what they change, and what they say when they cannot."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from brain.core.plan import Applied
from brain.core.recall import Query
from brain.errors import NotFound, UsageError
from brain.facade import STAGES, Brain
from tests.laws.support import NOW, FixedClock

NOTES = {
    "House.md": "# House\n\nWhere everything stands: [[Home Server]].\n",
    "Home Server.md": "---\nkind: project\n---\n# Home Server\n\nThe old laptop runs the backups.\n",
    "Garden.md": "# Garden\n\nTomatoes and beans.\n",
}
Open = Callable[..., Brain]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    for path, text in NOTES.items():
        (tmp_path / path).write_text(text, "utf-8")
    return tmp_path


@pytest.fixture
def opened(vault: Path, engine: str) -> Open:
    def brain(**environ: str) -> Brain:
        settings = {"BRAIN_EMBED_MODEL": "lexical", "BRAIN_MACHINE": "m-test", "BRAIN_ENGINE": engine, **environ}
        return Brain.open(vault, clock=FixedClock(), environ=settings)

    return brain


def digest(root: Path) -> dict[str, str]:
    """Every note; the timeline is a view, which tells what was taken back too."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in root.rglob("*.md") if "Timeline" not in path.parts}


def test_opening_touches_nothing(vault: Path, opened: Open) -> None:
    opened()
    assert sorted(path.name for path in vault.iterdir()) == sorted(NOTES)


def test_a_folder_that_is_not_there_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        Brain.open(tmp_path / "nowhere", environ={})


def test_reading_needs_an_index_and_says_how_to_make_one(opened: Open) -> None:
    brain = opened()
    verbs: tuple[Callable[[], object], ...] = (
        lambda: brain.search(Query("a")), lambda: brain.get("a"), lambda: brain.links("a"), brain.list, brain.tree, brain.export,
        lambda: brain.cypher("RETURN 1"),
    )  # fmt: skip
    for verb in verbs:
        with pytest.raises(NotFound) as caught:
            verb()
        assert caught.value.cure == "brain index"
    assert not brain.space.layout.state.exists()


def test_reading_verbs_change_no_note(vault: Path, opened: Open) -> None:
    before = digest(vault)
    brain = opened()
    brain.index()
    brain.search(Query("laptop"))
    brain.get("House")
    brain.links("House")
    brain.list()
    brain.tree()
    brain.status()
    brain.doctor()
    brain.cypher("RETURN 1")
    list(brain.export(now=NOW))
    assert digest(vault) == before


def test_what_was_served_is_noted_in_the_journal(opened: Open) -> None:
    brain = opened()
    brain.index()
    hits = brain.search(Query("laptop", mode="lexical")).hits
    note = brain.get("Garden").note
    touched = [record["ids"] for record in brain.space.journal.records({"touched"})]
    assert touched == [[hit.id for hit in hits], [note.id]]
    brain.search(Query("laptop"), touch=False)
    brain.get("House", touch=False)
    brain.search(Query("xylophone", mode="lexical"))
    assert len(brain.space.journal.records({"touched"})) == 2


def test_get_reads_the_file_as_it_is_now(vault: Path, opened: Open) -> None:
    brain = opened()
    brain.index()
    (vault / "Garden.md").write_text("Only weeds.\n", "utf-8")
    assert brain.get("Garden").text == "Only weeds.\n"
    (vault / "Garden.md").unlink()
    with pytest.raises(NotFound):
        brain.get("Garden")


def test_links_are_given_both_ways(opened: Open) -> None:
    brain = opened()
    brain.index()
    view, links, backlinks = brain.links("Home Server")
    assert (view.path, links, [link.path for link in backlinks]) == ("Home Server.md", (), ["House.md"])


def test_vectors_of_another_model_leave_words_to_answer_and_a_notice(opened: Open) -> None:
    opened().index()
    answer = opened(BRAIN_EMBED_MODEL="minilm").search(Query("laptop"))
    assert [hit.path for hit in answer.hits] == ["Home Server.md"]
    assert any("words only" in notice and "brain " in notice for notice in answer.notices)


def test_vectors_that_are_gone_leave_words_to_answer_too(opened: Open) -> None:
    brain = opened()
    brain.index()
    for path in brain.space.layout.index.glob("vectors-*"):
        path.unlink()
    answer = brain.search(Query("laptop"))
    assert [hit.path for hit in answer.hits] == ["Home Server.md"]
    assert answer.notices


def test_searching_by_words_loads_no_embedder(opened: Open) -> None:
    brain = opened()
    brain.index()
    assert brain.search(Query("laptop")).signals == ("words", "vector")
    assert brain.search(Query("laptop", mode="lexical")).signals == ("words",)


def test_a_full_index_is_made_anew(opened: Open) -> None:
    brain = opened()
    assert brain.index().added
    assert brain.index().rebuilt is False
    assert brain.index(full=True).rebuilt is True


def test_a_query_that_writes_is_refused(opened: Open) -> None:
    brain = opened()
    brain.index()
    with pytest.raises(UsageError):
        brain.cypher("MATCH (n:Note) DETACH DELETE n")
    assert brain.cypher("MATCH (n:Note) RETURN count(n)").rows == ((len(NOTES),),)
    assert brain.cypher("MATCH (n:Note) RETURN n.path", rows_max=1).truncated
    assert "Note(" in brain.cypher_schema()


def test_words_added_are_walked_into_the_note_they_are_about_and_taken_back(vault: Path, opened: Open) -> None:
    brain = opened()
    brain.index()
    assert isinstance(brain.add("Risk: [[Home Server]] has one disk."), Applied)
    before = digest(vault)
    planned = brain.run_stage("walk", dry_run=True)
    assert planned.applied
    assert digest(vault) == before
    done = brain.run_stage("walk")
    assert "one disk" in (vault / "Home Server.md").read_text("utf-8")
    assert brain.undo(done.run).left == ()
    assert digest(vault) == before
    assert brain.run_stage("walk").applied == ()


def test_maintain_runs_the_stages_in_order_and_embeds_what_is_new(opened: Open) -> None:
    brain = opened()
    brain.index()
    brain.add("Risk: [[Home Server]] has one disk.")
    assert [report.stage for report in brain.maintain()] == list(STAGES)
    status = brain.status()
    assert status.index == "current"
    assert status.counts is not None
    assert status.counts.vectors == status.counts.chunks > 0


def test_a_vault_where_nothing_can_be_fetched_says_which_setting_allows_it(opened: Open) -> None:
    with pytest.raises(UsageError) as caught:
        opened().fetch("https://pages.invalid/")
    assert "fetch = true" in caught.value.cure


def test_the_owner_gets_one_note_and_stands_first_in_the_tree(vault: Path, opened: Open) -> None:
    receipt = opened().set_owner("Ada Lovelace")
    assert isinstance(receipt, Applied)
    assert opened().set_owner(" ada lovelace ") is None
    assert (vault / "brain.toml").read_text("utf-8") == 'owner = "ada lovelace"\n'
    assert [branch.title for branch in opened().tree().branches] == ["Ada Lovelace"]
    assert opened().status().owner == "ada lovelace"


def test_the_export_is_the_same_twice(opened: Open) -> None:
    brain = opened()
    brain.index()
    assert list(brain.export(now=NOW)) == list(brain.export(now=NOW)) == list(brain.export())
