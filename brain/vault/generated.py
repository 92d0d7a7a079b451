"""The views that are written into the vault: the review note, the timeline, the tree. Where they lie, and how they are told from a person's notes.

They repeat what other notes say and link them, so they are no notes of the vault: indexed, they would be found in
their place, and make links where nobody wrote any.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal

from brain.config import Folders

View = Literal["review", "timeline", "render"]
NAME = "Review.md"
HEAD = "---\ngenerated: brain review\n---\n"
TIMELINE_HEAD = "---\ngenerated: brain timeline\n---\n"
RENDER_HEAD = "---\ngenerated: brain render\n---\n"
_IS_GENERATED = {
    view: re.compile(rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*?generated:[ \t]*[\"']?brain " + view.encode() + rb"[\"']?[ \t]*\r?\n")
    for view in ("review", "timeline", "render")
}
_HEAD_BYTES_MAX = 2_048


def review_path(folder: str) -> str:
    """Returns the path of the review note in the folder of the setting `folders.review`; an empty one is the vault itself."""
    return f"{folder.strip('/')}/{NAME}" if folder.strip("/") else NAME


def is_view(root: Path, path: str, folders: Folders) -> bool:
    """Tells whether the file at a path is a view; a note of such a place without its mark is a person's."""
    if path[-len(NAME) :].lower() == NAME.lower() and path.lower() == review_path(folders.review).lower():  # asked of every file: the end tells most
        return is_generated(_head_of(root, path))
    places: tuple[tuple[str, View], ...] = ((folders.timeline, "timeline"), (folders.views, "render"))
    return any(
        bool(folder.strip("/")) and path.startswith(f"{folder.strip('/')}/") and is_generated(_head_of(root, path), view) for folder, view in places
    )


def is_generated(data: bytes, view: View = "review") -> bool:
    """Tells whether a text carries the mark of a view."""
    return _IS_GENERATED[view].match(data[:_HEAD_BYTES_MAX]) is not None


def _head_of(root: Path, path: str) -> bytes:
    """Returns the beginning of a file; nothing when it cannot be read, which those that read it tell."""
    try:
        handle = os.open(root / path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return b""
    with os.fdopen(handle, "rb") as file:
        return file.read(_HEAD_BYTES_MAX)
