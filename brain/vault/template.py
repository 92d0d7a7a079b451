"""A new vault: the template copied, or an existing folder adopted without touching a note in it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from brain.config import SETTINGS_FILE, STATE_FOLDER
from brain.errors import UsageError

IGNORED = "index/\ncache/\nheld/\nlog/\nlock\n"


def template_folder() -> Path:
    """Returns where the template lies: in the package when installed, at the top of a checkout."""
    packaged = Path(__file__).parents[1] / "_template"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "vault-template"


def init_vault(folder: Path, *, adopt: bool) -> tuple[str, ...]:
    """Makes `folder` a vault and returns the files written, relative to it.

    With `adopt` only `brain.toml` (when missing) and `.brain/.gitignore` are written; no note is touched.
    Raises: UsageError when the folder is not empty and not to be adopted, or cannot be written.
    """
    folder = folder.expanduser()
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file.", "name a folder")
    if folder.is_dir() and any(folder.iterdir()) and not adopt:
        raise UsageError(
            f"{folder} is not empty, so nothing was written.", f'brain init --adopt "{folder}" keeps all that is there'
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


def write_owner(root: Path, name: str) -> None:
    """Sets `owner` in `brain.toml` as text; nothing else in the file moves.

    Raises: UsageError for an empty name or a file that cannot be written.
    """
    if not name.strip() or "\n" in name:
        raise UsageError("The owner's name is one line that is not empty.", 'brain setup --name "Your Name"')
    path = root / SETTINGS_FILE
    text = path.read_text("utf-8") if path.exists() else ""
    line = f"owner = {json.dumps(name.strip(), ensure_ascii=False)}"
    top = re.split(r"(?m)^(?=\[)", text, maxsplit=1)[0]
    rest = text[len(top) :]
    changed, count = re.subn(r"(?m)^#?[ \t]*owner[ \t]*=.*$", lambda _: line, top, count=1)
    if not count:
        changed = f"{line}\n{top}"
    try:
        path.write_text(changed + rest, "utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.", "make it writable") from error


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
