"""The review note: where it lies, and how it is told from a note of the same name that a person wrote.

It repeats what other notes say and links them, so it is no note of the vault: indexed, it would be found in their
place, and make links where nobody wrote any.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

NAME = "Review.md"
HEAD = "---\ngenerated: brain review\n---\n"
_IS_GENERATED = re.compile(rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*?generated:[ \t]*[\"']?brain review[\"']?[ \t]*\r?\n")
_HEAD_BYTES_MAX = 2_048


def review_path(folder: str) -> str:
    """Returns the path of the review note in the folder of the setting `folders.review`; an empty one is the vault itself."""
    return f"{folder.strip('/')}/{NAME}" if folder.strip("/") else NAME


def is_review_note(root: Path, path: str, folder: str) -> bool:
    """Tells whether the file at a path is the review note; a note of that name without its mark is a person's."""
    if path[-len(NAME) :].lower() != NAME.lower() or path.lower() != review_path(folder).lower():  # asked of every file: the end tells most
        return False
    try:
        handle = os.open(root / path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return False  # what cannot be read is named by those that read it
    with os.fdopen(handle, "rb") as file:
        return is_generated(file.read(_HEAD_BYTES_MAX))


def is_generated(data: bytes) -> bool:
    """Tells whether a text carries the mark of the review note."""
    return _IS_GENERATED.match(data[:_HEAD_BYTES_MAX]) is not None
