"""A new vault: the template copied, or an existing folder adopted without touching a note in it."""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from pathlib import Path
from typing import Any

from brain.config import SETTINGS_FILE, STATE_FOLDER, vault_around
from brain.errors import UsageError

IGNORED = "index/\ncache/\nbackups/\nheld/\nlog/\nlock\nmaintain.lock\nmaintain.log\n"
_VALUE = r"""owner[ \t]*=[ \t]*(?:"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*')(?P<behind>[ \t]*(?:\#[^\r\n]*)?)(?=\r?$)"""
_OWNER = re.compile(rf"(?m)^[ \t]*{_VALUE}")
_OWNER_AS_COMMENT = re.compile(rf"(?m)^\#[ \t]*{_VALUE}")


def template_folder() -> Path:
    """Returns where the template lies: in the package when installed, at the top of a checkout."""
    packaged = Path(__file__).parents[1] / "_template"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "vault-template"


def init_vault(folder: Path, *, adopt: bool) -> tuple[str, ...]:
    """Makes `folder` a vault and returns the files written, relative to it.

    With `adopt` only `brain.toml` (when missing) and `.brain/.gitignore` are written; no note is touched.
    Raises: UsageError when the folder is not empty or inside a vault and not to be adopted, or cannot be written.
    """
    folder = folder.expanduser()
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file.", "name a folder")
    if folder.is_dir() and any(folder.iterdir()) and not adopt:
        raise UsageError(
            f"{folder} is not empty, so nothing was written.", f'brain init --adopt "{folder}" keeps all that is there'
        )
    outer = vault_around(folder.resolve().parent)
    if outer is not None and not adopt:
        raise UsageError(
            f"{folder} lies inside the vault {outer}, which reads what is in there, so nothing was written.",
            f'brain init --adopt "{folder}" to make it a vault of its own all the same',
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written = [] if adopt else _copied(template_folder(), folder)
        settings = folder / SETTINGS_FILE
        if not settings.exists():
            settings.write_bytes((template_folder() / SETTINGS_FILE).read_bytes())
            written.append(SETTINGS_FILE)
        ignore = folder / STATE_FOLDER / ".gitignore"
        if not ignore.exists():
            ignore.parent.mkdir(exist_ok=True)
            ignore.write_text(IGNORED, "utf-8")
            written.append(f"{STATE_FOLDER}/.gitignore")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}.", "choose another folder") from error
    return tuple(sorted(written))


def write_owner(root: Path, name: str) -> str:
    """Sets `owner` in `brain.toml` as text and returns the name as written; nothing else in the file moves.

    Raises: UsageError for a name that is no line of text, or a file that cannot be written or understood.
    """
    name = name.strip()
    if not name or any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name):
        raise UsageError("The owner's name is one line of text that is not empty.", 'brain setup --name "Your Name"')
    path = root / SETTINGS_FILE
    try:
        text = path.read_bytes().decode("utf-8") if path.exists() else ""
        changed = _with_owner(text, f"owner = {json.dumps(name, ensure_ascii=False)}")
        if _settings(changed) != {**_settings(text), "owner": name}:
            raise UsageError(f"setup cannot tell where {path} names the owner.", f'write owner = "{name}" into it')
        path.write_bytes(changed.encode("utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.", "make it writable") from error
    return name


def _with_owner(text: str, line: str) -> str:
    """Puts the line in the place of the owner's, commented out or not, with the comment behind it kept."""
    top = re.split(r"(?m)^(?=[ \t]*\[)", text, maxsplit=1)[0]
    found = _OWNER.search(top) or _OWNER_AS_COMMENT.search(top)
    if found:
        return f"{text[: found.start()]}{line}{found['behind']}{text[found.end() :]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    return f"{line}{newline}{text}"


def _settings(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _copied(source: Path, target: Path) -> list[str]:
    written = []
    for place in sorted(source.rglob("*")):
        if place.is_file() and place.name != ".gitkeep":
            relative = place.relative_to(source)
            (target / relative).parent.mkdir(parents=True, exist_ok=True)
            (target / relative).write_bytes(place.read_bytes())
            written.append(relative.as_posix())
        elif place.is_dir():
            (target / place.relative_to(source)).mkdir(parents=True, exist_ok=True)
    return written
