"""Settings from the file and from the environment: what they may be, and what is said when they are not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from brain.config import Config, load_config, zone_of
from brain.errors import UsageError
from tests.commands.support import run
from tests.commands.test_exits import held


@pytest.mark.parametrize(("given", "wanted"), [("0", 0.0), ("0.25", 0.25), ("7", 7.0), (" 3 ", 3.0), ("", 10.0)])
def test_the_wait_for_the_lock_takes_zero_and_fractions(tmp_path: Path, given: str, wanted: float) -> None:
    assert load_config(tmp_path, environ={"BRAIN_LOCK_WAIT_S": given}).limits.lock_wait_s == wanted


def test_a_wait_of_zero_does_not_wait(vault: Path) -> None:
    with held(vault):
        begun = time.monotonic()
        ran = run("index", vault=vault, env={"BRAIN_LOCK_WAIT_S": "0"})
        assert (ran.code, time.monotonic() - begun < 0.9) == (3, True)
        assert "waited 0 s" in ran.err


@pytest.mark.parametrize("given", ["-1", "nan", "inf", "soon", "1e999"])
def test_a_wait_that_is_no_time_is_refused(tmp_path: Path, given: str) -> None:
    with pytest.raises(UsageError, match="BRAIN_LOCK_WAIT_S must be a number, 0 or more"):
        load_config(tmp_path, environ={"BRAIN_LOCK_WAIT_S": given})


@pytest.mark.parametrize("given", ["0", "-3", "1.5", "²", "many", "inf"])
def test_dims_that_are_none_are_refused(tmp_path: Path, given: str) -> None:
    with pytest.raises(UsageError, match=r"BRAIN_EMBED_DIMS|embed\.dims"):
        load_config(tmp_path, environ={"BRAIN_EMBED_DIMS": given})


def test_dims_are_taken_from_both_places(tmp_path: Path) -> None:
    (tmp_path / "brain.toml").write_text("[embed]\ndims = 8\n", "utf-8")
    assert load_config(tmp_path, environ={}).embed.dims == 8
    assert load_config(tmp_path, environ={"BRAIN_EMBED_DIMS": "16"}).embed.dims == 16


def test_an_empty_variable_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / "brain.toml").write_text("owner = 'Ada'\nengine = 'ladybug'\nzone = 'Europe/Rome'\n[embed]\nmodel = 'lexical'\n", "utf-8")
    names = ("OWNER", "ENGINE", "ZONE", "EMBED_MODEL", "EMBED_ENDPOINT", "EMBED_API_KEY", "EMBED_DIMS", "LOCK_WAIT_S")
    assert load_config(tmp_path, environ={f"BRAIN_{name}": "" for name in names}) == load_config(tmp_path, environ={})


@pytest.mark.parametrize(
    "line",
    ["limits = {note_bytes_max = inf}", "limits = {note_bytes_max = 1.5}", "limits = {lock_wait_s = nan}", "limits = {pairs_per_run_max = -1}",
     "limits = {pairs_per_run_max = true}", "embed = {dims = '8'}", "embed = {dims = true}", "embed = {endpoint = 5}", "owner = 5",
     "web = {fetch = 1}", "web = {fetch = 'yes'}", "exclude = 'x'", "embed = 3"],
)  # fmt: skip
def test_a_value_of_the_wrong_type_is_named_and_nothing_breaks(vault: Path, line: str) -> None:
    (vault / "brain.toml").write_text(f"{line}\n", "utf-8")
    ran = run("status", vault=vault)
    assert (ran.code, ran.out) == (2, "")
    assert "must be" in ran.err


def test_a_whole_number_may_be_written_as_a_real_one(tmp_path: Path) -> None:
    (tmp_path / "brain.toml").write_text("[limits]\nnote_bytes_max = 1e6\nlock_wait_s = 2\n", "utf-8")
    limits = load_config(tmp_path, environ={}).limits
    assert (limits.note_bytes_max, limits.lock_wait_s) == (1_000_000, 2.0)
    assert isinstance(limits.note_bytes_max, int)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc", "", "/etc/localtime"])
def test_a_zone_that_is_none_is_refused_everywhere_in_the_same_words(tmp_path: Path, zone: str) -> None:
    (tmp_path / "brain.toml").write_text(f"zone = '{zone}'\n", "utf-8")
    with pytest.raises(UsageError, match="which is no time zone") as by_file:
        load_config(tmp_path, environ={})
    with pytest.raises(UsageError, match="which is no time zone") as by_value:
        zone_of(Config(zone=zone))
    assert by_file.value.message == by_value.value.message
