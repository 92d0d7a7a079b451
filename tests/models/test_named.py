"""Models that the settings name: found on this machine, asked for at the hub only by an explicit word."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brain.errors import BrainError
from brain.models.embed import MiniLM
from brain.models.minilm import packaged_folder
from brain.models.named import NamedModel
from tests.models.hub import MODEL, Hub, served

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json, sys
from brain.errors import BrainError
from brain.models.named import NamedModel

def said(act):
    try:
        return act()
    except BrainError as error:
        return [error.message, error.cure]

model = NamedModel(sys.argv[1])
answers = [said(lambda: {"download": model.download, "embed": lambda: model.embed(["a query"]).shape}[word]()) for word in sys.argv[2:]]
print(json.dumps([answers, sorted({"torch", "sentence_transformers"} & set(sys.modules))]))
"""


@pytest.fixture
def hub() -> Iterator[Hub]:
    with served(packaged_folder()) as running:
        yield running


def ask(hub: Hub, home: Path, *words: str) -> tuple[list[Any], list[str]]:
    """What a process that may reach the hub says, and which large libraries it needed for that."""
    offline = {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "SENTENCE_TRANSFORMERS_HOME"}
    environ = {name: value for name, value in os.environ.items() if name not in offline}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, cwd=ROOT, check=True,
        env={**environ, "HF_ENDPOINT": hub.address, "HF_HOME": str(home)},
    )  # fmt: skip
    answers, imported = json.loads(done.stdout)
    return answers, imported


def test_a_model_that_is_not_here_is_told_at_once_and_nobody_is_asked(hub: Hub, tmp_path: Path) -> None:
    ((message, cure),), imported = ask(hub, tmp_path, MODEL, "embed")
    assert message == f"The embedding model {MODEL!r} is not on this machine, and nothing is fetched unasked."
    assert "brain index --download" in cure and "minilm" in cure
    assert (hub.asked, imported) == ([], [])


@pytest.mark.slow
def test_a_model_is_fetched_once_by_an_explicit_word_and_then_used_without_asking(hub: Hub, tmp_path: Path) -> None:
    assert ask(hub, tmp_path, MODEL, "download")[0] == [True]
    assert f"GET /{MODEL}/resolve/{'a' * 40}/model.safetensors" in hub.asked
    hub.asked.clear()
    assert ask(hub, tmp_path, MODEL, "download", "embed")[0] == [False, [1, 384]]
    assert hub.asked == []


def test_a_model_that_the_hub_does_not_have_is_told_without_trying_again(hub: Hub, tmp_path: Path) -> None:
    ((message, _),), imported = ask(hub, tmp_path, "nobody/nothing", "download")
    assert "'nobody/nothing' could not be fetched" in message
    assert [path for path in hub.asked if "nobody" in path] == ["GET /api/models/nobody/nothing"]
    assert imported == []


def test_a_hub_that_cannot_be_reached_is_told_without_trying_again(tmp_path: Path) -> None:
    ((message, cure),), _ = ask(Hub(tmp_path, "http://127.0.0.1:9"), tmp_path, MODEL, "download")
    assert "could not be fetched" in message
    assert "connection" in cure


def test_a_model_can_be_named_by_its_folder() -> None:
    named = NamedModel(str(packaged_folder()))
    assert named.known_dims is None
    assert np.abs(named.embed(["a query"]) - MiniLM().embed(["a query"])).max() <= 1e-5
    assert (named.dims, named.known_dims) == (384, 384)


def test_dims_that_the_model_does_not_have_are_refused() -> None:
    with pytest.raises(BrainError, match="384 dims, the settings say 8") as caught:
        NamedModel(str(packaged_folder()), dims=8).embed(["a"])
    assert "dims = 384" in caught.value.cure


@pytest.mark.parametrize("name", ["no-one/no-such-model", "no such/model", "../up", "a/b/c", ""])
def test_a_name_that_leads_nowhere_says_what_to_do(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BrainError) as caught:
        NamedModel(name).embed(["a"])
    assert "minilm" in caught.value.cure


def test_a_model_with_code_of_its_own_is_refused_and_the_code_not_run(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("raise SystemExit('taken in')\n", "utf-8")
    (tmp_path / "modules.json").write_text('[{"idx": 0, "name": "0", "path": "", "type": "own.Model"}]', "utf-8")
    with pytest.raises(BrainError, match=r"code of its own \(own.Model\)"):
        NamedModel(str(tmp_path)).embed(["a"])


@pytest.mark.parametrize("modules", ["{", "[1]", '[{"idx": 0}]', "[]", '[{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Pooling"}]'])
def test_a_folder_that_is_no_model_is_told_in_a_line(tmp_path: Path, modules: str) -> None:
    (tmp_path / "modules.json").write_text(modules, "utf-8")
    with pytest.raises(BrainError) as caught:
        NamedModel(str(tmp_path)).embed(["a"])
    assert "\n" not in caught.value.message
    assert "minilm" in caught.value.cure
