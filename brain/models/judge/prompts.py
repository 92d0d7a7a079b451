"""The prompts as files: `brain/models/prompts/<task>.md`, each with its name, version and what it returns.

A verdict carries the version, and what was asked before is remembered under it: another text needs another
version. Words of ours are put in by name; text of a note never is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from brain.core.ids import sha256_hex
from brain.errors import BrainError

FOLDER = Path(__file__).resolve().parents[1] / "prompts"
EXAMPLE = "example"
"""What stands in the examples where the ticket of a real request stands."""

_HEADER = re.compile(r"---\nname: (?P<name>[a-z_]+)\nversion: (?P<version>\d+)\nreturns: (?P<returns>[^\n]+)\n---\n(?P<text>.+)", re.S)
_WORD = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt. `words` are the names that stand in it in double braces."""

    name: str
    version: int
    returns: str
    text: str

    @property
    def words(self) -> frozenset[str]:
        """The names of what is put in."""
        return frozenset(_WORD.findall(self.text))

    @property
    def sha256(self) -> str:
        """The hash of the text, by which a change without a new version shows."""
        return sha256_hex(self.text.encode("utf-8"))

    def filled(self, words: Mapping[str, str]) -> str:
        """Returns the text with every name replaced. Raises: KeyError for a name nobody gave."""
        return _WORD.sub(lambda match: words[match[1]], self.text).strip()


@cache
def load_prompt(name: str, folder: Path = FOLDER) -> Prompt:
    """Reads one prompt file. Raises: BrainError when it is missing or has no proper header."""
    path = folder / f"{name}.md"
    try:
        match = _HEADER.fullmatch(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BrainError(f"The prompt {path} cannot be read ({error}).", "install brain again") from error
    if match is None or match["name"] != name:
        raise BrainError(f"{path} does not begin with its name, version and what it returns.", "install brain again")
    return Prompt(name, int(match["version"]), match["returns"], match["text"])


def prompt_names() -> tuple[str, ...]:
    """Returns the names of all prompts, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.md")))
