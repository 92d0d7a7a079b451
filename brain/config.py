"""Settings: `brain.toml` in the vault, environment `BRAIN_*` over it. Every limit with its unit.

Read once, at the edge (`facade.Brain.open`); nobody else reads the environment or a settings file.
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from brain.core.nearest import did_you_mean
from brain.environment import settings_in
from brain.errors import NotFound, UsageError
from brain.judging import Judge, in_force
from brain.outside import Walk, walk_in_force
from brain.providers import is_loopback

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
    review: str = "Memory"
    loops: str = "LOOPS-INBOX.md"
    views: str = "Views"


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on everything that could grow; what a limit leaves out is counted and named."""

    note_bytes_max: int = 4_000_000
    excluded_entries_max: int = 100_000
    frontmatter_bytes_max: int = 64_000
    yaml_nodes_max: int = 4_096
    link_chars_max: int = 1_024
    lock_wait_s: float = 10.0
    episodes_per_run_max: int = 50
    pairs_per_run_max: int = 50
    sources_per_run_max: int = 50
    links_per_collision_max: int = 500
    search_candidates_max: int = 200
    search_terms_max: int = 32
    snippet_chars_max: int = 320
    tree_levels_max: int = 150
    look_notes_max: int = 20_000
    correct_notes_max: int = 200
    chunk_chars_max: int = 1_000
    chunk_overlap_chars: int = 150
    chunks_per_note_max: int = 200
    cypher_timeout_s: float = 10.0
    cypher_rows_max: int = 1_000
    watch_debounce_ms: int = 250
    token_df_max: int = 20
    candidates_per_note_max: int = 12
    review_items_max: int = 100
    question_bits_below: float = 0.0
    stale_days: int = 90
    stale_per_run_max: int = 200
    fetch_bytes_max: int = 2_000_000
    fetch_timeout_s: float = 15.0
    fetch_redirects_max: int = 3
    backup_file_bytes_max: int = 50_000_000
    sibling_files_max: int = 10_000


@dataclass(frozen=True, slots=True)
class Embed:
    """Which embedder: `minilm`, `lexical`, `none`, a sentence-transformers name, or an endpoint.

    `api_key` is the one that may go to `endpoint` (ADR 0012).
    """

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
class Governor:
    """How much a nightly run may do: a fixed tier, else what a service answers, else the share of the day's budget."""

    tier: str = ""
    url: str = ""
    timeout_s: float = 5.0
    amber_share: float = 0.8


@dataclass(frozen=True, slots=True)
class Maintain:
    """What a nightly run does beside the three stages: above so many standing claims of a note it consolidates; 0: never."""

    consolidate_above: int = 0


@dataclass(frozen=True, slots=True)
class Backups:
    """A nightly run makes a backup when the newest is older than so many days (0: never) and keeps so many without a label."""

    every_days: float = 7.0
    keep: int = 8


TIERS = ("", "green", "amber", "red")


