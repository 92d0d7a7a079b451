"""Every environment variable that means something to `brain`, or did to a tool that people come from. One table.

`brain.config` reads settings through it, and the documents print it. Reads nothing itself.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from brain.errors import UsageError

How = Literal["honoured", "mapped", "ignored"]
Reads = Literal["elsewhere", "text", "whole", "number", "folder", "under memory"]
ROOT = "VAULT_ROOT"


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable: the setting it goes to, whether it is honoured by its own name, mapped from another tool's, or ignored.

    `reads` says how its text becomes a value; `elsewhere` is what `find_vault`, `load_config` and others read themselves.
    """

    name: str
    how: How
    setting: str = ""
    note: str = ""
    reads: Reads = "elsewhere"


VARIABLES: tuple[Variable, ...] = (
    Variable("BRAIN_VAULT", "honoured", note="the vault; `--vault` goes before it"),
    Variable("BRAIN_OWNER", "honoured", "owner"),
    Variable("BRAIN_ZONE", "honoured", "zone"),
    Variable("BRAIN_ENGINE", "honoured", "engine"),
    Variable("BRAIN_EMBED_MODEL", "honoured", "embed.model"),
    Variable("BRAIN_EMBED_ENDPOINT", "honoured", "embed.endpoint"),
    Variable("BRAIN_EMBED_API_KEY", "honoured", "embed.api_key", "goes to the endpoint named beside it, or to `BRAIN_EMBED_KEY_HOST`"),
    Variable("BRAIN_EMBED_KEY_HOST", "honoured", note="a host that may read `BRAIN_EMBED_API_KEY` though brain.toml names the endpoint"),
    Variable("BRAIN_EMBED_DIMS", "honoured", "embed.dims"),
    Variable("BRAIN_LOCK_WAIT_S", "honoured", "limits.lock_wait_s"),
    Variable("BRAIN_MACHINE", "honoured", note="the id of this machine in the journal"),
    Variable("BRAIN_JUDGE_PROVIDER", "honoured", "judge.provider"),
    Variable("BRAIN_JUDGE_COMMAND", "honoured", "judge.command"),
    Variable("BRAIN_JUDGE_ENDPOINT", "honoured", "judge.endpoint"),
    Variable("BRAIN_JUDGE_MODEL", "honoured", "judge.model"),
    Variable("BRAIN_JUDGE_API_KEY", "honoured", "judge.api_key", "goes to what is named beside it, or to `BRAIN_JUDGE_KEY_HOST`"),
    Variable("BRAIN_JUDGE_KEY_HOST", "honoured", note="a host that may read `BRAIN_JUDGE_API_KEY` though brain.toml names the endpoint"),
    Variable("BRAIN_JUDGE_ALLOW", "honoured", note="the words that confirm what a vault's brain.toml chose to ask; the message that asks for one shows it"),
    Variable("BRAIN_JUDGE_RECORD", "honoured", note="a file to which every reply is appended"),
    Variable("BRAIN_JUDGE_TIMEOUT_S", "honoured", "judge.timeout_s", reads="number"),
    Variable("BRAIN_JUDGE_CALLS_PER_RUN_MAX", "honoured", "judge.calls_per_run_max", reads="whole"),
    Variable("BRAIN_JUDGE_CALLS_PER_DAY_MAX", "honoured", "judge.calls_per_day_max", reads="whole"),
    Variable("BRAIN_JUDGE_TOKENS_PER_RUN_MAX", "honoured", "judge.tokens_per_run_max", reads="whole"),
    Variable("BRAIN_JUDGE_TOKENS_PER_DAY_MAX", "honoured", "judge.tokens_per_day_max", reads="whole"),
    Variable("OPENAI_API_KEY", "honoured", note="and the keys of the other providers: each to its provider's own address only"),
    Variable("VAULT_ROOT", "mapped", note="the vault, after `BRAIN_VAULT`"),
    Variable("LLM_COMMAND", "mapped", "judge.command"),
    Variable("LLM_TIMEOUT_SECS", "mapped", "judge.timeout_s", reads="number"),
    Variable("AGENT_NAME", "mapped", "judge.agent", reads="text"),
    Variable("BRAIN_INGEST_DEADLINE", "mapped", "judge.ingest_deadline_s", reads="number"),
    Variable("BRAIN_WALK_MAX_PER_RUN", "mapped", "limits.episodes_per_run_max", reads="whole"),
    Variable("BRAIN_RECONCILE_MAX_PER_RUN", "mapped", "limits.pairs_per_run_max", reads="whole"),
    Variable("BRAIN_LINK_MAX_PER_RUN", "mapped", "limits.sources_per_run_max", reads="whole"),
    Variable("BRAIN_BLOCK_DF_CAP", "mapped", "limits.token_df_max", reads="whole"),
    Variable("BRAIN_BLOCK_SIZE_CAP", "mapped", "judge.group_max", reads="whole"),
    Variable("BRAIN_ABSTRACT_MIN_EVIDENCE", "mapped", "judge.insight_notes_min", reads="whole"),
    Variable("BRAIN_ABSTRACT_MAX_PER_RUN", "mapped", "judge.insights_per_run_max", reads="whole"),
    Variable("INBOX_DIR", "mapped", "folders.inbox", "beside `VAULT_ROOT`", "folder"),
    Variable("LONG_TERM_DIR", "mapped", "folders.memory", "beside `VAULT_ROOT`", "folder"),
    Variable("GROWTH_SUBDIR", "mapped", "folders.insights", "beside `VAULT_ROOT`; below the memory folder", "under memory"),
    Variable("TIMELINE_SUBDIR", "mapped", "folders.timeline", "beside `VAULT_ROOT`; below the memory folder", "under memory"),
    Variable("ARCHIVE_SUBDIR", "mapped", "folders.archive", "beside `VAULT_ROOT`; below the memory folder", "under memory"),
    Variable("BRAIN_LEDGER_DIR", "ignored", note="the journal is under `.brain/`"),
    Variable("DEFAULT_NODE", "ignored", note="a new note goes to the folder of its kind"),
    Variable("PEOPLE_NODE", "ignored", note="a new note goes to the folder of its kind"),
    Variable("EPISODE_TYPES", "ignored", note="the types of episodes are a closed list"),
    Variable("BRAIN_STALE_DAYS", "mapped", "limits.stale_days", "0 turns it off", "whole"),
    Variable("DISCOVER_SIBLING_VAULTS", "honoured", note="1: the inboxes of the folders beside the vault are read too; what names folders goes before it"),
    Variable("SIBLING_INBOX_SUBDIRS", "honoured", note="what an inbox is called there; the default is the name of this vault's"),
    Variable("BRAIN_WALK_INBOXES", "honoured", "walk.siblings", "folders outside the vault"),
    Variable("BRAIN_WALK_ALLOW", "honoured", note="the word that confirms the folders outside the vault that its brain.toml names; `brain walk` shows it"),
    Variable("GOVERNOR_TIER", "mapped", "governor.tier", reads="text"),
    Variable("GOVERNOR_URL", "mapped", "governor.url", reads="text"),
    Variable("VAULT_EMBED_ENDPOINT", "ignored", note="`BRAIN_EMBED_ENDPOINT`"),
    Variable("VAULT_EMBED_MODEL", "ignored", note="`BRAIN_EMBED_MODEL`"),
    Variable("VAULT_EMBED_DIMS", "ignored", note="`BRAIN_EMBED_DIMS`"),
    Variable("VAULT_EMBED_API_KEY", "ignored", note="`BRAIN_EMBED_API_KEY`"),
    Variable("VAULT_DECIDE_ENDPOINT", "ignored", note="`BRAIN_JUDGE_ENDPOINT`"),
    Variable("VAULT_DECIDE_MODEL", "ignored", note="`BRAIN_JUDGE_MODEL`"),
    Variable("VAULT_DECIDE_API_KEY", "ignored", note="`BRAIN_JUDGE_API_KEY`"),
)  # fmt: skip


