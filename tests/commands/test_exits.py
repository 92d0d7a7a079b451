"""Exit codes, and which stream says what."""

from __future__ import annotations

import ctypes
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.commands.support import OFFLINE, ROOT, notes_of, run, spawn

HOLD = """
import sys
from pathlib import Path
from brain.vault.lock import VaultLock
with VaultLock(Path(sys.argv[1]) / ".brain" / "lock", 5).exclusive("a long walk"):
    print("held", flush=True)
    sys.stdin.read()
"""
CAP_DAC_OVERRIDE, PR_CAPBSET_DROP, PR_CAPBSET_READ = 1, 24, 23


def test_errors_never_go_where_data_goes(vault: Path) -> None:
    command = f'"{sys.executable}" -m cli --vault "{vault}" get nobody 2>&-'
    ended = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, env=environment(), cwd=ROOT, check=False)
    assert (ended.returncode, ended.stdout) == (1, b"")


def test_what_is_fine_exits_0(library: Path) -> None:
    for args in (["search", "laptop"], ["get", "House"], ["list"], ["links", "House"], ["tree"], ["status"], ["index"]):
        ran = run(*args, vault=library)
        assert (ran.code, ran.err) == (0, ""), args
        assert ran.out


@pytest.mark.parametrize("args", [["get", "Nothing"], ["links", "Nothing"], ["tree", "Nothing"], ["undo"], ["undo", "r-nothing"]], ids=" ".join)
def test_what_is_not_there_exits_1_and_says_what_to_type(vault: Path, args: list[str]) -> None:
    run("index", vault=vault)
    ran = run(*args, vault=vault)
    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(r"error: .+\ncure:  .+\n", ran.err)


def test_an_empty_answer_exits_1(library: Path) -> None:
    assert run("search", "xylophone", vault=library).code == 1
    assert run("list", "--kind", "insight", vault=library).code == 1
    assert run("list", "--kind", "insight", "--json", vault=library).json == []


def test_doctor_exits_1_for_errors_and_with_strict_for_warnings_too(library: Path, vault: Path, tmp_path: Path) -> None:
    assert [run("doctor", *options, vault=library).code for options in ((), ("--strict",), ("--brief",), ("--brief", "--strict"))] == [0, 1, 0, 1]
    (vault / "House.md").write_text("---\n- no keys\n---\n", "utf-8")
    run("index", vault=vault)
    assert [run("doctor", *options, vault=vault).code for options in ((), ("--strict",), ("--brief",), ("--brief", "--strict"))] == [1, 1, 1, 1]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "Alone.md").write_text("Nothing leads here; see [[Nobody]].\n", "utf-8")
    assert run("index", vault=tmp_path / "other").code == 0
    healthy = run("doctor", "--strict", vault=tmp_path / "other")
    assert healthy.code == 0
    assert "orphan" in healthy.out


def test_a_repair_that_is_none_exits_2_and_names_the_command_that_is(vault: Path) -> None:
    before = notes_of(vault)
    for code, cure in (("index-behind", "brain index"), ("bare-lnk", 'did you mean "bare-link"?')):
        ran = run("repair", code, vault=vault)
        assert (ran.code, ran.out, ran.err.splitlines()[-1]) == (2, "", f"cure:  {cure}")
    assert notes_of(vault) == before


