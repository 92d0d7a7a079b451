"""The judges that are measured: the product's own, over an empty journal that is never written."""

from __future__ import annotations

from pathlib import Path
from tempfile import gettempdir

from brain.judging import Judge
from brain.models.judge.judge import ModelJudge, open_judge
from brain.models.spend import Spend
from brain.models.verdicts import Verdicts
from brain.ports import Chat
from brain.vault.journal import Journal

AT, DAY = "2026-01-01T00:00:00.000000Z", "2026-01-01"
SETTINGS = Judge()
"""The default settings: how much is put into one request is part of what is measured."""


def recorded_judge(recording: Path) -> ModelJudge:
    """Returns the judge that replays a recording. Raises: UsageError when the file is missing or damaged."""
    judge = open_judge(Judge(provider="recorded", recording=str(recording.resolve())), _nowhere(), root=Path("/"), at=AT, day=DAY, keeps=False)
    assert judge is not None
    return judge


def judge_of(chat: Chat) -> ModelJudge:
    """Returns the judge that asks a chat."""
    journal = _nowhere()
    return ModelJudge(chat, Verdicts(journal, (), at=AT, keeps=False), Spend(journal, (), SETTINGS, at=AT, day=DAY, keeps=False), SETTINGS)


def _nowhere() -> Journal:
    return Journal(Path(gettempdir()) / "no-journal-of-the-quality-bench", "bench")
