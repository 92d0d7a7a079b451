"""`ModelJudge`: what the stages ask a language model, one method for each kind of question.

Rules go first; that is the caller's business. Nothing here changes a note: answers are values, and what was
asked, answered and spent goes to the journal. No lock may be held while a method runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from brain.config import Limits
from brain.core.judgement import Episode
from brain.judging import Judge
from brain.models.chat.choose import make_chat
from brain.models.chat.recorded import Estimating
from brain.models.deadline import Deadline
from brain.models.judge.ask import Asker, Tally
from brain.models.judge.conflict import conflict
from brain.models.judge.correct import correct
from brain.models.judge.extract import extract
from brain.models.judge.insight import insight
from brain.models.judge.pieces import pieces_of
from brain.models.judge.propose import propose
from brain.models.judge.relate import relate
from brain.models.judge.restate import restate
from brain.models.judge.same import same
from brain.models.judge.tree import reorganize, subgroup
from brain.models.judge.values import (
    Abstracted,
    ClaimPair,
    Compared,
    Corrected,
    Excerpt,
    Extraction,
    Grouped,
    Hub,
    Known,
    NotePair,
    Partition,
    Piece,
    Placed,
    Refiled,
    Related,
    Restated,
    Unanswered,
)
from brain.models.spend import KIND as SPENT
from brain.models.spend import Estimate, Spend, estimate
from brain.models.verdicts import KIND as ANSWERED
from brain.models.verdicts import Verdicts
from brain.ports import Chat
from brain.vault.journal import Journal


class ModelJudge:
    """The judge that asks a model. Made for one run; `tally` counts what happened in it."""

    def __init__(self, chat: Chat, verdicts: Verdicts, spend: Spend, settings: Judge, *, deadline: Deadline | None = None) -> None:
        self._asker = Asker(chat, verdicts, spend, settings, deadline)
        self._chat = chat

    @property
    def name(self) -> str:
        """Name of the model; verdicts carry it with the task and the version of its prompt, `model@task/1`."""
        return self._asker.model

    @property
    def tally(self) -> Tally:
        """What was asked, remembered, refused and left unanswered in this run."""
        return self._asker.tally

    @property
    def estimate(self) -> Estimate | None:
        """What the run would cost, when it was opened to find that out; else None."""
        return estimate(self._chat.requests) if isinstance(self._chat, Estimating) else None

    def pieces(self, episode: Episode, limits: Limits, *, title: str = "", day: str | None = None) -> tuple[Piece, ...]:
        """Cuts an episode into the pieces that `extract` takes; title and day are shown with each."""
        return pieces_of(episode, limits, chars_max=self._asker.settings.piece_chars_max, title=title, day=day)

    def extract(self, piece: Piece, known: Sequence[Known] = ()) -> Extraction | Unanswered:
        """Reads claims and actions out of a piece of an episode; `known` are the existing things it may be about."""
        return extract(self._asker, piece, known)

    def same(self, group: Sequence[Excerpt]) -> Partition | Unanswered:
        """Tells which notes of a group are one thing."""
        return same(self._asker, group)

    def relate(self, pairs: Sequence[NotePair]) -> tuple[Related, ...]:
        """Tells for each pair which relation its first note states to the second; in the order given."""
        return relate(self._asker, pairs)

    def conflict(self, pairs: Sequence[ClaimPair]) -> tuple[Compared, ...]:
        """Tells for each pair of claims how the two stand to each other; in the order given."""
        return conflict(self._asker, pairs)

    def restate(self, pairs: Sequence[ClaimPair]) -> tuple[Restated, ...]:
        """Tells for each pair of claims whether one says everything that the other says; in the order given."""
        return restate(self._asker, pairs)

    def correct(self, pairs: Sequence[ClaimPair]) -> tuple[Corrected, ...]:
        """Tells for each pair of a fact and a line whether the line states the fact wrongly; in the order given."""
        return correct(self._asker, pairs)

    def propose(self, offered: Excerpt, near: Sequence[Excerpt]) -> Placed | Unanswered:
        """Tells what is to become of an offered note beside those that come near it."""
        return propose(self._asker, offered, near)

    def reorganize(self, members: Sequence[Excerpt], categories: Sequence[Excerpt]) -> tuple[Refiled, ...] | Unanswered:
        """Tells which members of the first category belong in one of the others."""
        return reorganize(self._asker, members, categories)

    def subgroup(self, node: Excerpt, members: Sequence[Excerpt]) -> tuple[Grouped, ...] | Unanswered:
        """Tells into which groups the parts of a note fall, if any."""
        return subgroup(self._asker, node, members)

    def insight(self, hub: Hub) -> Abstracted:
        """Tells which lesson the notes around a hub teach together, if any."""
        return insight(self._asker, hub)


def open_judge(
    settings: Judge,
    journal: Journal,
    *,
    root: Path,
    at: str,
    day: str,
    deadline: Deadline | None = None,
    keeps: bool = True,
    only_estimate: bool = False,
) -> ModelJudge | None:
    """Returns the model judge of the settings, None when rules alone judge.

    `at` is the instant of the run, `day` its civil date, `root` the vault. Without `keeps` the journal is only read.
    With `only_estimate` nothing is asked: every answer is `Unanswered`, and `estimate` tells what asking would cost.
    Raises: UsageError when what the settings choose is incomplete, unconfirmed or not installed.
    """
    chat = make_chat(settings, root)
    if chat is None:
        return None
    if only_estimate:
        chat, keeps = Estimating(chat.model), False
    records = journal.records({ANSWERED, SPENT})
    verdicts = Verdicts(journal, records, at=at, keeps=keeps)
    return ModelJudge(chat, verdicts, Spend(journal, records, settings, at=at, day=day, keeps=keeps), settings, deadline=deadline)