@dataclass(frozen=True, slots=True)
class Decay:
    """How fast notes fade, by folder: half-lives in days; the longest folder that a note lies below wins."""

    folders: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of one vault. `exclude` are glob patterns of paths that are not notes."""

    owner: str | None = None
    zone: str = "UTC"
    engine: str = "kuzu"
    exclude: tuple[str, ...] = ("node_modules", "*/node_modules")
    folders: Folders = Folders()
    walk: Walk = field(default_factory=Walk)
    limits: Limits = Limits()
    embed: Embed = Embed()
    judge: Judge = field(default_factory=Judge)
    governor: Governor = Governor()
    maintain: Maintain = Maintain()
    backup: Backups = Backups()
    decay: Decay = field(default_factory=Decay)
    web: Web = Web()


def find_vault(explicit: str | Path | None, *, environ: Mapping[str, str] = os.environ, cwd: Path | None = None) -> Path:
    """Returns the vault: the given path, else `BRAIN_VAULT`, else the nearest parent that is one.

    Raises: NotFound when none of them leads to a folder; UsageError for a file, or a folder inside a vault.
    """
    named = explicit or environ.get("BRAIN_VAULT") or environ.get("VAULT_ROOT")
    if named:
        return _checked_vault(Path(named).expanduser().resolve(), str(named))
    here = (cwd or Path.cwd()).resolve()
    found = vault_around(here)
    if found is not None:
        return found
    raise NotFound(
        f"Neither {here} nor a folder above it is a vault (no {SETTINGS_FILE}, no {STATE_FOLDER}/).",
        "brain index DIR for a folder of notes, brain init DIR for a new vault, or brain --vault DIR …",
    )


def vault_around(folder: Path) -> Path | None:
    """Returns the folder when it is a vault, else the nearest one above it that is."""
    for place in (folder, *folder.parents):
        if (place / SETTINGS_FILE).is_file() or (place / STATE_FOLDER).is_dir():
            return place
    return None


def _checked_vault(root: Path, named: str) -> Path:
    """Returns the folder when it can be a vault: a part of one is not made a second vault by a slip."""
    outer = vault_around(root)
    if root.is_file():
        raise UsageError(f"{named} is a file; a vault is a folder.", f'brain --vault "{outer or root.parent}" index reads all notes in there')
    if not root.is_dir():
        near = did_you_mean(root.name, _folders_in(root.parent))
        raise NotFound(f"There is no folder {named}.", " ".join(filter(None, (near, f'brain init "{named}" makes a new vault'))))
    if outer is not None and outer != root:
        raise UsageError(
            f"{named} lies inside the vault {outer}, which is indexed as a whole.",
            f'brain --vault "{outer}" …; or brain init --adopt "{named}" to make it a vault of its own',
        )
    return root


def _folders_in(parent: Path) -> list[str]:
    try:
        return [place.name for place in parent.iterdir() if place.is_dir() and not place.name.startswith(".")]
    except OSError:
        return []  # only a suggestion is lost


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
    if config.governor.url and not is_loopback(config.governor.url):  # a brain.toml may come from someone else (ADR 0012)
        raise UsageError(f"{path} names a governor outside this machine.", "remove `url` under [governor] there and set GOVERNOR_URL")
    config = _filled(config, settings_in(environ, root, memory=config.folders.memory), where="the environment", prefix="")
    config = replace(
        config,
        judge=in_force(config.judge, environ, root, key_for),
        walk=walk_in_force(config.walk, environ, root, inbox=config.folders.inbox),
    )
    return _usable(_with_environment(config, environ), str(path))


def zone_of(config: Config, where: str = SETTINGS_FILE) -> tzinfo:
    """Returns the zone in which days begin. Raises: UsageError when the setting names none."""
    if config.zone == "UTC":
        return UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(config.zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        cure = f'write zone = "Europe/Rome" or the like, in {where} or BRAIN_ZONE'
        raise UsageError(f"`zone` is {config.zone!r}, which is no time zone.", cure) from error


def key_for(endpoint: str | None, api_key: str | None, environ: Mapping[str, str], *, prefix: str) -> str | None:
    """Returns the key that may go to the endpoint in force, given what brain.toml says of both (ADR 0012).

    Whoever names an endpoint chooses who reads the key: the environment's goes to the environment's
    endpoint or to a host named there, the file's to the file's endpoint, and neither to the other's.
    """
    named, key = environ.get(f"{prefix}_ENDPOINT"), environ.get(f"{prefix}_API_KEY")
    if key and (named or _is_at(endpoint, environ.get(f"{prefix}_KEY_HOST"))):
        return key
    return api_key if not named or named == endpoint else None


def _is_at(endpoint: str | None, host: str | None) -> bool:
    """Tells whether an address is on this `host` or `host:port`; nothing but the whole name will do."""
    if not endpoint or not host:
        return False
    try:
        parts = urlsplit(endpoint.strip())
        wanted = urlsplit(f"//{host.strip()}")
        usual = {"https": 443, "http": 80}.get(parts.scheme)
        return bool(wanted.hostname) and (parts.hostname, parts.port or usual) == (wanted.hostname, wanted.port or usual)
    except ValueError:
        return False


def _usable(config: Config, where: str) -> Config:
    """Checks the settings whose values are few or bounded below, so that a slip is named at once."""
    if config.engine not in ENGINES:
        cure = f"{did_you_mean(config.engine, ENGINES) or 'write'} one of {', '.join(ENGINES)}, in {where} or BRAIN_ENGINE"
        raise UsageError(f"`engine` is {config.engine!r}, which is no engine.", cure)
    if config.embed.dims is not None and config.embed.dims < 1:
        raise UsageError(f"`embed.dims` is {config.embed.dims}; a vector has one number at least.", f"correct `dims` in {where} or BRAIN_EMBED_DIMS")
    if config.governor.tier not in TIERS:
        raise UsageError(f"`governor.tier` is {config.governor.tier!r}, which is no tier.", f"green, amber or red, in {where} or GOVERNOR_TIER")
    for folder in config.walk.inboxes:
        if not folder.strip("/") or folder.startswith(("/", "~")) or ".." in folder.split("/"):
            raise UsageError(f"`walk.inboxes` names {folder!r}, which is no folder inside the vault.", f'write walk.inboxes = ["Conversations"] or the like, in {where}')
    zone_of(config, where)
    return config


def _filled(value: Any, data: Mapping[str, Any], *, where: str, prefix: str) -> Any:
    known = {f.name: str(f.type) for f in fields(value) if f.metadata.get("setting", True)}
    changes: dict[str, Any] = {}
    for key, given in data.items():
        name = f"{prefix}{key}"
        if key not in known:
            near = _table_of(value, key) or did_you_mean(key, known) or "remove it;"
            raise UsageError(f"{where} has an unknown setting `{name}`.", f"{near} known here: {', '.join(sorted(known))}")
        changes[key] = _checked(getattr(value, key), given, where=where, name=name, kind=known[key])
    return replace(value, **changes)


def _table_of(value: Any, key: str) -> str:
    tables = [f.name for f in fields(value) if key in getattr(getattr(value, f.name), "__dataclass_fields__", ())]
    return f"write it under [{tables[0]}];" if tables else ""


def _checked(current: Any, given: Any, *, where: str, name: str, kind: str) -> Any:
    """Returns a value of the file in the type of its field; `kind` is the field's annotation."""
    if hasattr(current, "__dataclass_fields__"):
        if not isinstance(given, dict):
            raise UsageError(f"{where}: `{name}` must be a table.", f"write it as [{name}]")
        return _filled(current, given, where=where, prefix=f"{name}.")
    if isinstance(current, dict):
        if not isinstance(given, dict):
            raise UsageError(f"{where}: `{name}` must be a table of folders and days.", f'write [{name}], then "Journal" = 30 or the like')
        return {folder: _days(days, what=f"{where}: `{name}.{folder}`") for folder, days in given.items()}
    if isinstance(current, tuple):
        if not (isinstance(given, list) and all(isinstance(item, str) for item in given)):
            raise UsageError(f"{where}: `{name}` must be a list of strings.", f'write {name} = ["…"]')
        return tuple(given)
    if kind.startswith(("int", "float")):
        return _number(given, is_whole=kind.startswith("int"), what=f"{where}: `{name}`", cure=f"correct `{name}`")
    if not isinstance(given, bool if kind == "bool" else str):
        wanted = "true or false" if kind == "bool" else "text in quotes"  # without what stands there: it may be a key
        raise UsageError(f"{where}: `{name}` must be {wanted}.", f"correct `{name}`")
    return given


