"""What is odd about one note: unusable frontmatter and names that are there twice. Values, no advice taken."""

from __future__ import annotations

from collections.abc import Iterator

from brain.config import Limits
from brain.core.finding import Finding
from brain.core.note import Atom
from brain.vault.frontmatter import Frontmatter, read_frontmatter
from brain.vault.linkscan import Lines

SECOND_BLOCK_CHARS_MAX = 4_000


def findings_of(
    path: str, text: str, front: Frontmatter, block_ids: list[tuple[str, int]], doubled: list[Atom], lines: Lines
) -> tuple[Finding, ...]:
    """Returns what a reader of one note should know, in line order; `doubled` are atoms whose id was taken."""
    found = [
        *_of_frontmatter(path, text, front, lines),
        *_of_block_ids(path, block_ids, {atom.id for atom in doubled}),
        *(_of_atom(path, atom) for atom in doubled),
    ]
    return tuple(sorted(found, key=lambda finding: (finding.line, finding.code, finding.message)))


def _of_frontmatter(path: str, text: str, front: Frontmatter, lines: Lines) -> Iterator[Finding]:
    if front.problem is not None:
        cure = f'correct the block at the top of "{path}"'
        yield Finding(front.problem.code, "error", path, front.problem.line, front.problem.message, cure)
    if front.block is None:
        return
    seen: set[str] = set()
    for entry in front.block.entries:
        if entry.key in seen:
            message = f"The property `{entry.key}` is there twice; the last one counts."
            line = lines.at(front.yaml_start + entry.key_start)
            yield Finding("duplicate-key", "warning", path, line, message, f'keep one `{entry.key}:` line in "{path}"')
        seen.add(entry.key)
    if _is_followed_by_another(text, front):
        message = "A second frontmatter block follows the first; it counts as text."
        cure = f'move its keys into the first block of "{path}"'
        yield Finding("second-frontmatter", "warning", path, lines.at(front.end), message, cure)


def _of_block_ids(path: str, block_ids: list[tuple[str, int]], of_atoms: set[str | None]) -> Iterator[Finding]:
    seen: set[str] = set()
    for name, line in block_ids:
        if name in seen and name not in of_atoms:
            message = f"The block id `^{name}` is there twice; links lead to the first."
            yield Finding("duplicate-block-id", "warning", path, line, message, f'change one of them in "{path}"')
        seen.add(name)


def _of_atom(path: str, atom: Atom) -> Finding:
    message = f"The atom id `^{atom.id}` is there twice; the later atom gets an id of its own."
    return Finding(
        "duplicate-atom-id", "warning", path, atom.line, message, f'remove it from line {atom.line} of "{path}"'
    )


def _is_followed_by_another(text: str, front: Frontmatter) -> bool:
    rest = text[front.end : front.end + SECOND_BLOCK_CHARS_MAX].lstrip()
    if not rest.startswith("---"):
        return False
    second = read_frontmatter(rest, Limits()).block
    return second is not None and bool(second.entries)
