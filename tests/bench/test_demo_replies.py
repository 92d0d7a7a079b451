"""The demonstration with a language model: a reader's recorded replies still fit the prompts that the sample vault makes."""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

import pytest

from bench import replay
from tests.commands.support import spawn

BENCH = Path(replay.__file__).resolve().parent


def test_every_prompt_of_the_demonstration_has_its_reply(tmp_path: Path) -> None:
    vault = Path(shutil.copytree(BENCH / "sample", tmp_path / "vault"))
    model = {"LLM_COMMAND": f'"{sys.executable}" "{BENCH / "replay.py"}" "{BENCH / "replies.jsonl"}" --asked "{tmp_path / "asked"}"', "BRAIN_EMBED_MODEL": "minilm"}
    for words in (("init", str(vault), "--adopt"), ("setup", "--name", "Ines Falk"), ("index",)):
        assert spawn(*words, vault=vault, env=model).code == 0
    told = [spawn(stage, vault=vault, env=model).out for stage in ("walk", "reconcile", "link")]
    unanswered = sorted((tmp_path / "asked").glob("*.txt"))
    assert not unanswered, f"answer these prompts, then: python bench/replay.py bench/replies.jsonl --take DIR --who NAME: {unanswered}"
    assert "5 claims and 2 actions" in told[0] and "1 changed" in told[1] and "3 changed" in told[2]
    assert "0 looked at, 0 changed" in spawn("link", vault=vault, env=model).out


def test_a_prompt_without_a_reply_is_kept_to_be_answered_and_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    file, asked = tmp_path / "replies.jsonl", tmp_path / "asked"

    def say(prompt: bytes, *more: str) -> int:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(prompt)))
        return replay.main([str(file), *more])

    assert say(b"who?", "--asked", str(asked)) == say(b"who?", "--asked", str(asked)) == replay.EXIT_UNKNOWN
    assert [path.name for path in asked.iterdir()] == ["001.txt"]
    (asked / "001.reply.txt").write_text("Ada\n")
    assert replay.main([str(file), "--take", str(asked), "--who", "a reader"]) == 0
    capsys.readouterr()
    assert say(b"who?") == 0 and capsys.readouterr().out == "Ada\n"
    assert replay.main([str(file), "--take", str(asked), "--who", "a reader"]) == 0 and len(file.read_text().splitlines()) == 1
