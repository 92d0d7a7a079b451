"""The table of environment variables tells the truth: each variable changes the setting it names, and no other."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from brain.config import Config, load_config
from brain.environment import VARIABLES, Variable, environment_table, settings_in
from brain.errors import UsageError
from brain.judging import PLACE

SETS = [variable for variable in VARIABLES if variable.setting and variable.how != "ignored"]
NUMBERS = ("dims", "_s", "_max", "_min", "_days")


def flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Every setting by its dotted name."""
    found: dict[str, Any] = {}
    for item in fields(value):
        inner = getattr(value, item.name)
        found |= flat(inner, f"{prefix}{item.name}.") if is_dataclass(inner) else {f"{prefix}{item.name}": inner}
    return found


def sample(variable: Variable) -> str:
    named = {"engine": "ladybug", "zone": "Europe/Vienna", "embed.endpoint": "https://own.test/v1", "judge.endpoint": "https://own.test/v1", "judge.provider": "ollama", "governor.tier": "amber"}
    return named.get(variable.setting, "7" if variable.setting.endswith(NUMBERS) else "Somewhere")


def beside(variable: Variable, root: Path) -> dict[str, str]:
    """What must be set as well for the variable to count."""
    if variable.setting.endswith("api_key"):
        return {variable.name.replace("_API_KEY", "_ENDPOINT"): "https://own.test/v1"}
    return {"VAULT_ROOT": str(root)} if variable.setting.startswith("folders.") else {}


@pytest.mark.parametrize("variable", SETS, ids=lambda variable: variable.name)
def test_a_variable_changes_the_setting_it_names_and_no_other(variable: Variable, tmp_path: Path) -> None:
    around = beside(variable, tmp_path)
    before, after = flat(load_config(tmp_path, environ=around)), flat(load_config(tmp_path, environ={**around, variable.name: sample(variable)}))
    changed = {name: after[name] for name in after if after[name] != before[name]}
    assert list(changed) == [variable.setting]
    assert str(next(iter(changed.values()))).removeprefix("Memory/") in (sample(variable), f"{sample(variable)}.0", f"({sample(variable)!r},)")


@pytest.mark.parametrize("variable", [v for v in VARIABLES if v.how == "ignored"], ids=lambda variable: variable.name)
def test_an_ignored_variable_changes_nothing_and_the_table_says_why(variable: Variable, tmp_path: Path) -> None:
    assert load_config(tmp_path, environ={variable.name: "7", "VAULT_ROOT": str(tmp_path)}) == Config()
    assert variable.note


def test_no_variable_stands_twice_and_each_setting_is_one() -> None:
    names = [variable.name for variable in VARIABLES]
    assert len(names) == len(set(names))
    assert {variable.setting for variable in VARIABLES if variable.setting} <= set(flat(Config()))
    assert {name for place in PLACE.values() for name in place} <= set(names)


def test_our_own_variable_goes_before_the_mapped_one(tmp_path: Path) -> None:
    found = settings_in({"LLM_TIMEOUT_SECS": "90", "BRAIN_JUDGE_TIMEOUT_S": "30.5"}, tmp_path, memory="Memory")
    assert found == {"judge": {"timeout_s": 30.5}}


def test_a_variable_goes_before_brain_toml(tmp_path: Path) -> None:
    (tmp_path / "brain.toml").write_text("[limits]\nepisodes_per_run_max = 9\n")
    assert load_config(tmp_path, environ={"BRAIN_WALK_MAX_PER_RUN": "0"}).limits.episodes_per_run_max == 0


@pytest.mark.parametrize(("name", "text"), [("LLM_TIMEOUT_SECS", "soon"), ("LLM_TIMEOUT_SECS", "-1"), ("LLM_TIMEOUT_SECS", "nan"), ("BRAIN_WALK_MAX_PER_RUN", "1.5"), ("BRAIN_WALK_MAX_PER_RUN", "1e400"), ("BRAIN_BLOCK_DF_CAP", "six")])
def test_a_text_that_is_no_number_is_named_with_its_variable(name: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=name):
        load_config(tmp_path, environ={name: text})


def test_folders_of_another_tool_count_beside_its_vault_only(tmp_path: Path) -> None:
    folders = {"INBOX_DIR": "2 Memory/Inbox", "LONG_TERM_DIR": str(tmp_path / "Long term"), "GROWTH_SUBDIR": "Growth", "TIMELINE_SUBDIR": "Timeline", "ARCHIVE_SUBDIR": "_Archive/old"}
    assert load_config(tmp_path, environ=folders).folders == Config().folders
    found = load_config(tmp_path, environ={**folders, "VAULT_ROOT": str(tmp_path)}).folders
    assert (found.inbox, found.memory, found.insights) == ("2 Memory/Inbox", "Long term", "Long term/Growth")
    assert (found.timeline, found.archive) == ("Long term/Timeline", "Long term/_Archive/old")


@pytest.mark.parametrize("folder", ["..", "../Other", "/etc", ".", "a/../.."])
def test_a_folder_outside_the_vault_is_refused(folder: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="INBOX_DIR"):
        load_config(tmp_path, environ={"VAULT_ROOT": str(tmp_path), "INBOX_DIR": folder})


def test_the_table_has_a_row_for_each_variable() -> None:
    rows = environment_table().splitlines()
    assert len(rows) == len(VARIABLES) + 2
    assert "| `LLM_COMMAND` | `judge.command` | mapped |  |" in rows
