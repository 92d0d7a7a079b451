"""The settings of the language-model judge, and which of them are in force. Reads no file and no network.

What answers (`provider`, `command`, `endpoint`, `model`, `api_key`) is one choice: the environment's as a whole,
or else brain.toml's. A brain.toml may come from someone else, so that a program or a far place that it names
is used only when the environment says so too (ADR 0016).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from brain.core.ids import short_hash
from brain.providers import ENDPOINT, is_loopback, provider_named

NOT_A_SETTING = {"setting": False}
UNLIMITED = 10**12
WAIT_S_MAX = 86_400.0
PREFIX = "BRAIN_JUDGE"
KeyFor = Callable[..., str | None]


@dataclass(frozen=True, slots=True)
class Judge:
    """Which model judges, how long it is waited for, and how much it may read and spend.

    A limit of 0 is none (but for `retries_max`, where it means no retry).

    Two are no settings of brain.toml: `unconfirmed` is the word that `BRAIN_JUDGE_ALLOW` must hold before what
    brain.toml chose is used, `record_to` the file to which the environment has every reply appended.
    """

    provider: str | None = None
    command: str | None = field(default=None, repr=False)
    endpoint: str | None = None
    model: str | None = None
    api_key: str | None = field(default=None, repr=False)
    recording: str | None = None
    agent: str = "brain"
    vague_names: tuple[str, ...] = ()
    timeout_s: float = 600.0
    ingest_deadline_s: float = 240.0
    retries_max: int = 1
    failures_per_run_max: int = 3
    calls_per_run_max: int = 200
    calls_per_day_max: int = 0
    tokens_per_run_max: int = 0
    tokens_per_day_max: int = 2_000_000
    prompt_chars_max: int = 60_000
    piece_chars_max: int = 4_000
    note_chars_max: int = 1_500
    shown_max: int = 80
    group_max: int = 25
    pairs_per_call_max: int = 20
    insight_notes_min: int = 4
    insights_per_run_max: int = 5
    items_per_reply_max: int = 100
    reply_chars_max: int = 200_000
    reply_tokens_max: int = 8_000
    unconfirmed: str | None = field(default=None, metadata=NOT_A_SETTING)
    record_to: str | None = field(default=None, metadata=NOT_A_SETTING)

    def __post_init__(self) -> None:
        """Turns 0 into what it means, once, so that nobody who reads a limit has to know."""
        for limit in fields(self):
            if limit.name.endswith("_max") and limit.name != "retries_max" and not getattr(self, limit.name):
                object.__setattr__(self, limit.name, UNLIMITED)
        if not self.timeout_s:
            object.__setattr__(self, "timeout_s", WAIT_S_MAX)

    @property
    def backend(self) -> str:
        """What answers: the provider that is named, else what a command or an endpoint implies, else the rules."""
        implied = "command" if self.command else ENDPOINT.name if self.endpoint else "rules"
        return self.provider or implied

    @property
    def address(self) -> str | None:
        """Where the endpoint is: the one that is named, else the provider's own."""
        provider = provider_named(self.backend)
        return None if provider is None else self.endpoint or provider.address or None


PLACE: dict[str, tuple[str, ...]] = {
    "provider": (f"{PREFIX}_PROVIDER",),
    "command": (f"{PREFIX}_COMMAND", "LLM_COMMAND"),
    "endpoint": (f"{PREFIX}_ENDPOINT",),
}
"""What chooses who answers, and the variables that set it, the stronger one first."""


def in_force(in_file: Judge, environ: Mapping[str, str], root: Path, key_for: KeyFor) -> Judge:
    """Returns the judge to use: the environment's choice or the file's, with the key that may go to it.

    `key_for` is the rule of ADR 0012: whoever names an endpoint chooses who reads the key.
    """
    environ = {name: value for name, value in environ.items() if value.strip()}
    named = {setting: value for setting, names in PLACE.items() if (value := _first(environ, names))}
    model = environ.get(f"{PREFIX}_MODEL")
    judge = in_file
    if named:
        chosen: dict[str, Any] = {"provider": None, "command": None, "endpoint": None, "model": None, "api_key": None, **named}
        judge = replace(in_file, **chosen)
    judge = replace(judge, model=model or judge.model, record_to=environ.get(f"{PREFIX}_RECORD"))
    own = _own_key(judge, environ, key_for, is_named=bool(named))
    is_confirmed = bool(named) or not _reaches_out(judge) or (own is not None and own == environ.get(f"{PREFIX}_API_KEY"))
    mark = mark_of(judge, root)
    if not is_confirmed and mark not in environ.get(f"{PREFIX}_ALLOW", "").replace(",", " ").split():
        return replace(judge, unconfirmed=mark)
    return replace(judge, api_key=own or _provider_key(judge, environ), unconfirmed=None)


def mark_of(judge: Judge, root: Path) -> str:
    """Returns the word by which a person confirms what one vault's brain.toml chose; another choice has another."""
    chosen = (judge.provider, judge.command, judge.endpoint, judge.model)
    return short_hash("judge", str(root.resolve()), *(f"{value is not None}{value or ''}" for value in chosen), length=10)


def _reaches_out(judge: Judge) -> bool:
    """Tells whether a judge runs a program or sends text off this machine."""
    return judge.backend == "command" or (judge.address is not None and not is_loopback(judge.address))


def _own_key(judge: Judge, environ: Mapping[str, str], key_for: KeyFor, *, is_named: bool) -> str | None:
    if is_named and judge.address is not None:
        environ = {**environ, f"{PREFIX}_ENDPOINT": judge.address}
    return key_for(judge.address, judge.api_key, environ, prefix=PREFIX)


def _provider_key(judge: Judge, environ: Mapping[str, str]) -> str | None:
    """A provider's key goes to the provider's own address only."""
    provider = provider_named(judge.backend)
    return None if provider is None or judge.endpoint else _first(environ, provider.key_names)


def _first(environ: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((environ[name] for name in names if name in environ), None)