def settings_in(environ: Mapping[str, str], root: Path, *, memory: str) -> dict[str, dict[str, Any]]:
    """Returns the settings that the variables of the table name, as brain.toml would hold them.

    A variable of our own goes before one of another tool. Folders count only beside `VAULT_ROOT`, which
    they are relative to: their names are too common to mean us otherwise. `memory` is the memory folder in force.
    Raises: UsageError naming the variable whose text is no value.
    """
    found: dict[str, dict[str, Any]] = {}
    ours_last = sorted(VARIABLES, key=lambda variable: variable.how == "honoured")
    for variable in ours_last:
        text = environ.get(variable.name, "").strip()
        if not text or variable.reads == "elsewhere" or (variable.reads in ("folder", "under memory") and not environ.get(ROOT)):
            continue
        table, _, key = variable.setting.partition(".")
        base = found.get("folders", {}).get("memory", memory)
        found.setdefault(table, {})[key] = _value(variable, text, root, base)
    return found


def environment_table() -> str:
    """Returns the table of variables as Markdown, one row each."""
    rows = [f"| `{v.name}` | {f'`{v.setting}`' if v.setting else ''} | {v.how} | {v.note} |" for v in VARIABLES]
    return "\n".join(("| variable | setting | | |", "|---|---|---|---|", *rows)) + "\n"


def _value(variable: Variable, text: str, root: Path, memory: str) -> Any:
    match variable.reads:
        case "whole" | "number":
            return _number(variable, text)
        case "folder":
            return _folder(variable, text, root)
        case "under memory":
            return _folder(variable, f"{memory}/{text}", root)
        case _:
            return text


def _number(variable: Variable, text: str) -> int | float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e15 or (variable.reads == "whole" and value != int(value)):
        kind = "whole number" if variable.reads == "whole" else "number"
        raise UsageError(f"{variable.name} must be a {kind}, 0 or more, not {text!r}.", f"unset {variable.name} or correct it")
    return int(value) if variable.reads == "whole" else value


def _folder(variable: Variable, text: str, root: Path) -> str:
    """Returns a folder as the vault names it: below the root, `/`-separated."""
    whole = os.path.normpath(root / os.path.expanduser(text))
    inside = os.path.relpath(whole, root)
    if inside == os.curdir or inside.split(os.sep)[0] == os.pardir:
        raise UsageError(f"{variable.name} is {text!r}, which is no folder inside {root}.", f"unset {variable.name} or correct it")
    return inside.replace(os.sep, "/")