def _days(given: Any, *, what: str) -> float:
    """Returns a half-life in days, more than 0."""
    days = float(_number(given, is_whole=False, what=what, cure="write days, such as 30"))
    if days == 0:
        raise UsageError(f"{what} must be more than 0 days.", "write days, such as 30")
    return days


def _number(given: Any, *, is_whole: bool, what: str, cure: str) -> int | float:
    """Returns a number of 0 or more, finite, and whole where only that makes sense."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < math.inf or (is_whole and given != int(given)):
        raise UsageError(f"{what} must be a {'whole ' if is_whole else ''}number, 0 or more, not {given!r}.", cure)
    return int(given) if is_whole else float(given)


def _with_environment(config: Config, environ: Mapping[str, str]) -> Config:
    """Lays the environment over the file; an empty variable counts as one that is not set."""
    environ = {name: value for name, value in environ.items() if value.strip()}
    in_file = config.embed
    embed = replace(
        in_file,
        model=environ.get("BRAIN_EMBED_MODEL", in_file.model),
        endpoint=environ.get("BRAIN_EMBED_ENDPOINT", in_file.endpoint),
        api_key=key_for(in_file.endpoint, in_file.api_key, environ, prefix="BRAIN_EMBED"),
        dims=_from(environ, "BRAIN_EMBED_DIMS", in_file.dims, is_whole=True),
    )
    lock_wait_s = _from(environ, "BRAIN_LOCK_WAIT_S", config.limits.lock_wait_s, is_whole=False)
    return replace(
        config,
        engine=environ.get("BRAIN_ENGINE", config.engine),
        zone=environ.get("BRAIN_ZONE", config.zone),
        owner=environ.get("BRAIN_OWNER", config.owner),
        embed=embed,
        limits=replace(config.limits, lock_wait_s=lock_wait_s),
    )


def _from(environ: Mapping[str, str], name: str, default: Any, *, is_whole: bool) -> Any:
    text = environ.get(name)
    if text is None:
        return default
    try:
        given: object = float(text)
    except ValueError:
        given = text
    return _number(given, is_whole=is_whole, what=name, cure=f"unset {name} or correct it")
