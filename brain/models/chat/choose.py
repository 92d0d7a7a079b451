"""Which chat the settings ask for. Making one sends nothing and imports no client library."""

from __future__ import annotations

from pathlib import Path

from brain.core.nearest import did_you_mean
from brain.errors import UsageError
from brain.judging import Judge
from brain.models.chat.command import CommandChat
from brain.models.chat.endpoint import EndpointChat
from brain.models.chat.recorded import Recorded, Recording
from brain.ports import Chat
from brain.providers import BACKENDS


def make_chat(settings: Judge, root: Path) -> Chat | None:
    """Returns the chat of the settings, None when rules alone judge. `root` is the vault, for a recording in it.

    Raises: UsageError when the choice is unknown, incomplete or unconfirmed.
    """
    chat = _chosen(settings, root)
    return chat if chat is None or settings.record_to is None else Recording(chat, Path(settings.record_to).expanduser())


def _chosen(settings: Judge, root: Path) -> Chat | None:
    if settings.backend not in BACKENDS:
        near = did_you_mean(settings.backend, BACKENDS)
        raise UsageError(f"`judge.provider` is {settings.backend!r}, which is none.", f"{near or 'write'} one of {', '.join(BACKENDS)}")
    if settings.backend == "rules":
        return None
    if settings.backend == "recorded":
        return _recorded(settings, root)
    if settings.unconfirmed is not None:
        raise _unconfirmed(settings)
    if settings.backend == "command":
        if not settings.command:
            raise UsageError("No command of a language model is named.", "set LLM_COMMAND, or command under [judge] in brain.toml")
        return CommandChat(settings.command, model=settings.model)
    return EndpointChat(settings)


def _recorded(settings: Judge, root: Path) -> Chat:
    if not settings.recording:
        raise UsageError("No file of recorded replies is named.", 'set recording = "replies.jsonl" under [judge] in brain.toml')
    return Recorded(root / settings.recording)


def _unconfirmed(settings: Judge) -> UsageError:
    what = "a command to run" if settings.backend == "command" else f"{settings.address} as the place that notes are sent to"
    return UsageError(
        f"brain.toml names {what}, and a brain.toml can come from someone else.",
        f"set BRAIN_JUDGE_ALLOW={settings.unconfirmed} in your environment if it is your choice, or choose with LLM_COMMAND or BRAIN_JUDGE_PROVIDER",
    )
