"""Touches: what was served weighs 1 again, what it is part of has a share, and a rebuild gives the same weights."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.core.recall import Query
from brain.facade import Brain
from brain.portability.export import export_lines
from brain.sync.run import sync
from brain.sync.space import Space
from tests.laws.support import NOW, graph_rows, rebuilt_state, state_of
from tests.sync.support import note_id, put

TREE = {
    "Top.md": "---\ncreated: 2018-03-01\nimportance: 0\n---\n",
    "Up.md": "---\ncreated: 2018-03-01\nimportance: 0\npart_of: '[[Top]]'\n---\n",
    "Mid.md": "---\ncreated: 2018-03-01\nimportance: 0\npart_of: '[[Up]]'\n---\n",
    "Low.md": "---\ncreated: 2018-03-01\nimportance: 0\npart_of: '[[Mid]]'\n---\nquince\n",
    "Leaf.md": "---\ncreated: 2018-03-01\nimportance: 0\npart_of: '[[Low]]'\n---\nquince marmalade\n",
}


@pytest.fixture
def tree(space: Space) -> Space:
    for path, text in TREE.items():
        put(space, path, text)
    sync(space, now=NOW)
    return space


def weights(space: Space, now: datetime = NOW) -> dict[str, float]:
    """The weight of each note at an instant, as the export has it."""
    nodes = [json.loads(line) for line in export_lines(space, now)]
    return {node["path"]: node["weight"] for node in nodes if node.get("node") == "Note"}


def test_a_touch_gives_a_share_to_three_levels_above(tree: Space) -> None:
    Brain(tree).get("Leaf")
    sync(tree, now=NOW)
    found = weights(tree)
    assert [found[f"{name}.md"] for name in ("Leaf", "Low", "Mid", "Up")] == pytest.approx([1.0, 0.6, 0.36, 0.216])
    assert found["Top.md"] < 0.001
    assert weights(tree, NOW + timedelta(days=60))["Low.md"] == pytest.approx(0.3)


def test_an_ancestor_that_weighs_more_keeps_its_own_clock(tree: Space) -> None:
    put(tree, "Low.md", "---\ncreated: 2026-05-31\nimportance: 0\npart_of: '[[Mid]]'\n---\nquince\n")
    sync(tree, now=NOW)
    before = weights(tree)["Low.md"]
    Brain(tree).get("Leaf")
    sync(tree, now=NOW)
    assert weights(tree)["Low.md"] == before > 0.9


def test_only_what_was_served_is_touched(tree: Space) -> None:
    answer = Brain(tree).search(Query("quince", limit=1))
    sync(tree, now=NOW)
    (served,) = [hit.path for hit in answer.hits]
    (other,) = {"Low.md", "Leaf.md"} - {served}
    assert weights(tree)[served] == 1.0
    assert weights(tree)[other] < 1.0


def test_touches_give_the_same_graph_by_steps_and_by_a_rebuild(tree: Space) -> None:
    Brain(tree).get("Leaf")
    sync(tree, now=NOW)
    put(tree, "Leaf.md", "---\ncreated: 2018-03-01\nimportance: 0\npart_of: '[[Top]]'\n---\nmoved\n")
    Brain(tree).get("Mid")
    sync(tree, now=NOW)
    assert state_of(tree) == rebuilt_state(tree)


@settings(max_examples=12)
@given(st.permutations(range(4)))
def test_the_order_in_which_touches_arrive_does_not_matter(engine: str, tmp_path_factory: pytest.TempPathFactory, order: list[int]) -> None:
    from tests.laws.support import space_of

    root = tmp_path_factory.mktemp("order") / "vault"
    root.mkdir()
    space = space_of(root, engine)
    for path, text in TREE.items():
        put(space, path, text)
    sync(space, now=NOW)
    ids = {name: note_id(space, f"{name}.md") for name in ("Leaf", "Low", "Mid", "Up")}
    records = [
        {"kind": "touched", "at": "2026-05-01T00:00:00Z", "ids": [ids["Leaf"]], "above": [[ids["Low"]], [ids["Mid"]], [ids["Up"]]]},
        {"kind": "touched", "at": "2026-03-01T00:00:00Z", "ids": [ids["Low"]], "above": [[ids["Mid"]], [ids["Up"]], []]},
        {"kind": "touched", "at": "2026-01-01T00:00:00Z", "ids": [ids["Mid"]]},
        {"kind": "touched", "at": "2026-02-01T00:00:00Z", "ids": [ids["Low"]], "above": [["\0", 5], 7]},
    ]
    place = space.journal.folder / "m-other" / "2026-05.jsonl"
    place.parent.mkdir(parents=True, exist_ok=True)
    for at in order:
        with place.open("a", encoding="utf-8") as file:
            file.write(json.dumps(records[at]) + "\n")
        sync(space, now=NOW)
    assert graph_rows(space)["Note"] == rebuilt_state(space)["Note"]
    shares = {"Leaf": 1.0, "Low": 0.6, "Mid": 0.36, "Up": 0.216}
    days = (NOW - datetime(2026, 5, 1, tzinfo=UTC)).total_seconds() / 86_400
    wanted = {name: share * 0.5 ** (days / 60) for name, share in shares.items()}
    wanted["Low"] = max(wanted["Low"], 0.5 ** ((days + 61) / 60))
    wanted["Mid"] = max(wanted["Mid"], 0.6 * 0.5 ** ((days + 61) / 60), 0.5 ** ((days + 120) / 60))
    wanted["Up"] = max(wanted["Up"], 0.36 * 0.5 ** ((days + 61) / 60))
    found = weights(space)
    assert {name: found[f"{name}.md"] for name in wanted} == pytest.approx(wanted, abs=1e-8)


def test_a_claim_that_a_stage_writes_into_a_note_counts_as_a_touch(tree: Space) -> None:
    put(tree, "Top.md", TREE["Top.md"] + "\n## Atoms\n- (fact) Has a name. ^a-name1\n")
    record = {
        "kind": "provenance", "at": "2026-06-01T11:00:00Z", "item": "a-name1", "plan": "p", "episode": "Leaf.md", "line": 1, "quote": "q",
        "reason": "r", "judge": "rules/1",
    }  # fmt: skip
    sync(tree, now=NOW)
    assert weights(tree)["Top.md"] < 0.001
    tree.journal.append([record])
    sync(tree, now=NOW)
    assert weights(tree)["Top.md"] > 0.99
    assert state_of(tree) == rebuilt_state(tree)


def test_a_relation_that_a_stage_writes_is_as_young_as_its_record(tree: Space) -> None:
    put(tree, "Top.md", TREE["Top.md"] + "\n## Related\n- about:: [[Leaf]] - seen\n")
    sync(tree, now=NOW)
    assert edge(tree)["last_reinforced"] == "2018-03-01"
    source = {"plan": "p", "episode": "Top.md", "line": 1, "quote": "q", "reason": "r", "judge": "rules/1"}
    tree.journal.append([{"kind": "provenance", "at": "2026-05-30T11:00:00Z", "item": "Top.md|about|Leaf.md", **source}])
    sync(tree, now=NOW)
    assert edge(tree)["last_reinforced"] == "2026-05-30"
    assert edge(tree)["weight"] > 0.97
    assert state_of(tree) == rebuilt_state(tree)


def test_what_a_relation_of_a_stage_leads_to_counts_as_touched_while_it_stands(tree: Space) -> None:
    source = {"plan": "p", "episode": "Top.md", "line": 1, "quote": "q", "reason": "r", "judge": "rules/1"}
    tree.journal.append([{"kind": "provenance", "at": "2026-06-01T11:00:00Z", "item": "Top.md|about|Deep/Fig.md", **source}])
    stated = TREE["Top.md"] + "\n## Related\n- about:: [[Fig]] - seen\n"
    fig = "Deep/Fig.md"
    assert fig_weighs(tree, {fig: TREE["Top.md"]}) < 0.001
    assert fig_weighs(tree, {"Top.md": stated}) > 0.99
    assert fig_weighs(tree, {"Other/Fig.md": "a second one of the name\n"}) < 0.001, "the link is ambiguous now"
    assert fig_weighs(tree, {"Other/Fig.md": None}) > 0.99
    assert fig_weighs(tree, {"Top.md": TREE["Top.md"]}) < 0.001


def fig_weighs(space: Space, files: dict[str, str | None]) -> float:
    """Writes or removes files, syncs, and returns the weight as it is by steps and by a rebuild."""
    for path, text in files.items():
        if text is None:
            (space.vault.root / path).unlink()
        else:
            put(space, path, text)
    sync(space, now=NOW)
    assert state_of(space) == rebuilt_state(space)
    return weights(space)["Deep/Fig.md"]


def edge(space: Space) -> dict[str, Any]:
    (found,) = [row for line in export_lines(space, NOW) if (row := json.loads(line)).get("edge") == "EDGE" and row["type"] == "about"]
    return dict(found)
