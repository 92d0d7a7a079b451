"""The layers and the only-importer rules of pyproject.toml hold."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).resolve().parents[2]
BRAIN_FILES = sorted((ROOT / "brain").rglob("*.py"))


def test_imports_keep_the_contracts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(ROOT))
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == EXIT_STATUS_SUCCESS


def test_nothing_in_the_package_imports_the_entry() -> None:
    assert [] == [path.name for path in BRAIN_FILES if "cli" in imported_names(path)]


def test_the_core_knows_no_clock_disk_environment_or_chance() -> None:
    impure = {"os", "random", "secrets", "time", "socket", "subprocess", "pathlib", "shutil", "sqlite3", "tempfile"}
    core = [path for path in BRAIN_FILES if path.parent.name == "core"]
    assert core
    assert {} == {path.name: found for path in core if (found := imported_names(path) & impure)}


def test_the_library_neither_prints_nor_exits() -> None:
    spoken = []
    for path in BRAIN_FILES:
        if path.parent.name == "commands" or path.name == "show.py":
            continue
        calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
        named = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in ("print", "exit", "quit")]
        spoken += [f"{path.relative_to(ROOT)}:{call.lineno}" for call in named]
    assert spoken == []


def imported_names(path: Path) -> set[str]:
    """Returns the top-level names of what a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.split(".")[0])
    return names