@pytest.mark.parametrize(
    "args",
    [
        ["nonsense"], ["search", "--limit", "x", "a"], ["search", "--nonsense", "a"], ["get"], ["cypher"], ["cypher", "RETURN 1", "--name", "x"],
        ["cypher", "CREATE (n:Note)"], ["cypher", "RETURN $a", "--param", "a"], ["add"], ["add", ""], ["add", "a", "--file", "b"],
        ["add", "--file", "nowhere.txt"], ["setup", "--name", " "], ["setup"], ["export", "--now", "soon"], ["search", "a", "--since", "soon"],
        ["list", "--as-of", "soon"], ["cypher", "RETURN 1", "--timeout", "nan"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_was_not_understood_exits_2_and_changes_nothing(vault: Path, args: list[str]) -> None:
    run("index", vault=vault)
    before = notes_of(vault)
    ran = run(*args, vault=vault)
    assert (ran.code, ran.out) == (2, ""), ran
    assert re.fullmatch(r"error: .+\ncure:  .+\n", ran.err)
    assert notes_of(vault) == before


def test_a_setting_that_is_none_exits_2_and_is_named(vault: Path) -> None:
    (vault / "brain.toml").write_text("ownr = 'Ada'\n", "utf-8")
    ran = run("status", vault=vault)
    assert ran.code == 2
    assert "`ownr`" in ran.err


def test_a_vault_that_another_process_holds_exits_3_and_names_it(vault: Path) -> None:
    with held(vault) as pid:
        for args in (["index"], ["cypher", "RETURN 1"]):
            ran = run(*args, vault=vault)
            assert (ran.code, ran.out) == (3, ""), args
            assert f"process {pid} (a long walk)" in ran.err
    assert run("index", vault=vault).code == 0


def test_reading_does_not_wait_for_a_writer(vault: Path) -> None:
    with held(vault):
        for args in (["search", "laptop"], ["get", "House"], ["list"], ["links", "House"], ["tree"]):
            assert run(*args, vault=vault).code == 0, args


def test_a_fault_of_ours_exits_4_with_a_line_and_keeps_the_details_in_a_file(vault: Path, tmp_path: Path) -> None:
    (vault / ".brain" / "journal" / "m-test" / "2001-01.jsonl").mkdir(parents=True)
    ran = spawn("status", vault=vault, env={"TMPDIR": str(tmp_path)})
    assert (ran.code, ran.out) == (4, "")
    assert re.fullmatch(r"error: .+\ncure:  .+\n", ran.err)
    assert "Traceback" not in ran.err
    (kept,) = tmp_path.glob("brain-fault-*.txt")
    assert str(kept) in ran.err
    assert "IsADirectoryError" in kept.read_text("utf-8")


def test_a_disk_that_is_full_is_no_fault_of_ours(vault: Path, tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "cli", "--vault", str(vault), "list"]
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env={**environment(), "TMPDIR": str(tmp_path)}, cwd=ROOT, check=False)
    assert ended.returncode == 4
    assert b"No space left on device" in ended.stderr
    assert b"free disk space" in ended.stderr


@pytest.mark.parametrize("command", ["get", "links", "tree", "search"])
def test_an_argument_that_is_no_utf8_is_not_found(vault: Path, command: str) -> None:
    ran = spawn(command, "zebr\udce9", vault=vault)
    assert ran.code == 1
    assert "fault" not in ran.err


def test_a_broken_index_exits_4_with_the_way_to_a_new_one(vault: Path) -> None:
    (vault / ".brain" / "index" / "text.sqlite").write_bytes(b"not a database, by far" * 100)
    ran = run("search", "laptop", vault=vault)
    assert ran.code == 4
    assert ran.err.endswith("cure:  brain rebuild\n")
    assert run("rebuild", vault=vault).code == 0
    assert run("search", "laptop", vault=vault).code == 0


def test_a_vault_is_found_from_a_folder_inside_it_and_from_the_environment(library: Path, tmp_path: Path) -> None:
    assert spawn("list", cwd=library / "Projects").out == run("list", vault=library).out
    assert run("list", env={"BRAIN_VAULT": str(library)}).code == 0
    outside = spawn("list", cwd=tmp_path, env={"BRAIN_VAULT": ""})
    assert (outside.code, outside.out) == (1, "")
    assert "brain init" in outside.err


def test_a_folder_that_was_never_indexed_says_so(tmp_path: Path) -> None:
    for args in (["search", "a"], ["get", "a"], ["list"], ["links", "a"], ["tree"], ["export"], ["cypher", "RETURN 1"]):
        ran = run(*args, vault=tmp_path)
        assert (ran.code, ran.out, ran.err.splitlines()[-1]) == (1, "", "cure:  brain index"), args
    assert run("status", "--json", vault=tmp_path).json["index"] == "missing"
    assert [f["code"] for f in run("doctor", "--json", vault=tmp_path).json] == ["not-indexed"]
    assert not any(tmp_path.iterdir())


def test_a_reader_who_stops_reading_is_no_error(library: Path) -> None:
    command = [sys.executable, "-m", "cli", "--vault", str(library), "export"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), cwd=ROOT) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_a_terminal_with_no_color_gets_no_colors_and_no_bars_among_the_data(vault: Path) -> None:
    said, code, data = on_terminal(["index", "--full"], vault)
    assert code == 0
    assert not re.search(r"\x1b\[[0-9;]*m", re.sub(r"\x1b\[[01]?m", "", said))
    assert "\x1b" not in data
    assert "notes" in data


def test_a_vault_that_may_only_be_read_is_searched_and_listed(vault: Path) -> None:
    before = notes_of(vault)
    with read_only(vault) as before_exec:
        for args in (["search", "laptop"], ["list"], ["get", "House"], ["cypher", "RETURN 1"]):
            ran = spawn(*args, vault=vault, before=before_exec)
            assert ran.code == 0 and re.fullmatch(r"(the index is behind by \d+ files: brain index\n)?", ran.err), args
        assert "index-broken" not in spawn("doctor", vault=vault, before=before_exec).out
        refused = spawn("index", vault=vault, before=before_exec)
        assert refused.code == 4
        assert "writable" in refused.err
    assert notes_of(vault) == before


@contextmanager
def held(vault: Path) -> Iterator[int]:
    """Another process in the middle of writing."""
    with subprocess.Popen([sys.executable, "-c", HOLD, str(vault)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdin and process.stdout
        assert process.stdout.readline() == b"held\n"
        try:
            yield process.pid
        finally:
            process.stdin.close()


@contextmanager
def read_only(vault: Path) -> Iterator[Callable[[], None] | None]:
    """Takes the right to write away; root keeps it unless it is dropped before the command starts."""
    before_exec = None
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        if sys.platform != "linux" or libc.prctl(PR_CAPBSET_READ, CAP_DAC_OVERRIDE, 0, 0, 0) != 1:
            pytest.skip("root may write everywhere here")
        before_exec = lambda: libc.prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)  # noqa: E731
    places = [vault, *vault.rglob("*")]
    modes = {place: place.stat().st_mode & 0o777 for place in places}
    for place in places:
        place.chmod(modes[place] & 0o555)
    try:
        yield before_exec
    finally:
        for place in places:
            place.chmod(modes[place])


def on_terminal(args: list[str], vault: Path) -> tuple[str, int, str]:
    """What is said to a terminal on stderr, the exit code, and what goes down a pipe on stdout."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "cli", "--vault", str(vault), *args]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment(), cwd=ROOT) as process:
        os.close(theirs)
        assert process.stdout
        said = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # how Linux says that the other side is closed
                break
            if not piece:
                break
            said += piece
        data = process.stdout.read().decode()
    os.close(ours)
    return said.decode(), process.returncode, data


def environment() -> dict[str, str]:
    return {**os.environ, **OFFLINE, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
