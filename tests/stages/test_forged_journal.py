"""A journal that was damaged or forged: what cannot be read for what it is counts for nothing, and nobody's file is touched."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain.core.ids import sha256_hex
from brain.core.plan import AppendToSection, CreateNote, SetField
from brain.errors import BrainError
from brain.stages import link, reconcile, walk
from brain.stages.commit import commit, recover
from brain.stages.ledger import read_ledger, runs_of
from brain.stages.undo import UndoReport, undo
from tests.stages.conftest import Make
from tests.stages.support import Vault, bare_vault, make_vault

RUN = "r-2026-05-01-aaaaaa"
EPISODE = "---\ntype: episode\ncreated: 2026-03-04\n---\nFact: [[Boat]] leaks.\n"
PATHS = ["../outside.md", "/etc/passwd.md", "a/../../outside.md", ".brain/lock", ".hidden/A.md", "A.txt", "", "a//b.md", "door/secret.md", "A.md/B.md", "x" * 300 + ".md", "/".join(["y" * 200] * 30) + ".md", "nul\x00.md", "\ud800.md"]
JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=8), st.sampled_from(PATHS), st.just({"base64": "%%%"}),
    st.just({"base64": "é"}), st.just([[0, 10**9, "x"]]), st.just([[-1, 0, "x"]]), st.lists(st.none(), max_size=2), st.dictionaries(st.text(max_size=3), st.none(), max_size=2),
)  # fmt: skip


def journal_of(vault: Vault) -> Path:
    (path,) = (vault.root / ".brain" / "journal").glob("*/*.jsonl")
    return path


def records_of(vault: Vault) -> list[dict[str, Any]]:
    return [json.loads(line) for line in journal_of(vault).read_text("utf-8").splitlines()]


def rewrite(vault: Vault, records: list[dict[str, Any]]) -> None:
    journal_of(vault).write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")


def outside_of(root: Path) -> dict[str, bytes]:
    """Every file beside the vault."""
    return {str(path): path.read_bytes() for path in root.parent.rglob("*") if path.is_file() and root not in path.parents}


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places inside a record, its own top aside."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*at, key)
        yield from places(inner, (*at, key))


def mutated(data: st.DataObject, record: dict[str, Any]) -> dict[str, Any]:
    changed = copy.deepcopy(record)
    place = data.draw(st.sampled_from([place for place in places(changed) if place != ("kind",)]), label="place")
    holder = changed
    for key in place[:-1]:
        holder = holder[key]
    if isinstance(holder, dict) and data.draw(st.booleans(), label="removed"):
        del holder[place[-1]]
    else:
        holder[place[-1]] = data.draw(JUNK, label="junk")
    return changed


def landed_vault(folder: str) -> Vault:
    """A vault beside a file that is not its own, with a run of three kinds of patches, and one that died."""
    root = Path(folder) / "v"
    (Path(folder) / "outside.md").write_text("not yours\n", "utf-8")
    vault = bare_vault(root, {"A.md": "a\n", "é.md": "caf\udce9\n", "B.md": "b\n"})
    (root / "door").symlink_to(folder, target_is_directory=True)
    plans = [vault.plan(SetField("A.md", "x", 1), CreateNote("C.md", "c\n"), key="one"), vault.plan(AppendToSection("é.md", "Atoms", ("- x",)), key="two")]
    commit(vault.ctx, plans, run=RUN)
    died = next(record for record in records_of(vault) if record["kind"] == "intended")
    file = {**died["files"][0], "path": "B.md", "before": "b\n", "hunks": [[0, 1, "c\n"]], "before_sha256": sha256_hex(b"b\n"), "after_sha256": sha256_hex(b"c\n")}
    rewrite(vault, [*records_of(vault), {**died, "item": "r-died.1", "run": "r-died", "files": [file]}])
    return vault


@given(data=st.data())
@settings(max_examples=150, suppress_health_check=list(HealthCheck), deadline=None)
def test_whatever_a_record_holds_no_command_crashes_or_leaves_the_vault(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault = landed_vault(folder)
        records = records_of(vault)
        for _ in range(data.draw(st.integers(1, 3), label="mutations")):
            at = data.draw(st.integers(0, len(records) - 1), label="record")
            records[at] = mutated(data, records[at])
        rewrite(vault, records)
        outside, before = outside_of(vault.root), vault.bytes()
        recover(vault.ctx)
        runs_of(read_ledger(vault.space.journal))
        for target in (RUN, None):
            try:
                report = undo(vault.ctx, target)
            except BrainError as error:
                assert error.exit_code != 4, error.message
            else:
                assert all(left.why for left in report.left)
        assert outside_of(vault.root) == outside
        assert set(vault.bytes()) <= set(before) | {"C.md"}


@given(data=st.data())
@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
def test_whatever_the_journal_of_a_walk_holds_the_stages_run(engine: str, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault = make_vault(Path(folder) / "v", {}, engine=engine)
        for path, text in {"Inbox/E.md": EPISODE, "Boat.md": "b\n"}.items():
            vault.write(path, text)
        vault.index()
        walk.run(vault.ctx)
        if data.draw(st.booleans(), label="taken back"):
            undo(vault.ctx)
        records = records_of(vault)
        for _ in range(data.draw(st.integers(1, 2), label="mutations")):
            at = data.draw(st.integers(0, len(records) - 1), label="record")
            records[at] = mutated(data, records[at])
        rewrite(vault, records)
        outside = outside_of(vault.root)
        for stage in (walk, reconcile, link):
            assert not stage.run(vault.ctx).failed
        assert vault.text("Boat.md").count("leaks") <= 1 and outside_of(vault.root) == outside


def damaged(tmp_path: Path, **changes: object) -> tuple[Vault, UndoReport]:
    """A vault whose one intent had its first file changed, and what undo says of it."""
    vault = bare_vault(tmp_path / "v", {"A.md": "a\n"})
    commit(vault.ctx, [vault.plan(SetField("A.md", "x", 1))], run=RUN)
    records = records_of(vault)
    records[0]["files"][0] |= changes
    rewrite(vault, records)
    return vault, undo(vault.ctx, RUN)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"path": "../outside.md"}, "`..`"), ({"path": "/etc/passwd.md"}, "not a path inside the vault"), ({"path": 7}, "`files`"), ({"path": ".brain/x.md"}, "hidden"),
        ({"before": {"base64": "%%%"}}, "damaged"), ({"before": "other\n"}, "damaged"), ({"hunks": [[0, "x", "y"]]}, "`files`"), ({"hunks": [[10**12, 10**12, "y"]]}, "damaged"),
        ({"before": None}, "does not fit together"), ({"after": "x"}, "does not fit together"), ({"before_sha256": 5}, "`files`"), ({"path": "y" * 300 + ".md"}, "no path of a file"),
    ],
)  # fmt: skip
def test_a_damaged_intent_is_refused_in_a_clear_line_and_nothing_is_written(tmp_path: Path, changes: dict[str, object], why: str) -> None:
    vault, report = damaged(tmp_path, **changes)
    (left,) = report.left
    assert why in left.why and report.undone == () and vault.text("A.md") == "---\nx: 1\n---\na\n"


def test_a_path_through_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "A.md").write_text("---\nx: 1\n---\na\n", "utf-8")
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "door").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    _, report = damaged(tmp_path, path="door/A.md")
    assert "goes through a link" in report.left[0].why
    assert (tmp_path / "elsewhere" / "A.md").read_text("utf-8") == "---\nx: 1\n---\na\n"


def test_an_open_intent_that_cannot_be_rolled_back_stops_no_command_and_is_said(make: Make) -> None:
    vault = make({"Inbox/E.md": EPISODE, "Boat.md": "b\n", "A.md": "a\n"})
    commit(vault.ctx, [vault.plan(SetField("A.md", "x", 1))], run=RUN)
    (vault.root / "door").symlink_to(vault.root.parent, target_is_directory=True)
    died = next(record for record in records_of(vault) if record["kind"] == "intended")
    for number, path in enumerate(["../outside.md", "door/secret.md", "A.md"]):
        vault.space.journal.append([{**died, "item": f"r-died.{number}", "files": [{**died["files"][0], "path": path, "before": "forged\n"}]}])
    report = walk.run(vault.ctx)
    assert len(report.applied) == 1 and len([notice for notice in report.notices if "cannot be used" in notice]) == 3
    assert vault.text("A.md") == "---\nx: 1\n---\na\n" and not (vault.root.parent / "outside.md").exists()


def test_undoings_that_undo_each_other_in_a_ring_count_for_nothing(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path / "v", {"A.md": "a\n"})
    commit(vault.ctx, [vault.plan(SetField("A.md", "x", 1))], run=RUN)
    item = next(iter(read_ledger(vault.space.journal).intents))
    ring = [("x", "y"), ("y", "x"), (item, "x"), (item, item)]
    vault.space.journal.append([{"kind": "undone", "at": vault.ctx.at, "item": one, "run": RUN, "within": other} for one, other in ring])
    vault.space.journal.append([{"kind": "landed", "at": vault.ctx.at, "item": name, "decision": "d"} for name in ("x", "y")])
    assert item not in read_ledger(vault.space.journal).undone
    assert undo(vault.ctx).undone == (item,) and vault.text("A.md") == "a\n"


def test_a_long_chain_of_undoings_is_followed(tmp_path: Path) -> None:
    vault = bare_vault(tmp_path / "v", {"A.md": "a\n"})
    names = [f"i{number}" for number in range(5_000)]
    vault.space.journal.append([{"kind": "landed", "at": vault.ctx.at, "item": name, "decision": "d"} for name in names])
    vault.space.journal.append([{"kind": "undone", "at": vault.ctx.at, "item": one, "within": other} for one, other in pairwise(names)])
    assert set(read_ledger(vault.space.journal).undone) == set(names[-2::-2])
