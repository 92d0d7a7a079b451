"""A language model behind the commands: a real program answers, or what answers is no language model at all."""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.commands.support import run, spawn

EPISODE = "---\ntype: episode\ncreated: 2026-03-04\n---\nFact: [[Boat]] leaks\n\nAda Lovelace joined Initech. Bo orders the disk.\n"
ANSWERING = """\
import json, re, sys
prompt = sys.stdin.read()
ticket = re.findall(r"holds this word: (\\S+)", prompt)[-1]
said = "Ada Lovelace joined Initech"
atom = {"kind": "person", "entity": None, "name": "Ada Lovelace", "text": "Works at Initech.", "quote": said, "confidence": "verified", "from": None, "to": None}
todo = {"text": "Bo orders the disk.", "quote": "Bo orders the disk", "due": None}
is_said = said + ". Bo orders" in prompt
if '"atoms"' in prompt:
    print("Here it is:\\n```json\\n" + json.dumps({"request": ticket, "atoms": [atom] if is_said else [], "actions": [todo] if is_said else []}) + "\\n```")
"""


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """A vault with one episode."""
    root = tmp_path / "vault"
    (root / "Inbox").mkdir(parents=True)
    (root / "Inbox/E.md").write_text(EPISODE, "utf-8")
    assert run("index", vault=root).code == 0
    return root


@pytest.fixture
def model(tmp_path: Path) -> Mapping[str, str]:
    """An environment that names a program that answers."""
    (tmp_path / "model.py").write_text(ANSWERING, "utf-8")
    return {"LLM_COMMAND": f"{sys.executable} {tmp_path / 'model.py'}"}


def notes(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*.md")) if not {".brain", "Timeline"} & set(path.parts)}


def test_a_program_that_answers_fills_notes_and_the_loops(talk: Path, model: Mapping[str, str]) -> None:
    done = spawn("maintain", vault=talk, env=model)
    assert done.code == 0, done.err
    assert "Works at Initech. [[E]] ^a-" in notes(talk)["Memory/People/Ada Lovelace.md"].decode()
    assert "- [ ] Bo orders the disk. [[E]]" in notes(talk)["LOOPS-INBOX.md"].decode()
    before = notes(talk)
    assert spawn("walk", vault=talk, env=model).code == 0 and notes(talk) == before


def test_a_command_that_echoes_is_no_model_and_only_rules_write(talk: Path) -> None:
    done = spawn("maintain", vault=talk, env={"LLM_COMMAND": "cat"})
    assert done.code == 0 and "echo 1" in done.out and "is no language model" in done.out
    assert set(notes(talk)) == {"Inbox/E.md", "Memory/Concepts/Boat.md"} and notes(talk)["Inbox/E.md"] == EPISODE.encode()


def test_a_model_that_is_named_wrongly_is_a_clear_error_and_nothing_is_walked(talk: Path) -> None:
    before = notes(talk)
    done = run("walk", vault=talk, env={"BRAIN_JUDGE_PROVIDER": "olama"})
    assert done.code == 2 and "olama" in done.err and "ollama" in done.err and notes(talk) == before


def test_reading_commands_need_no_model(talk: Path) -> None:
    assert run("search", "leaks", vault=talk, env={"BRAIN_JUDGE_PROVIDER": "olama"}).code == 0


def test_an_estimate_asks_nothing_and_writes_nothing(talk: Path, tmp_path: Path) -> None:
    before = notes(talk)
    env = {"LLM_COMMAND": f"sh -c 'touch {tmp_path}/asked'"}
    found = run("maintain", "--estimate", "--json", vault=talk, env=env).json
    assert found["model"] is True and found["calls"] >= 1 and 0 < found["tokens_sent"] < found["tokens_max"]
    assert "nothing was asked" in run("maintain", "--estimate", vault=talk, env=env).out
    assert notes(talk) == before and not (tmp_path / "asked").exists()


def test_an_estimate_without_a_model_says_so(talk: Path) -> None:
    assert run("maintain", "--estimate", "--json", vault=talk).json == {"model": False, "calls": 0, "tokens_sent": 0, "tokens_max": 0, "characters": 0}
    assert "No language model is chosen" in run("maintain", "--estimate", vault=talk).out


def full_disk() -> None:
    """No file of this process may grow beyond a few kilobytes: writing fails as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, 4_096))


def test_a_full_disk_ends_in_a_clear_line_and_loses_nothing(talk: Path, model: Mapping[str, str]) -> None:
    before = notes(talk)
    done = spawn("walk", vault=talk, env=model, before=full_disk)
    assert done.code != 0 and "Traceback" not in done.err and done.err.strip()
    assert notes(talk) == before
    assert spawn("walk", vault=talk, env=model).code == 0 and "Memory/People/Ada Lovelace.md" in notes(talk)


def test_a_place_where_no_folder_can_be_made_ends_in_a_clear_line_and_loses_nothing(talk: Path, model: Mapping[str, str]) -> None:
    (talk / "Memory").write_text("a file where the folder should be", "utf-8")
    done = spawn("walk", vault=talk, env=model)
    assert "Traceback" not in done.err and (done.code != 0 or "not done" in done.out) and notes(talk) == {"Inbox/E.md": EPISODE.encode()}
    (talk / "Memory").unlink()
    assert spawn("walk", vault=talk, env=model).code == 0 and "Memory/People/Ada Lovelace.md" in notes(talk)
