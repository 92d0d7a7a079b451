"""No file and no function grows past its wall; the entry stays small."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = [*sorted((ROOT / "brain").rglob("*.py")), *([ROOT / "cli.py"] if (ROOT / "cli.py").exists() else [])]
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
ENTRY_LINES_MAX = 150


def test_no_file_is_longer_than_400_lines() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert len(lengths) > 20
    assert {} == {name: lines for name, lines in lengths.items() if lines > FILE_LINES_MAX}


def test_the_entry_is_no_longer_than_150_lines() -> None:
    assert len((ROOT / "cli.py").read_text("utf-8").splitlines()) <= ENTRY_LINES_MAX


def test_no_function_is_longer_than_60_lines() -> None:
    lengths = {where: (node.end_lineno or 0) - node.lineno + 1 for where, node in functions()}
    assert len(lengths) > 100
    assert {} == {where: lines for where, lines in lengths.items() if lines > FUNCTION_LINES_MAX}


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yields every function of the package with its place."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", node
