"""Settings of the walk: more inboxes of this vault, and folders outside it that are only read. Reads no file.

A brain.toml may come from someone else, so that a folder outside the vault that it names is read only when the
environment says so too (ADR 0021).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from brain.core.ids import short_hash
from brain.errors import UsageError

NOT_A_SETTING = {"setting": False}
NAMED, ALLOWED = "BRAIN_WALK_INBOXES", "BRAIN_WALK_ALLOW"
DISCOVERED, SUBFOLDERS = "DISCOVER_SIBLING_VAULTS", "SIBLING_INBOX_SUBDIRS"
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class Walk:
    """Where else episodes wait: `inboxes` are folders inside the vault, `siblings` folders outside it, that are only read.

    Three are no settings of brain.toml: `discover` are the inboxes to look for in the folders beside the vault (none:
    nothing is looked for), `unconfirmed` is the word that `BRAIN_WALK_ALLOW` must hold before what brain.toml names is
    read, `refused` what it names.
    """

    inboxes: tuple[str, ...] = ()
    siblings: tuple[str, ...] = ()
    discover: tuple[str, ...] = field(default=(), metadata=NOT_A_SETTING)
    unconfirmed: str | None = field(default=None, metadata=NOT_A_SETTING)
    refused: tuple[str, ...] = field(default=(), metadata=NOT_A_SETTING)


def walk_in_force(in_file: Walk, environ: Mapping[str, str], root: Path, *, inbox: str) -> Walk:
    """Returns the walk to use: the folders that the environment names, else the file's once confirmed, else what is looked for.

    Raises: UsageError for a variable or a setting that names no folder.
    """
    named = _listed(environ.get(NAMED, ""))
    if named:
        return replace(in_file, siblings=_checked(named, NAMED))
    if not in_file.siblings:
        return replace(in_file, discover=_discovered(environ, inbox))
    mark = mark_of(_checked(in_file.siblings, "`walk.siblings`"), root)
    if mark in environ.get(ALLOWED, "").replace(",", " ").split():
        return in_file
    return replace(in_file, siblings=(), unconfirmed=mark, refused=in_file.siblings)


def mark_of(siblings: tuple[str, ...], root: Path) -> str:
    """Returns the word by which a person confirms the folders that one vault's brain.toml names; other folders have another."""
    return short_hash("siblings", str(root.resolve()), *siblings, length=10)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(os.pathsep) if part.strip())


def _checked(folders: tuple[str, ...], where: str) -> tuple[str, ...]:
    for folder in folders:
        if not folder.strip() or not folder.isprintable():
            raise UsageError(f"{where} names {folder!r}, which is no folder.", f"correct {where}")
    return folders


def _discovered(environ: Mapping[str, str], inbox: str) -> tuple[str, ...]:
    wanted = environ.get(DISCOVERED, "").strip().lower()
    if wanted and wanted not in (*_YES, *_NO):
        raise UsageError(f"{DISCOVERED} must be 1 or 0, not {wanted!r}.", f"unset {DISCOVERED} or correct it")
    if wanted not in _YES:
        return ()
    for folder in (found := _listed(environ.get(SUBFOLDERS, "")) or (inbox,)):
        if folder.startswith(("/", "~")) or ".." in folder.split("/") or not folder.isprintable():
            raise UsageError(f"{SUBFOLDERS} names {folder!r}, which is no folder inside a vault.", f"unset {SUBFOLDERS} or correct it")
    return found
