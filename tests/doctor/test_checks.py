"""Doctor as a whole: the closed list of codes, the order and shape of findings, silence where all is well."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from brain.doctor.checks import examine
from brain.doctor.codes import CODES
from brain.doctor.state import status_of
from tests.doctor.conftest import Make

BRAIN = Path(__file__).resolve().parents[2] / "brain"


def test_a_vault_in_order_has_no_findings(make: Make) -> None:
    assert examine(make({"A.md": "[[B]]\n", "B.md": "Hello.\n"})) == ()


def test_every_code_that_is_used_is_in_the_list_and_every_code_of_the_list_is_used() -> None:
    assert codes_in_source() == set(CODES)


def test_findings_are_sorted_known_and_cured(make: Make) -> None:
    space = make({"A.md": "[[Nobody]]\n[[Plan]]\n", "x/Plan.md": "---\n- a\n---\n", "y/Plan.md": "caf\udce9\n", "Z.md": "<<<<<<< a\n=======\n>>>>>>> b\n"})
    found = examine(space)
    assert found == examine(space)
    assert [f.severity for f in found] == sorted((f.severity for f in found), key=("error", "warning", "info").index)
    assert {f.code for f in found} >= {"broken-link", "ambiguous-link", "frontmatter-not-mapping", "encoding", "conflict-marks", "orphan"}
    assert [f for f in found if f.code not in CODES or not f.cure.strip() or not f.message.endswith(".")] == []


def test_doctor_writes_nothing(make: Make) -> None:
    space = make({"A.md": "[[Nobody]]\n"})
    before = {path: path.read_bytes() for path in space.vault.root.rglob("*") if path.is_file()}
    examine(space)
    status_of(space)
    assert {path: path.read_bytes() for path in space.vault.root.rglob("*") if path.is_file()} == before


def codes_in_source() -> set[str]:
    """Every word that source gives a finding (or a frontmatter problem) as its code."""
    found = set()
    for path in BRAIN.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and name in ("Finding", "Problem", "BadYaml") and node.args and isinstance(node.args[0], ast.Constant):
                found.add(str(node.args[0].value))
        if path.name in ("frontmatter.py", "properties.py"):
            found |= set(re.findall(r'"(frontmatter-[a-z-]+)"', path.read_text("utf-8")))
    return found
