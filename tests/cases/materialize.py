"""Lays the files of a case out on disk. A path that starts with `../` lies beside the vault."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any


def materialize(files: dict[str, Any], vault: Path) -> None:
    """Writes every file of a case in and beside an (empty) vault folder."""
    vault.mkdir(parents=True, exist_ok=True)
    for name, value in files.items():
        place = Path(os.path.normpath(vault / name))
        assert place.is_relative_to(vault.parent), f"{name} lies outside the case's folder"
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(value, dict) and "symlink" in value:
            place.symlink_to(value["symlink"])
        else:
            place.write_bytes(bytes_of(value))


def bytes_of(value: Any) -> bytes:
    """Returns the bytes a file value stands for: text, base64, or something generated."""
    if isinstance(value, str):
        return value.encode("utf-8")
    if "b64" in value:
        return base64.b64decode(value["b64"])
    if value.get("generate") == "repeat":
        return "".join(value["unit"].replace("{i}", str(number)) for number in range(value["count"])).encode("utf-8")
    if value.get("generate") == "base64_image":
        picture = base64.b64encode(bytes(number * 31 % 251 for number in range(value["bytes"] * 3 // 4 + 3)))[: value["bytes"]]
        return f"{value['head']}![img](data:image/png;base64,{picture.decode()}){value['tail']}".encode()
    raise ValueError(f"a file value of an unknown form: {value!r}")
