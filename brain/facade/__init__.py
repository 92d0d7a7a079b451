"""`Brain`: the verbs, each a few lines. The command line and every other surface are its clients.

Nothing here prints, reads the environment after `open`, or decides: it wires a vault to the room that does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event

from brain.config import find_vault, load_config
from brain.errors import BrainError
from brain.facade.correcting import Correcting
from brain.facade.forgetting import Forgetting
from brain.facade.growing import Growing
from brain.facade.hands import Hands
from brain.facade.keeping import Keeping
from brain.facade.reading import NoteAnswer, Reading
from brain.facade.tending import STAGES, Tending
from brain.ports import Clock
from brain.sync.report import SyncReport
from brain.sync.space import open_space


class Brain(Reading, Tending, Hands, Forgetting, Growing, Correcting, Keeping):
    """One vault with all its verbs."""

    @classmethod
    def open(
        cls, root: str | Path | None = None, *, clock: Clock | None = None, environ: Mapping[str, str] = os.environ
    ) -> Brain:
        """Opens the vault at `root`, else the one that `BRAIN_VAULT` or the current folder names.

        Raises: NotFound, UsageError for a setting that cannot be used.
        """
        folder = find_vault(root, environ=environ)
        return cls(open_space(folder, load_config(folder, environ=environ), clock, environ=environ))

    @classmethod
    def init(cls, folder: str | Path, *, adopt: bool = False) -> tuple[str, ...]:
        """Makes a vault of a folder and returns the files written. Raises: UsageError when it is not empty."""
        from brain.vault.template import init_vault

        return init_vault(Path(folder), adopt=adopt)

    def download_model(self) -> bool:
        """Fetches the named embedding model when it is not on this machine; tells whether it had to be. Raises: BrainError."""
        from brain.models.embed import download

        return download(self.space.embedder())

    def watch(self, on_sync: Callable[[SyncReport], None], stop: Event, *, embed: bool = True) -> None:
        """Follows changes on disk until `stop` is set."""
        from brain.sync.watch import watch

        watch(self.space, on_sync=on_sync, stop=stop, embed=embed)


__all__ = ["STAGES", "Brain", "BrainError", "NoteAnswer"]
