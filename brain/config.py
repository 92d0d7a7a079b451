"""Settings: `brain.toml` in the vault, environment `BRAIN_*` over it. Every limit with its unit.

Read once, at the edge (`facade.Brain.open`); nobody else reads the environment or a settings file.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from brain.errors import NotFound, UsageError

SETTINGS_FILE = "brain.toml"
STATE_FOLDER = ".brain"
ENGINES = ("kuzu", "ladybug")


@dataclass(frozen=True, slots=True)
class Folders:
    """Folder names inside the vault, `/`-separated."""

    inbox: str = "Inbox"
    memory: str = "Memory"
    insights: str = "Memory/Insights"
    timeline: str = "Timeline"
    archive: str = "Archive"


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on everything that could grow; what a limit leaves out is counted and named."""

    note_bytes_max: int = 4_000_000
    frontmatter_bytes_max: int = 64_000
    yaml_nodes_max: int = 4_096
    link_chars_max: int = 1_024
    lock_wait_s: float = 10.0
    episodes_per_run_max: int = 50
    pairs_per_run_max: int = 50
    sources_per_run_max: int = 50
    search_candidates_max: int = 200
    search_terms_max: int = 32
    snippet_chars_max: int = 320
    tree_levels_max: int = 150
    chunk_chars_max: int = 1_000
    chunk_overlap_chars: int = 150
    chunks_per_note_max: int = 200
    cypher_timeout_s: float = 10.0
    cypher_rows_max: int = 1_000
    watch_debounce_ms: int = 250
    token_df_max: int = 20
    fetch_bytes_max: int = 2_000_000
    fetch_timeout_s: float = 15.0
    fetch_redirects_max: int = 3


@dataclass(frozen=True, slots=True)
class Embed:
    """Which embedder: `minilm`, `lexical`, `none`, a sentence-transformers name, or an endpoint."""

    model: str = "minilm"
    endpoint: str | None = None
    api_key: str | None = field(default=None, repr=False)
    dims: int | None = None
    timeout_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Web:
    """Fetching pages is off until a person says otherwise."""

    fetch: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of one vault. `exclude` are glob patterns of paths that are not notes."""

    owner: str | None = None
    zone: str = "UTC"
    engine: str = "kuzu"
    exclude: tuple[str, ...] = ("node_modules", "*/node_modules")
    folders: Folders = Folders()
    limits: Limits = Limits()
    embed: Embed = Embed()
    web: Web = Web()


def find_vault(explicit: str | Path | None, *, environ: Mapping[str, str] = os.environ, cwd: Path | None = None) -> Path:
    """Returns the vault: the given path, else `BRAIN_VAULT`, else the nearest parent that is one.

    Raises: NotFound when none of them leads to a folder.
    """
    named = explicit or environ.get("BRAIN_VAULT") or environ.get("VAULT_ROOT")
    if named:
        root = Path(named).expanduser().resolve()
        if not root.is_dir():
            raise NotFound(f"There is no folder {named}.", f'brain init "{named}"')
        return root
    here = (cwd or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / SETTINGS_FILE).is_file() or (folder / STATE_FOLDER).is_dir():
            return folder
    raise NotFound(
        f"Neither {here} nor a folder above it is a vault (no {SETTINGS_FILE}, no {STATE_FOLDER}/).",
        "brain index DIR for a folder of notes, brain init DIR for a new vault, or brain --vault DIR …",
    )


def load_config(root: Path, *, environ: Mapping[str, str] = os.environ) -> Config:
    """Reads `brain.toml` and the environment into one frozen value.

    Raises: UsageError naming the file and the key when a setting is unknown or of the wrong type.
    """
    path = root / SETTINGS_FILE
    data: dict[str, Any] = {}
    if path.is_file():
        try:
            data = tomllib.loads(path.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} is not valid TOML: {error}.", f'open "{path}" and correct that line') from error
    config = _filled(Config(), data, where=str(path), prefix="")
    return _usable(_with_environment(config, environ), str(path))


def _usable(config: Config, where: str) -> Config:
    """Checks the two settings whose values come from a closed list, so that a slip is named at once."""
    if config.engine not in ENGINES:
        raise UsageError(f"`engine` is {config.engine!r}, which is no engine.", f"one of {', '.join(ENGINES)}, in {where} or BRAIN_ENGINE")
    if config.zone != "UTC":
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        try:
            ZoneInfo(config.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            cure = f'write zone = "Europe/Rome" or the like, in {where} or BRAIN_ZONE'
            raise UsageError(f"`zone` is {config.zone!r}, which is no time zone.", cure) from error
    return config


def _filled(value: Any, data: Mapping[str, Any], *, where: str, prefix: str) -> Any:
    known = {f.name for f in fields(value)}
    changes: dict[str, Any] = {}
    for key, given in data.items():
        name = f"{prefix}{key}"
        if key not in known:
            raise UsageError(f"{where} has an unknown setting `{name}`.", f"remove it; known here: {', '.join(sorted(known))}")
        changes[key] = _checked(getattr(value, key), given, where=where, name=name)
    return replace(value, **changes)


def _checked(current: Any, given: Any, *, where: str, name: str) -> Any:
    if hasattr(current, "__dataclass_fields__"):
        if not isinstance(given, dict):
            raise UsageError(f"{where}: `{name}` must be a table.", f"write it as [{name}]")
        return _filled(current, given, where=where, prefix=f"{name}.")
    if isinstance(current, tuple):
        if not (isinstance(given, list) and all(isinstance(item, str) for item in given)):
            raise UsageError(f"{where}: `{name}` must be a list of strings.", f'write {name} = ["…"]')
        return tuple(given)
    if isinstance(current, bool) or current is None or isinstance(current, str):
        wanted = bool if isinstance(current, bool) else (str, int) if current is None else str
        if not isinstance(given, wanted):
            raise UsageError(f"{where}: `{name}` has the wrong type ({type(given).__name__}).", f"correct `{name}`")
        return given
    if isinstance(given, bool) or not isinstance(given, int | float) or given < 0:
        raise UsageError(f"{where}: `{name}` must be a number, 0 or more.", f"correct `{name}`")
    return type(current)(given)


def _with_environment(config: Config, environ: Mapping[str, str]) -> Config:
    embed = config.embed
    embed = replace(
        embed,
        model=environ.get("BRAIN_EMBED_MODEL", embed.model),
        endpoint=environ.get("BRAIN_EMBED_ENDPOINT", embed.endpoint),
        api_key=environ.get("BRAIN_EMBED_API_KEY", embed.api_key),
        dims=_whole(environ, "BRAIN_EMBED_DIMS", embed.dims),
    )
    limits = replace(config.limits, lock_wait_s=float(_whole(environ, "BRAIN_LOCK_WAIT_S", None) or config.limits.lock_wait_s))
    return replace(
        config,
        engine=environ.get("BRAIN_ENGINE", config.engine),
        zone=environ.get("BRAIN_ZONE", config.zone),
        owner=environ.get("BRAIN_OWNER", config.owner),
        embed=embed,
        limits=limits,
    )


def _whole(environ: Mapping[str, str], name: str, default: int | None) -> int | None:
    text = environ.get(name)
    if text is None:
        return default
    if not text.isdigit():
        raise UsageError(f"{name} must be a whole number, not {text!r}.", f"unset {name} or correct it")
    return int(text)
