"""Which paths hold episodes and which one the loops, as the settings say. Pure."""

from __future__ import annotations

from brain.config import Config
from brain.core.ids import fold
from brain.vault.layout import checked_note_path


def inboxes(config: Config) -> tuple[str, ...]:
    """Returns the folders inside the vault where episodes wait, the inbox first, without a slash at their ends."""
    return tuple(dict.fromkeys(folder.strip("/") for folder in (config.folders.inbox, *config.walk.inboxes)))


def is_episode_path(config: Config, path: str) -> bool:
    """Tells whether what lies at a path is no thing a claim can be about: an episode, or the note of loops."""
    return fold(path) == fold(config.folders.loops) or any(fold(path).startswith(fold(f"{folder}/")) for folder in inboxes(config))


def loops_path(config: Config) -> str:
    """Returns where actions go. Raises: UsageError when the setting is no path of a note."""
    return checked_note_path(config.folders.loops)
