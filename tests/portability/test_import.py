"""Bundles: what one vault exports another one takes in, with nothing lost, nothing written over, and twice like once."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from brain.core.ids import sha256_hex
from brain.errors import UsageError
from brain.facade import Brain
from brain.portability.output import write_lines
from tests.portability.support import brain_at, files_of, is_walked, journal_of, make


@pytest.fixture
def brain(tmp_path: Path, engine: str) -> Brain:
    return make(tmp_path / "vault", engine)


def bundle_of(brain: Brain, place: Path) -> Path:
    write_lines(place, brain.export_as("jsonl", full=True))
    return place


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory, engine: str) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    return bundle_of(make(folder / "vault", engine), folder / "b.jsonl")


@pytest.fixture
def bundle(exported: Path, tmp_path: Path) -> Path:
    """What the vault exports, to be spoiled."""
    return Path(shutil.copyfile(exported, tmp_path / "b.jsonl"))


def empty(root: Path, engine: str) -> Brain:
    root.mkdir()
    return brain_at(root, engine)


def test_an_empty_folder_becomes_a_vault_with_the_same_graph_to_the_byte(brain: Brain, tmp_path: Path, engine: str) -> None:
    other = empty(tmp_path / "other", engine)
    other.import_bundle(bundle_of(brain, tmp_path / "b.jsonl"))
    now = brain.space.clock.now()
    assert list(other.export(now=now)) == list(brain.export(now=now))
    notes = {path: data for path, data in files_of(brain.root).items() if path.endswith(".md") and not path.startswith("Timeline")}
    assert {path: files_of(other.root)[path] for path in notes} == notes
    assert (other.root / "brain.toml").read_bytes() == (brain.root / "brain.toml").read_bytes()


def test_what_was_walked_stays_walked_and_can_be_undone_there(bundle: Path, tmp_path: Path, engine: str) -> None:
    other = empty(tmp_path / "other", engine)
    other.import_bundle(bundle)
    assert is_walked(other, "Inbox/2026-05-02 talk.md")
    assert other.run_stage("walk").is_empty
    walked = next(run for run in other.runs() if run.stage == "walk")
    assert "red sail" in (other.root / "Boat.md").read_text("utf-8")
    other.undo(walked.run)
    assert "red sail" not in (other.root / "Boat.md").read_text("utf-8")


def test_twice_changes_nothing_the_second_time(bundle: Path, tmp_path: Path, engine: str) -> None:
    other = empty(tmp_path / "other", engine)
    other.import_bundle(bundle)
    before = files_of(other.root), journal_of(other.root)
    again = other.import_bundle(bundle)
    assert (files_of(other.root), journal_of(other.root)) == before
    assert again.report.is_empty
    assert (again.records, again.differing, again.files) == (0, (), ())
    renamed = other.import_bundle(bundle, rename=True)
    assert (files_of(other.root), renamed.renamed) == (before[0], {})


def test_it_is_one_run_that_undo_takes_back(bundle: Path, tmp_path: Path, engine: str) -> None:
    other = empty(tmp_path / "other", engine)
    other.import_bundle(bundle)
    report = other.undo()
    assert set(report.removed) >= {"Boat.md", "Keel.md", "Folder/Ünï.md"}
    assert not [path for path in files_of(other.root) if path.endswith(".md")]


def test_a_note_that_is_there_with_other_bytes_is_kept_and_named(bundle: Path, tmp_path: Path, engine: str) -> None:
    other = empty(tmp_path / "other", engine)
    (other.root / "Keel.md").write_text("# My keel\n", "utf-8")
    (other.root / "boat.md").write_text("# A case twin\n", "utf-8")
    imported = other.import_bundle(bundle)
    assert imported.differing == ("Boat.md", "Keel.md")
    assert (other.root / "Keel.md").read_text("utf-8") == "# My keel\n"
    assert not (other.root / "Boat.md").exists()


def test_rename_puts_it_beside_once(brain: Brain, tmp_path: Path, engine: str) -> None:
    bundle, other = bundle_of(brain, tmp_path / "b.jsonl"), empty(tmp_path / "other", engine)
    (other.root / "Keel.md").write_text("# My keel\n", "utf-8")
    assert other.import_bundle(bundle, rename=True).renamed == {"Keel.md": "Keel (2).md"}
    assert (other.root / "Keel (2).md").read_bytes() == (brain.root / "Keel.md").read_bytes()
    other.import_bundle(bundle, rename=True)
    assert not (other.root / "Keel (3).md").exists()


def test_a_dry_run_writes_nothing(bundle: Path, tmp_path: Path, engine: str) -> None:
    other = empty(tmp_path / "other", engine)
    imported = other.import_bundle(bundle, dry_run=True)
    assert len(imported.report.applied) == 4
    assert imported.records > 0
    assert (files_of(other.root), journal_of(other.root)) == ({}, {})


def test_an_id_that_two_notes_claim_is_reported(brain: Brain, tmp_path: Path, engine: str) -> None:
    (brain.root / "Id.md").write_text("---\nid: n-same\n---\n", "utf-8")
    brain.index()
    bundle, other = bundle_of(brain, tmp_path / "b.jsonl"), empty(tmp_path / "other", engine)
    (other.root / "Mine.md").write_text("---\nid: n-same\n---\n", "utf-8")
    assert other.import_bundle(bundle).clashing == {"n-same": ("Mine.md", "Id.md")}


def test_bytes_that_are_no_text_come_over_as_they_are(brain: Brain, tmp_path: Path, engine: str) -> None:
    (brain.root / "Odd.md").write_bytes(b"\xef\xbb\xbf# Odd\r\n\xff\xfe half \xc3\n")
    brain.index()
    other = empty(tmp_path / "other", engine)
    other.import_bundle(bundle_of(brain, tmp_path / "b.jsonl"))
    assert (other.root / "Odd.md").read_bytes() == (brain.root / "Odd.md").read_bytes()


@pytest.mark.parametrize("path", ["../x.md", "/x.md", ".git/x.md", "a/../../x.md", "x.sh", ".brain/index/x.md"])
def test_a_path_that_leads_out_is_refused_before_anything_is_written(bundle: Path, tmp_path: Path, engine: str, path: str) -> None:
    lines = [json.loads(line) for line in bundle.read_text("utf-8").splitlines()]
    evil = [{**row, "note": path} if row.get("note") == "Keel.md" else row for row in lines]
    bundle.write_text("\n".join(map(json.dumps, evil)) + "\n", "utf-8")
    other = empty(tmp_path / "other", engine)
    with pytest.raises(UsageError, match="not safe"):
        other.import_bundle(bundle)
    assert files_of(tmp_path / "other") == {}


def test_a_file_that_no_bundle_holds_is_refused(bundle: Path, tmp_path: Path, engine: str) -> None:
    bundle.write_text(bundle.read_text("utf-8").replace('"file": "brain.toml"', '"file": "start.sh"'), "utf-8")
    with pytest.raises(UsageError, match="no file of a bundle"):
        empty(tmp_path / "other", engine).import_bundle(bundle)
    assert files_of(tmp_path / "other") == {}


def test_a_bundle_that_was_cut_off_or_changed_is_refused(bundle: Path, tmp_path: Path, engine: str) -> None:
    other = empty(tmp_path / "other", engine)
    whole = bundle.read_text("utf-8")
    for text, said in ((whole[: whole.rindex('{"end"')], "cut off"), (whole.replace("Lead, and", "Gold, and"), "not what was put in"), ("{}\n", "no bundle"), ("x", "no JSON")):
        bundle.write_text(text, "utf-8")
        with pytest.raises(UsageError, match=said):
            other.import_bundle(bundle)
    assert files_of(other.root) == {}


def test_a_line_of_its_journal_that_is_no_record_is_not_taken(bundle: Path, tmp_path: Path, engine: str) -> None:
    other = empty(tmp_path / "other", engine)
    rows = [json.loads(line) for line in bundle.read_text("utf-8").splitlines()]
    rows[-1]["end"]["journal"] += 1
    rows.insert(-1, {"journal": "m-x/2026-01.jsonl", "line": "no record"})
    bundle.write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    assert other.import_bundle(bundle).refused == 1
    assert b"no record" not in b"".join(journal_of(other.root).values())


def changed(bundle: Path, **said: object) -> Path:
    """The bundle, of which the line of one note says something else."""
    rows = [json.loads(line) for line in bundle.read_text("utf-8").splitlines()]
    bundle.write_text("\n".join(json.dumps({**row, **said} if row.get("note") == "Keel.md" else row) for row in rows) + "\n", "utf-8")
    return bundle


@pytest.mark.parametrize(
    "said", [{"note": "\ud83d.md"}, {"note": "z" * 300 + ".md"}, {"note": "Boat.md/x.md"}, {"mtime_ns": 10**30}, {"mtime_ns": float("inf")}]
)
def test_what_no_file_can_be_is_refused_before_anything_is_written(bundle: Path, tmp_path: Path, engine: str, said: dict[str, object]) -> None:
    other = empty(tmp_path / "other", engine)
    with pytest.raises(UsageError, match="Nothing was written"):
        other.import_bundle(changed(bundle, **said))
    assert files_of(other.root) == {}


@pytest.mark.parametrize("name", ["m" * 300 + "/2026-01.jsonl", "m\ud800/2026-01.jsonl"])
def test_a_name_that_no_journal_can_have_is_refused(bundle: Path, tmp_path: Path, engine: str, name: str) -> None:
    rows = [json.loads(line) for line in bundle.read_text("utf-8").splitlines()]
    bundle.write_text("\n".join(json.dumps({**row, "journal": name} if "journal" in row else row) for row in rows) + "\n", "utf-8")
    other = empty(tmp_path / "other", engine)
    with pytest.raises(UsageError, match="no file of a journal"):
        other.import_bundle(bundle)
    assert files_of(other.root) == {}


def test_settings_that_cannot_be_read_are_not_left_in_the_vault(bundle: Path, tmp_path: Path, engine: str) -> None:
    rows = [json.loads(line) for line in bundle.read_text("utf-8").splitlines()]
    bad = {"text": "[[[", "sha256": sha256_hex(b"[[[")}
    bundle.write_text("\n".join(json.dumps({**row, **bad} if row.get("file") == "brain.toml" else row) for row in rows) + "\n", "utf-8")
    other = empty(tmp_path / "other", engine)
    with pytest.raises(UsageError, match="not valid TOML"):
        other.import_bundle(bundle)
    assert not (other.root / "brain.toml").exists()
