"""Who judges, who said so, and which key goes where: a vault that comes from someone else chooses nothing by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.config import load_config
from brain.errors import UsageError
from brain.judging import Judge
from brain.models.chat.choose import make_chat
from brain.models.chat.command import CommandChat
from brain.models.chat.endpoint import EndpointChat
from brain.models.chat.recorded import Recorded, Recording


def judge_of(root: Path, toml: str = "", **environ: str) -> Judge:
    (root / "brain.toml").write_text(f"[judge]\n{toml}\n", "utf-8")
    return load_config(root, environ=environ).judge


def test_rules_judge_when_nobody_chose_anything(tmp_path: Path) -> None:
    assert judge_of(tmp_path).backend == "rules"
    assert make_chat(judge_of(tmp_path), tmp_path) is None


def test_the_environment_chooses_a_command(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, LLM_COMMAND="cat -u", LLM_TIMEOUT_SECS="90", AGENT_NAME="Hal")
    assert (judge.command, judge.timeout_s, judge.agent) == ("cat -u", 90.0, "Hal")
    assert isinstance(make_chat(judge, tmp_path), CommandChat)


def test_our_own_name_goes_before_the_older_one(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, LLM_COMMAND="cat", BRAIN_JUDGE_COMMAND="cat -u", LLM_TIMEOUT_SECS="90", BRAIN_JUDGE_TIMEOUT_S="30")
    assert (judge.command, judge.timeout_s) == ("cat -u", 30.0)


@pytest.mark.parametrize("toml", ['command = "cat"', 'provider = "openai"\nmodel = "m"', 'endpoint = "https://stranger.test/v1"\nmodel = "m"', 'provider = "ollama"\nendpoint = "https://stranger.test/v1"\nmodel = "m"'])
def test_a_program_or_a_far_place_in_brain_toml_waits_for_a_person(toml: str, tmp_path: Path) -> None:
    waiting = judge_of(tmp_path, toml)
    with pytest.raises(UsageError) as raised:
        make_chat(waiting, tmp_path)
    assert f"BRAIN_JUDGE_ALLOW={waiting.unconfirmed}" in raised.value.cure
    allowed = judge_of(tmp_path, toml, BRAIN_JUDGE_ALLOW=f"other, {waiting.unconfirmed}")
    assert make_chat(allowed, tmp_path) is not None


def test_what_was_allowed_is_that_choice_in_that_vault_only(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    marks = {judge_of(tmp_path, toml).unconfirmed for toml in ('command = "cat"', 'command = "cat -u"', 'command = "cat"\nmodel = "m"')}
    marks.add(judge_of(tmp_path / "other", 'command = "cat"').unconfirmed)
    assert len(marks) == 4
    assert None not in marks


def test_a_model_on_this_machine_needs_no_leave(tmp_path: Path) -> None:
    for toml in ('provider = "ollama"\nmodel = "m"', 'endpoint = "http://127.0.0.1:8080/v1"\nmodel = "m"', 'endpoint = "http://localhost:8080/v1"\nmodel = "m"'):
        assert isinstance(make_chat(judge_of(tmp_path, toml), tmp_path), EndpointChat)


@pytest.mark.parametrize("host", ["127.0.0.1.stranger.test", "localhost.stranger.test", "stranger.test", "0x7f.1", "[::ffff:8.8.8.8]"])
def test_a_place_that_only_looks_near_is_far(host: str, tmp_path: Path) -> None:
    assert judge_of(tmp_path, f'endpoint = "https://{host}/v1"\nmodel = "m"').unconfirmed is not None


def test_a_strangers_brain_toml_gets_no_key_of_the_environment(tmp_path: Path) -> None:
    keys = {"BRAIN_JUDGE_API_KEY": "own", "OPENAI_API_KEY": "openai", "GEMINI_API_KEY": "gemini", "ANTHROPIC_API_KEY": "anthropic"}
    for toml in (
        'endpoint = "https://stranger.test/v1"', 'provider = "openai"\nendpoint = "https://stranger.test/v1"', 'provider = "openai"', 'provider = "ollama"',
        'provider = "openai"\nendpoint = "http://127.0.0.1:8080/v1"', 'endpoint = "http://localhost:1/v1"',
    ):  # fmt: skip
        assert judge_of(tmp_path, toml, **keys).api_key is None, toml


def test_the_files_own_key_goes_to_the_files_own_place_only(tmp_path: Path) -> None:
    toml = 'endpoint = "https://models.test/v1"\napi_key = "filed"\nmodel = "m"'
    assert judge_of(tmp_path, toml).api_key == "filed"
    assert judge_of(tmp_path, toml, BRAIN_JUDGE_ENDPOINT="https://mine.test/v1").api_key is None
    assert judge_of(tmp_path, toml, BRAIN_JUDGE_PROVIDER="openai").api_key is None


def test_a_providers_key_goes_to_the_providers_own_address_only(tmp_path: Path) -> None:
    named = judge_of(tmp_path, BRAIN_JUDGE_PROVIDER="openai", BRAIN_JUDGE_MODEL="m", OPENAI_API_KEY="openai")
    assert (named.address, named.api_key, named.unconfirmed) == ("https://api.openai.com/v1", "openai", None)
    elsewhere = judge_of(tmp_path, BRAIN_JUDGE_PROVIDER="openai", BRAIN_JUDGE_ENDPOINT="https://proxy.test/v1", BRAIN_JUDGE_MODEL="m", OPENAI_API_KEY="openai")
    assert (elsewhere.address, elsewhere.api_key) == ("https://proxy.test/v1", None)


def test_the_environments_key_goes_to_the_environments_choice(tmp_path: Path) -> None:
    keyed = {"BRAIN_JUDGE_API_KEY": "own", "OPENAI_API_KEY": "openai", "BRAIN_JUDGE_MODEL": "m"}
    assert judge_of(tmp_path, BRAIN_JUDGE_ENDPOINT="https://mine.test/v1", **keyed).api_key == "own"
    assert judge_of(tmp_path, BRAIN_JUDGE_PROVIDER="openai", **keyed).api_key == "own"
    assert judge_of(tmp_path, LLM_COMMAND="cat", **keyed).api_key is None


def test_naming_the_host_confirms_the_files_place_and_lets_it_have_the_key(tmp_path: Path) -> None:
    toml = 'endpoint = "https://models.test/v1"\nmodel = "m"'
    judge = judge_of(tmp_path, toml, BRAIN_JUDGE_API_KEY="own", BRAIN_JUDGE_KEY_HOST="models.test")
    assert (judge.api_key, judge.unconfirmed) == ("own", None)
    other = judge_of(tmp_path, toml, BRAIN_JUDGE_API_KEY="own", BRAIN_JUDGE_KEY_HOST="test")
    assert other.api_key is None
    assert other.unconfirmed is not None


def test_allowing_a_files_provider_lets_its_key_go_to_it(tmp_path: Path) -> None:
    toml = 'provider = "gemini"\nmodel = "m"'
    mark = judge_of(tmp_path, toml).unconfirmed or ""
    assert judge_of(tmp_path, toml, BRAIN_JUDGE_ALLOW=mark, GOOGLE_API_KEY="google").api_key == "google"


def test_the_environments_choice_replaces_the_files_as_a_whole(tmp_path: Path) -> None:
    toml = 'endpoint = "https://stranger.test/v1"\nmodel = "expensive"\napi_key = "filed"\ncommand = "stranger"'
    judge = judge_of(tmp_path, toml, BRAIN_JUDGE_PROVIDER="ollama")
    assert (judge.address, judge.model, judge.api_key, judge.command) == ("http://127.0.0.1:11434/v1", None, None, None)
    assert judge_of(tmp_path, toml, BRAIN_JUDGE_PROVIDER="rules").backend == "rules"


def test_brain_toml_cannot_confirm_itself_or_have_replies_written_somewhere(tmp_path: Path) -> None:
    for toml in ('unconfirmed = ""', 'record_to = "/etc/passwd"'):
        with pytest.raises(UsageError, match="unknown setting"):
            judge_of(tmp_path, toml)


def test_an_empty_variable_is_none(tmp_path: Path) -> None:
    assert judge_of(tmp_path, LLM_COMMAND="  ", BRAIN_JUDGE_PROVIDER="").backend == "rules"


def test_a_slip_in_the_provider_is_named_with_what_may_be_meant(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        make_chat(judge_of(tmp_path, 'provider = "olama"'), tmp_path)
    assert "ollama" in raised.value.cure


@pytest.mark.parametrize("environ", [{"BRAIN_JUDGE_PROVIDER": "command"}, {"BRAIN_JUDGE_PROVIDER": "openai"}, {"BRAIN_JUDGE_PROVIDER": "endpoint"}, {"BRAIN_JUDGE_PROVIDER": "recorded"}])
def test_a_choice_that_is_not_complete_is_named(environ: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        make_chat(judge_of(tmp_path, **environ), tmp_path)


def test_a_recording_is_read_from_the_vault_and_written_where_the_environment_says(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text("")
    assert isinstance(make_chat(judge_of(tmp_path, 'provider = "recorded"\nrecording = "replies.jsonl"'), tmp_path), Recorded)
    recording = make_chat(judge_of(tmp_path, LLM_COMMAND="cat", BRAIN_JUDGE_RECORD=str(tmp_path / "new.jsonl")), tmp_path)
    assert isinstance(recording, Recording)
    assert (tmp_path / "new.jsonl").exists()
