"""Real erasure: after it no byte of the folder holds the text, in any form, and what is left still works."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import sys
import unicodedata
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from brain.errors import NotFound, UsageError
from brain.facade import Brain
from brain.portability.erased import without
from brain.portability.needles import needles_of_note, needles_of_text
from brain.portability.purge import Purged
from brain.stages.discards import NAME
from tests.portability.support import brain_at, files_of, journal_of, make

SECRET = 'die Nummer "4711-ünïque"'


def forms_of(text: str) -> Iterator[bytes]:
    """Written here once more, so that the product is not its own judge."""
    for normal in {unicodedata.normalize(form, text) for form in ("NFC", "NFD")} | {text}:
        for once in {normal, json.dumps(normal)[1:-1], json.dumps(normal, ensure_ascii=False)[1:-1]}:
            yield once.encode()
            yield json.dumps(once)[1:-1].encode()


def holding(root: Path, text: str = SECRET) -> list[str]:
    """Every file of a folder, and of a zip in it, that holds the text."""
    found = []
    for path, data in files_of(root, but=(".git",)).items():
        inner = [data]
        if path.endswith(".zip"):
            with zipfile.ZipFile(root / path) as file:
                inner += [file.read(name) for name in file.namelist()]
        if any(form in part for part in inner for form in forms_of(text)):
            found.append(path)
    return found


@pytest.fixture
def brain(told: Path, tmp_path: Path, engine: str) -> Brain:
    return brain_at(shutil.copytree(told, tmp_path / "vault"), engine)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, engine: str) -> Path:
    """The text stands in a note, in an episode and the claim made of it, and in all that follows from these."""
    brain = make(tmp_path_factory.mktemp("told") / "vault", engine)
    root = brain.root
    brain.add(f"Decided: [[Boat]] has {SECRET} on its bow.", title="On the bow")
    assert brain.run_stage("walk").applied
    with open(root / "Keel.md", "a", encoding="utf-8") as file:
        file.write(f"\n{unicodedata.normalize('NFD', SECRET)} is on the keel.\nAnd more.\n")
    brain.index()
    (root / ".brain" / NAME).write_text(json.dumps({"at": "2026-01-01", "why": SECRET}) + "\n", "utf-8")
    (root / ".brain" / "maintain.log").write_text(f"walked {SECRET}\n", "utf-8")
    (root / ".brain-begun-abc-def.tmp").write_text(f"half of {SECRET}", "utf-8")
    other = root / ".brain" / "journal" / "m-other"
    other.mkdir()
    answer = {"kind": "answered", "at": "2026-05-01T00:00:00Z", "machine": "m-other", "key": "k", "answer": {"raw": json.dumps({"q": SECRET})}}
    (other / "2026-05.jsonl").write_text(json.dumps(answer) + "\n", "utf-8")
    assert brain.backup(label="with it")
    assert len(holding(root)) > 8
    return root


@pytest.fixture
def plain(tmp_path: Path, engine: str) -> Brain:
    return make(tmp_path / "plain", engine, embed="none")


@dataclass(frozen=True, slots=True)
class Erasing:
    """The vault after the text was erased, what that reported, and what there was before."""

    root: Path
    purged: Purged
    history: dict[str, bytes]
    hashes: set[str]


@pytest.fixture(scope="module")
def erasing(told: Path, tmp_path_factory: pytest.TempPathFactory, engine: str) -> Erasing:
    brain = brain_at(shutil.copytree(told, tmp_path_factory.mktemp("erased") / "vault"), engine)
    history, hashes = journal_of(brain.root), hashes_of(brain)
    return Erasing(brain.root, brain.purge(SECRET, dry_run=False), history, hashes)


@pytest.fixture
def erased(erasing: Erasing, tmp_path: Path, engine: str) -> Brain:
    """The vault after it, to go on with."""
    return brain_at(shutil.copytree(erasing.root, tmp_path / "vault"), engine)


def hashes_of(brain: Brain) -> set[str]:
    with sqlite3.connect(brain.space.layout.cache_path) as conn:
        return {row[0] for row in conn.execute("SELECT hash FROM embedding")}


def test_nothing_of_it_is_left_in_any_byte_of_the_folder(erasing: Erasing) -> None:
    assert holding(erasing.root) == []
    assert erasing.purged.left == ()
    assert (erasing.root / "Keel.md").read_text("utf-8").endswith("\n is on the keel.\nAnd more.\n")


def test_a_dry_run_names_every_place_and_changes_nothing(brain: Brain) -> None:
    before = {path: data for path, data in files_of(brain.root).items() if path != ".brain/lock"}
    history = journal_of(brain.root)
    places = {place.path: place for place in brain.purge(SECRET).places}
    assert set(places) >= set(holding(brain.root))
    assert places["Keel.md"].lines == (5,)
    assert places[".brain/journal/m-other/2026-05.jsonl"].lines == (1,)
    assert (files_of(brain.root), journal_of(brain.root)) == (before, history)


def test_a_backup_is_written_anew_without_it_and_still_is_one(erased: Brain, tmp_path: Path) -> None:
    (backup,) = erased.backups()
    assert (backup.label, backup.why) == ("with it", "")
    erased.restore_to(backup.path.name, tmp_path / "out")
    assert holding(tmp_path / "out") == []
    assert (tmp_path / "out" / "sail.png").read_bytes() == bytes(range(256))


def test_no_record_of_the_journal_is_lost(erasing: Erasing, erased: Brain) -> None:
    before = {name: data.count(b"\n") for name, data in erasing.history.items()}
    after = {name: data.count(b"\n") for name, data in journal_of(erased.root).items()}
    mine = next(name for name in before if name.startswith("m-test"))
    assert after == {**before, mine: before[mine] + 1}
    assert erased.space.journal.records() and erased.space.journal.unreadable == []
    assert not [finding for finding in erased.doctor() if finding.code == "journal-line"]


def test_a_run_that_wrote_it_cannot_be_undone_and_says_so(erased: Brain) -> None:
    walk = next(run for run in erased.runs() if run.stage == "walk")
    report = erased.undo(walk.run)
    assert report.undone == ()
    assert "erased by brain purge" in report.left[0].why


def test_a_later_run_that_has_nothing_to_do_with_it_is_undone(brain: Brain) -> None:
    brain.add("Decided: [[Keel]] gets paint.", title="Paint")
    walk = brain.run_stage("walk")
    brain.purge(SECRET, dry_run=False)
    assert "paint" in (brain.root / "Keel.md").read_text("utf-8")
    report = brain.undo(walk.run)
    assert report.left == ()
    assert "paint" not in (brain.root / "Keel.md").read_text("utf-8")


def test_an_episode_that_was_walked_is_not_walked_again(erased: Brain) -> None:
    assert erased.run_stage("walk").is_empty


def test_a_name_made_of_it_is_made_anew_and_links_follow(brain: Brain) -> None:
    brain.add(f"Decided: [[Keel]] knows {SECRET}.")
    assert brain.run_stage("walk").applied
    brain.purge(SECRET, dry_run=False)
    names = [path for path in files_of(brain.root) if "4711" in path]
    assert names == []
    assert holding(brain.root, "4711-ünïque") == []
    assert brain.run_stage("walk").is_empty
    assert not [finding for finding in brain.doctor() if finding.code.startswith("broken")]


def test_vectors_of_texts_that_are_no_more_are_gone(erasing: Erasing, erased: Brain) -> None:
    with erased.space.catalog() as conn:
        wanted = {row[0] for row in conn.execute("SELECT DISTINCT hash FROM chunk")}
    assert erasing.hashes - wanted
    assert hashes_of(erased) == wanted


def test_a_text_that_only_the_whole_of_a_change_shows_is_found(brain: Brain) -> None:
    record = {
        "kind": "intended", "at": "2026-01-01T00:00:00Z", "run": "r", "item": "i", "decision": "d", "stage": "edit", "key": "k", "because": "b",
        "provenance": [], "files": [file_record("the keel\nis red\n", "the keel\nis white\n")],
    }  # fmt: skip
    line = json.dumps(record).encode()
    (file,) = json.loads(without(line, needles_of_text("the keel\nis white")))["files"]
    assert (set(file["before"]), [set(hunk[2]) for hunk in file["hunks"]]) == ({"purged"}, [{"purged"}])


def file_record(before: str, after: str) -> Any:
    from brain.core.plan import Patch
    from brain.stages.record import file_records

    return file_records([Patch("A.md", before.encode(), after.encode())])[0]


def test_a_word_of_the_journal_itself_does_not_break_its_records(plain: Brain) -> None:
    plain.purge("landed", dry_run=False)
    assert plain.runs()
    assert plain.space.journal.records() and plain.space.journal.unreadable == []


def test_a_whole_note_goes_with_its_words(brain: Brain) -> None:
    path = next(path for path in files_of(brain.root) if path.endswith("On the bow.md"))
    purged = brain.purge(note=path, dry_run=False)
    assert purged.left == ()
    assert path not in files_of(brain.root)
    assert holding(brain.root, f"Decided: [[Boat]] has {SECRET} on its bow.") == []
    with pytest.raises(NotFound):
        brain.get(path)
    quotes = [record["quote"] for record in brain.space.journal.records({"provenance"}) if record["item"]]
    assert any(quote.startswith("purged:") for quote in quotes)
    assert any("red sail" in quote for quote in quotes)


def test_lines_that_other_notes_have_too_are_no_words_of_a_note() -> None:
    needles = needles_of_note("## A heading of all\nOnly here it stands.\n", ["# B\n## A heading of all\n"], paths=["A.md"], ids=["n-1"])
    assert needles.within(b"x Only here it stands. y")
    assert not needles.within(b"## A heading of all")


def test_what_cannot_be_reached_is_named(brain: Brain) -> None:
    (brain.root / "brain.toml").write_text(f"{(brain.root / 'brain.toml').read_text('utf-8')}# 4711-ünïque\n", "utf-8")
    (brain.root / "scan.pdf").write_bytes(b"\xff\xfe 4711-" + "ünïque".encode())
    purged = brain.purge("4711-ünïque", dry_run=False)
    assert {place.path for place in purged.left} == {"brain.toml", "scan.pdf"}
    assert all(place.why for place in purged.left)


def test_a_text_too_short_to_be_meant_is_refused(brain: Brain) -> None:
    with pytest.raises(UsageError):
        brain.purge(" a b ", dry_run=False)


def test_a_text_that_stands_nowhere_changes_nothing(brain: Brain) -> None:
    before = journal_of(brain.root), files_of(brain.root)
    assert brain.purge("nobody ever wrote this", dry_run=False).places == ()
    assert journal_of(brain.root) == before[0]


@pytest.mark.parametrize(
    "written", ["[a](Der%20geheime%20M%C3%BCll.md)", "[a](Der%20geheime%20M%c3%bcll.md)", "[a](Der%20geheime%20M\u00fcll.md)", "[[Der geheime Mu\u0308ll]]"]
)
def test_it_is_found_in_links_whatever_way_they_are_written(plain: Brain, written: str) -> None:
    (plain.root / "N.md").write_text(f"vor {written} nach\n", "utf-8")
    assert plain.purge("Der geheime M\u00fcll", dry_run=False).left == ()
    assert "geheime" not in (plain.root / "N.md").read_text("utf-8")


def test_it_is_found_in_quotes_of_yaml_and_in_html() -> None:
    needles = needles_of_text("Bob's <own>")
    assert needles.cut(b"title: 'Bob''s <own>'\n<b>Bob's &lt;own&gt;</b>") == b"title: ''\n<b></b>"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "cp1252"])
def test_a_file_in_another_encoding_is_named(plain: Brain, encoding: str) -> None:
    (plain.root / "old.txt").write_bytes("das M\u00fcll-Wort".encode(encoding))
    assert [place.path for place in plain.purge("M\u00fcll-Wort", dry_run=False).left] == ["old.txt"]


def test_letters_that_are_others_in_an_older_encoding_stay() -> None:
    assert not needles_of_text("\u00c3\u00bcber").within("\u00fcber".encode())


def test_a_backup_anywhere_in_the_vault_is_written_anew(plain: Brain) -> None:
    (plain.root / "N.md").write_text(f"x {SECRET} y", "utf-8")
    (plain.root / "Kept").mkdir()
    assert plain.backup(to=plain.root / "Kept")
    assert plain.purge(SECRET, dry_run=False).left == ()
    assert holding(plain.root) == []


def test_names_in_a_backup_become_free_names_of_files_and_folders(plain: Brain, tmp_path: Path) -> None:
    for path in ("geheim4711/picture.png", "geheim4711.txt", "geheim4711", "A.txt", "A geheim4711.txt"):
        (plain.root / path).parent.mkdir(exist_ok=True)
        if not (plain.root / path).is_dir():
            (plain.root / path).write_text(path.replace("geheim4711", "x"), "utf-8")
    made = plain.backup()
    assert made is not None
    for path in ("geheim4711/picture.png", "geheim4711.txt", "A geheim4711.txt"):
        (plain.root / path).unlink()
    (plain.root / "geheim4711").rmdir()
    assert plain.purge("geheim4711", dry_run=False).left == ()
    assert plain.restore_to(str(made.backup.path), tmp_path / "out") == made.backup.files
    back = files_of(tmp_path / "out")
    assert {"A.txt", "A (2).txt"} <= set(back)
    assert sorted(data for path, data in back.items() if path.startswith("purged-")) == [b"x.txt", b"x/picture.png"]


def test_a_note_that_would_get_the_name_of_another_is_refused_before_anything_is_erased(plain: Brain) -> None:
    (plain.root / "A.md").write_text("mine\n", "utf-8")
    (plain.root / "A geheim4711.md").write_text("other geheim4711\n", "utf-8")
    plain.index()
    before = files_of(plain.root)
    with pytest.raises(UsageError, match="Nothing was erased"):
        plain.purge("geheim4711", dry_run=False)
    assert files_of(plain.root) == before
    assert not (plain.root / ".brain" / "purging").exists()


@pytest.mark.parametrize("word", ["journal", "discarded", "provenance", "path", "2026-0"])
def test_a_word_in_the_names_of_brains_own_files_leaves_those_as_they_are(plain: Brain, tmp_path: Path, word: str) -> None:
    made = plain.backup()
    assert made is not None
    count = {name: data.count(b"\n") for name, data in journal_of(plain.root).items()}
    purged = plain.purge(word, dry_run=False)
    assert [place for place in purged.left if place.path not in {made.backup.path.relative_to(plain.root).as_posix(), "brain.toml"}] == []
    assert plain.restore_to(str(made.backup.path), tmp_path / "out") == made.backup.files
    assert set(count) <= set(journal_of(plain.root)) == set(journal_of(tmp_path / "out"))
    assert plain.space.journal.unreadable == []


def test_common_fields_and_headings_of_a_note_are_no_words_of_its_own() -> None:
    note = "---\ncreated: 2026-04-04\nstatus: archived\ntoken: sk-0123456789abc\n---\n## Open questions\nOnly here it stands.\n"
    needles = needles_of_note(note, [], paths=["A.md"], ids=["n-1"])
    other = b"---\ncreated: 2026-04-04\nstatus: archived\n---\n## Open questions\n"
    assert needles.cut(other) == other
    assert needles.within(b"token: sk-0123456789abc")


def test_a_note_with_many_places_is_told_in_little_time() -> None:
    assert needles_of_text("abcd").lines(b"abcd\nabcd abcd\n\n" * 100_000)[-1] == 299_999


@pytest.mark.slow
@pytest.mark.parametrize("note", [None, "Secret.md"])
def test_killed_anywhere_the_same_command_completes_it(tmp_path: Path, engine: str, note: str | None) -> None:
    made = make(tmp_path / "made", engine, embed="none")
    (made.root / "Secret.md").write_text(f"# Secret\n\nThey say {SECRET}, nobody else does.\n", "utf-8")
    made.add(f"Decided: [[Boat]] has {SECRET} on its bow.", title="On the bow")
    assert made.backup()
    lines = lines_of_purge(brain_at(shutil.copytree(made.root, tmp_path / "whole"), engine, "none"), note)
    assert lines > 100
    for number in range(1 if note else 2, 7, 2):  # each at other places
        root = shutil.copytree(made.root, tmp_path / f"{number}")
        assert killed(brain_at(root, engine, "none"), note, number * lines // 7)
        again = brain_at(root, engine, "none")
        purged = again.purge(note=note, dry_run=False) if note else again.purge(SECRET, dry_run=False)
        assert (holding(root, f"They say {SECRET}, nobody else does." if note else SECRET), purged.left) == ([], ())
        assert not (root / ".brain" / "purging").exists()
        assert not [finding for finding in again.doctor() if finding.severity == "error"]


def purge_in_child(brain: Brain, note: str | None, at: int) -> int:
    """Runs it in a child that gets SIGKILL before line `at` of the erasing; returns what waiting for it says."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        seen = 0

        def look(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal seen
            if not frame.f_code.co_filename.endswith(("portability/purge.py", "stages/purging.py", "vault/write.py")):
                return None
            if event == "line":
                seen += 1
                if seen == at:
                    os.kill(os.getpid(), signal.SIGKILL)
            return look

        sys.settrace(look)
        try:
            brain.purge(note=note, dry_run=False) if note else brain.purge(SECRET, dry_run=False)
            os.write(write, str(seen).encode())
        finally:
            os._exit(0)
    os.close(write)
    _, status = os.waitpid(child, 0)
    with os.fdopen(read) as pipe:
        told = pipe.read()
    return int(told) if told else -status


def lines_of_purge(brain: Brain, note: str | None) -> int:
    return purge_in_child(brain, note, -1)


def killed(brain: Brain, note: str | None, at: int) -> bool:
    return purge_in_child(brain, note, at) == -signal.SIGKILL
