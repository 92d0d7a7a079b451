"""Documents say what there is: docstrings, decisions, glossary, and nothing about any one machine."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BRAIN_FILES = sorted((ROOT / "brain").rglob("*.py"))
DECISIONS = sorted((ROOT / "brain" / "decisions").glob("*.md"))
# The words are put together here, so that this file does not hold them.
MACHINE_WORDS = tuple(
    "".join(parts)
    for parts in (("/wo", "rk/"), ("/tm", "p/w"), ("/opt/", "pypi"), ("/ro", "ot/"), ("/Us", "ers/"), ("files.python", "hosted.org"), ("pypi", ".org"))
)  # fmt: skip


def test_every_module_says_what_lives_in_it() -> None:
    assert [] == [str(p.relative_to(ROOT)) for p in BRAIN_FILES if not ast.get_docstring(ast.parse(p.read_text("utf-8")))]


def test_every_public_class_and_function_has_a_docstring() -> None:
    assert [] == [where for where, node in public_definitions() if not ast.get_docstring(node)]


def test_public_docstrings_begin_with_one_sentence() -> None:
    first_lines = {where: (ast.get_docstring(node) or "").splitlines()[:1] for where, node in public_definitions()}
    assert {} == {where: first for where, first in first_lines.items() if first and not first[0].rstrip().endswith((".", ":", "?"))}


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_is_linked_from_the_architecture_and_fits_a_page(decision: Path) -> None:
    text = decision.read_text("utf-8")
    assert f"(brain/decisions/{decision.name})" in (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert re.findall(r"^## .+$", text, re.M) == ["## Context", "## Decision", "## Consequences", "## Rejected"]
    assert len(text.split()) < 600


def test_decisions_are_numbered_without_gaps() -> None:
    assert list(range(1, len(DECISIONS) + 1)) == [int(path.name[:4]) for path in DECISIONS]


def test_links_between_documents_lead_somewhere() -> None:
    broken = []
    for document in (ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md"):
        targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text("utf-8"))
        broken += [f"{document.name}: {target}" for target in targets if not (document.parent / target).exists()]
    assert broken == []


def test_the_readme_names_every_setting() -> None:
    from brain.config import Config

    readme = (ROOT / "README.md").read_text("utf-8")
    assert [] == [name for name in settings_of(Config()) if f"`{name}`" not in readme]


def settings_of(value: object, prefix: str = "") -> Iterator[str]:
    for field in fields(value):  # type: ignore[arg-type]
        inner = getattr(value, field.name)
        if is_dataclass(inner):
            yield from settings_of(inner, f"{prefix}{field.name}.")
        elif field.metadata.get("setting", True):
            yield f"{prefix}{field.name}"


def test_the_settings_of_the_template_are_settings_of_this_version(tmp_path: Path) -> None:
    from brain.config import load_config

    shipped = (ROOT / "vault-template" / "brain.toml").read_text("utf-8")
    uncommented = "\n".join(re.sub(r"^# (?=\[?\w+[\]\s]*(=|$))", "", line) for line in shipped.splitlines())
    assert set(tomllib.loads(uncommented)) >= {"owner", "zone", "engine", "exclude", "folders", "embed", "web", "limits"}
    (tmp_path / "brain.toml").write_text(uncommented, "utf-8")
    assert load_config(tmp_path, environ={}).owner is not None


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = []
    for path in tracked_files():
        try:
            text = path.read_text("utf-8")
        except (UnicodeDecodeError, OSError):
            continue
        found += [f"{path.relative_to(ROOT)}: {word}" for word in MACHINE_WORDS if word in text]
    assert found == []


def public_definitions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]]:
    """Yields public classes, functions and methods of the package, nested functions left out."""
    for path in BRAIN_FILES:
        yield from _public_in(ast.parse(path.read_text("utf-8")), str(path.relative_to(ROOT)))


def _public_in(
    scope: ast.Module | ast.ClassDef, where: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]]:
    for node in scope.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        yield f"{where}:{node.lineno} {node.name}", node
        if isinstance(node, ast.ClassDef):
            yield from _public_in(node, where)


def tracked_files() -> list[Path]:
    """Returns what git tracks or would track; everything outside caches where there is no git."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=False
    )
    if listed.returncode == 0:
        return [path for name in listed.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]
    kept = ("brain", "tests", "bench", "vault-template")
    return [path for folder in kept for path in sorted((ROOT / folder).rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
