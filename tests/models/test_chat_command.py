"""A language model that is a command: real programs, everything they can do to us, and what is left running (nothing)."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from brain.core.asking import Failure, Reply, Request
from brain.errors import UsageError
from brain.judging import Judge
from brain.models.chat.choose import make_chat
from brain.models.chat.command import CommandChat, argv_of
from brain.models.judge.judge import open_judge
from brain.models.judge.shapes import schema_of, shape_for
from brain.models.judge.values import Extraction, Unanswered
from tests.models.judging import AT, DAY, HOME_SERVER, PIECE, journal_in

SHAPE = shape_for("Shape", "ticket-1", words=list[str])
Script = Callable[[str], str]


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Writes a Python program and returns the command line that runs it."""

    def written(source: str) -> str:
        path = tmp_path / "model program.py"
        path.write_text(source, "utf-8")
        return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"

    return written


def request(data: str = "the data", **changes: object) -> Request:
    return Request("extract", "the instructions", data, schema_of(SHAPE), SHAPE, **{"timeout_s": 20.0, **changes})  # type: ignore[arg-type]


def failure(answer: Reply | Failure) -> Failure:
    assert isinstance(answer, Failure)
    return answer


def is_running(pid: int) -> bool:
    """Tells whether a process still runs, after waiting a little: a signal is not obeyed at once. One that nobody collected does not run."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except ProcessLookupError:
            return False
        except FileNotFoundError:
            state = "?"
        if state == "Z":
            return False
        time.sleep(0.05)
    return True


def pid_in(path: Path) -> int:
    for _ in range(500):
        if path.exists() and path.read_text().strip():
            return int(path.read_text())
        time.sleep(0.02)
    raise AssertionError(f"{path} was never written")


def test_instructions_schema_and_data_all_reach_the_programs_input(script: Script, tmp_path: Path) -> None:
    seen = tmp_path / "seen.txt"
    command = script(f"import sys; text = sys.stdin.read(); open({str(seen)!r}, 'w').write(text); print('fine')")
    answer = CommandChat(command).ask(request("the data: äöü 会议 \U0001f389"))
    assert isinstance(answer, Reply)
    assert answer.text == "fine\n"
    text = seen.read_text("utf-8")
    places = [text.find(part) for part in ("the instructions", schema_of(SHAPE), "the data: äöü 会议 \U0001f389")]
    assert -1 not in places
    assert places == sorted(places)


def test_every_word_of_what_a_task_asks_reaches_the_program(script: Script, tmp_path: Path) -> None:
    seen = tmp_path / "seen.txt"
    settings = Judge(command=script(f"import sys; open({str(seen)!r}, 'w').write(sys.stdin.read()); print('no')"))
    judge = open_judge(settings, journal_in(tmp_path), root=tmp_path, at=AT, day=DAY)
    assert judge is not None
    judge.extract(PIECE, [HOME_SERVER])
    text = seen.read_text("utf-8")
    for part in ("An atom is one claim.", '"enum": ["decision", "risk"', "1. Home Server (project), also called HS", PIECE.text, "Answer now with one JSON object"):
        assert part in text


def test_a_program_that_answers_makes_atoms_from_end_to_end(script: Script, tmp_path: Path) -> None:
    command = script(
        "import json, sys\n"
        "ticket = sys.stdin.read().split()[-1]\n"
        "atom = {'kind': 'fact', 'entity': None, 'name': 'Ada Lovelace', 'text': 'Works at Initech.', 'quote': 'She joined Initech in March',"
        " 'confidence': 'verified', 'from': None, 'to': None}\n"
        "print('Here you are:', json.dumps({'request': ticket, 'atoms': [atom], 'actions': []}))"
    )
    judge = open_judge(Judge(command=command), journal_in(tmp_path), root=tmp_path, at=AT, day=DAY)
    assert judge is not None
    answer = judge.extract(PIECE)
    assert isinstance(answer, Extraction)
    assert [claim.entity for claim in answer.claims] == ["Ada Lovelace"]
    assert judge.name.startswith("command:python")
    assert answer.claims[0].judge == f"{judge.name}@extract/1"


def test_cat_is_an_echo_and_says_nothing(tmp_path: Path) -> None:
    judge = open_judge(Judge(command="cat"), journal_in(tmp_path), root=tmp_path, at=AT, day=DAY)
    assert judge is not None
    answer = judge.extract(PIECE, [HOME_SERVER])
    assert isinstance(answer, Unanswered)
    assert answer.why == "echo"


def test_a_program_may_answer_without_reading(script: Script) -> None:
    answer = CommandChat(script("print('quick')")).ask(request("x" * 3_000_000))
    assert isinstance(answer, Reply)
    assert answer.text == "quick\n"


def test_large_input_and_output_do_not_block_each_other(script: Script) -> None:
    data = "x" * 2_000_000
    answer = CommandChat(script("import sys\nfor line in sys.stdin: sys.stdout.write(line); sys.stderr.write(line)")).ask(request(data, reply_chars_max=3_000_000))
    assert isinstance(answer, Reply)
    assert data in answer.text


def test_a_program_that_is_too_slow_is_ended_with_all_it_started(script: Script, tmp_path: Path) -> None:
    child = tmp_path / "child.pid"
    command = script(
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', 'import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)'])\n"
        f"open({str(child)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(60)"
    )
    started = time.monotonic()
    answer = failure(CommandChat(command).ask(request(timeout_s=2.0)))
    assert (answer.kind, time.monotonic() - started < 15) == ("timeout", True)
    assert "2 s" in answer.message
    assert "LLM_TIMEOUT_SECS" in answer.cure
    assert not is_running(pid_in(child))


def test_a_program_that_ignores_the_polite_signal_is_ended_too(script: Script, tmp_path: Path) -> None:
    own = tmp_path / "own.pid"
    command = script(f"import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nopen({str(own)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)")
    assert failure(CommandChat(command).ask(request(timeout_s=1.5))).kind == "timeout"
    assert not is_running(pid_in(own))


def test_what_a_finished_program_left_running_neither_blocks_us_nor_stays(script: Script, tmp_path: Path) -> None:
    child = tmp_path / "child.pid"
    command = script(
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(child)!r}, 'w').write(str(child.pid))\n"
        "print('done')"
    )
    started = time.monotonic()
    answer = CommandChat(command).ask(request(timeout_s=40.0))
    assert isinstance(answer, Reply)
    assert answer.text == "done\n"
    assert time.monotonic() - started < 20
    assert not is_running(pid_in(child))


def test_an_interrupt_ends_the_program_too(script: Script, tmp_path: Path) -> None:
    own = tmp_path / "own.pid"
    command = script(f"import os, time\nopen({str(own)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)")
    chat = CommandChat(command)
    threading.Thread(target=lambda: (pid_in(own), signal.raise_signal(signal.SIGINT), os.kill(os.getpid(), signal.SIGINT))).start()
    with pytest.raises(KeyboardInterrupt):
        chat.ask(request(timeout_s=30.0))
        time.sleep(5)
    assert not is_running(pid_in(own))


def test_an_exit_code_is_a_failure_with_the_end_of_what_it_complained(script: Script) -> None:
    answer = failure(CommandChat(script("import sys\nprint('{}')\nsys.stderr.write('x' * 9000 + '\\nno credit \\x1b[31m left, key sk-abcdefghijklmnop')\nsys.exit(3)")).ask(request()))
    assert answer.kind == "exit"
    assert "exit code 3" in answer.message
    assert len(answer.message) < 500
    assert "\x1b" not in answer.message
    assert "abcdefghijklmnop" not in answer.message


def test_a_program_that_a_signal_ended_says_which(script: Script) -> None:
    answer = failure(CommandChat(script("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")).ask(request()))
    assert (answer.kind, "signal 9" in answer.message) == ("exit", True)


@pytest.mark.parametrize(("source", "kind"), [("", "empty"), ("print('  \\n ')", "empty"), ("import sys; sys.stdout.buffer.write(b'caf\\xe9')", "not_text")])
def test_no_text_is_a_failure(source: str, kind: str, script: Script) -> None:
    assert failure(CommandChat(script(source)).ask(request())).kind == kind


def test_a_flood_is_stopped_at_the_limit(script: Script) -> None:
    started = time.monotonic()
    answer = failure(CommandChat(script("import sys\nwhile True: sys.stdout.write('y\\n' * 10000)")).ask(request(timeout_s=60.0, reply_chars_max=100_000)))
    assert (answer.kind, "100,000" in answer.message, time.monotonic() - started < 30) == ("too_long", True, True)


def test_more_characters_than_allowed_are_a_failure_even_if_they_are_few_bytes(script: Script) -> None:
    assert failure(CommandChat(script("print('y' * 50)")).ask(request(reply_chars_max=20))).kind == "too_long"


def test_text_of_a_note_is_never_part_of_a_command_line(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    for text in (f"$(touch {trap})", f"`touch {trap}`", f"'; touch {trap}; '", f"| touch {trap}", "--help", "\x00\ud800"):
        assert isinstance(CommandChat("cat").ask(request(text)), Reply)
    assert not trap.exists()


@pytest.mark.parametrize(
    ("command", "argv"),
    [("claude -p", ["claude", "-p"]), ("sh -c 'cat | head -1 > x; echo $HOME'", ["sh", "-c", "cat | head -1 > x; echo $HOME"]), ("a \"b c\" 'd|e' f\\ g", ["a", "b c", "d|e", "f g"])],
)
def test_a_command_line_is_read_as_words(command: str, argv: list[str]) -> None:
    assert argv_of(command) == argv


@pytest.mark.parametrize("command", ["", "  ", "a | b", "a && b", "a > out", "a; b", "a 2>x", "a $MODEL", "a `b`", "MODEL=x a", "a 'b", 'a "$X"', "''"])
def test_what_needs_a_shell_or_is_no_command_is_refused_with_a_cure(command: str) -> None:
    with pytest.raises(UsageError) as raised:
        argv_of(command)
    assert "sh -c" in raised.value.cure or "env" in raised.value.cure


def test_a_program_that_is_not_there_is_named_before_anything_is_asked() -> None:
    with pytest.raises(UsageError, match="no-such-program-here"):
        CommandChat("no-such-program-here -p")


def test_a_program_that_vanished_meanwhile_is_a_failure(tmp_path: Path) -> None:
    program = tmp_path / "model"
    program.write_text("#!/bin/sh\ncat\n")
    program.chmod(0o755)
    chat = CommandChat(str(program))
    program.unlink()
    assert failure(chat.ask(request())).kind == "not_started"


def test_the_name_of_the_model_tells_commands_apart_and_shows_no_argument() -> None:
    names = {CommandChat(f"cat --key {word}").model for word in ("sk-one-secret", "sk-two-secret")}
    assert len(names) == 2
    assert not any("secret" in name for name in names)
    assert "secret" not in repr(CommandChat("cat --key secret"))
    assert "secret" not in repr(Judge(command="cat --key secret", api_key="secret"))
    assert CommandChat("cat", model="qwen3").model == "qwen3"


def test_the_program_has_our_environment_without_our_keys(script: Script) -> None:
    command = script("import os; print(sorted(name for name in os.environ if name.startswith('BRAIN_') or name == 'OWN'))")
    ours = {name: value for name, value in os.environ.items() if not name.startswith("BRAIN_")}
    environ = {**ours, "OWN": "x", "BRAIN_JUDGE_API_KEY": "x", "BRAIN_EMBED_API_KEY": "x", "BRAIN_MACHINE": "m-test"}
    answer = CommandChat(command, environ=environ).ask(request())
    assert isinstance(answer, Reply)
    assert answer.text.strip() == "['BRAIN_MACHINE', 'OWN']"


def test_nothing_of_the_client_libraries_is_loaded_for_a_command(script: Script) -> None:
    code = (
        "import sys; from brain.judging import Judge; from brain.models.judge.judge import open_judge; from brain.models.chat.choose import make_chat; from pathlib import Path;"
        " make_chat(Judge(command='cat'), Path('.')); print([name for name in ('pydantic_ai', 'openai', 'httpx2', 'torch', 'numpy') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.strip() == "[]"


def test_the_settings_choose_the_command(tmp_path: Path) -> None:
    chat = make_chat(Judge(command="cat"), tmp_path)
    assert isinstance(chat, CommandChat)
