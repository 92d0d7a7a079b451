"""What a language model reads out of an episode, piece by piece; what it read once it is not asked again. Writes no note.

A piece is known by its words: an episode that grows is asked about for what is new, and one of which a piece was
not answered for that piece alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from brain.core.dates import civil_date, date_in
from brain.core.ids import short_hash
from brain.core.judgement import Episode, Extracted, Relates
from brain.core.note import Json
from brain.stages.context import Context
from brain.stages.reading.hints import Hints
from brain.stages.report import counted
from brain.stages.rules import Reading as ByRules
from brain.stages.target import Names
from brain.vault.parse import parse_note

if TYPE_CHECKING:
    from brain.models.judge.judge import ModelJudge
    from brain.models.judge.values import Action, Piece, Unanswered

WHOLE = "all"
"""Stands among the pieces that were read when none is left of the episode."""
FINAL = frozenset({"deadline", "given_up", "over_limit"})
"""Why nothing more will be answered in this run."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a model read out of an episode. `read` names the pieces it answered now, `left` counts those it did not."""

    claims: tuple[Extracted, ...] = ()
    actions: tuple[Action, ...] = ()
    read: tuple[str, ...] = ()
    left: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether no piece of the episode waits for an answer."""
        return not self.left


NOTHING = Heard()


@dataclass(slots=True)
class Reader:
    """Reads the episodes of one run, and counts what was not answered and what was left out of replies."""

    ctx: Context
    model: ModelJudge
    hints: Hints
    unanswered: Counter[str] = field(default_factory=Counter)
    on_failure: Callable[[Episode, Unanswered], None] | None = None
    """Told of each episode with a piece that got no answer."""
    _first: Unanswered | None = None
    _is_over: bool = False

    @classmethod
    def of(cls, ctx: Context, names: Names) -> Reader | None:
        """Returns the reader of a run, None without a model."""
        return None if ctx.model is None else cls(ctx, ctx.model, Hints(ctx, names))

    def read(self, episode: Episode, by_rules: ByRules, read_before: Collection[str]) -> Heard:
        """Asks about the pieces with words that rules left, but for those read before."""
        asked = [piece for piece in self._pieces(episode) if _is_open(piece, by_rules) and key_of(piece) not in read_before]
        claims: list[Extracted] = []
        actions: list[Action] = []
        read: list[str] = []
        taken = _lines_of((*by_rules.claims, *by_rules.relations))
        for piece in asked:
            answer = self._answer(episode, piece)
            if answer is None:
                continue
            claims += [claim for claim in answer[0] if not _lines_of((claim,)) <= taken]
            actions += answer[1]
            read.append(key_of(piece))
        return Heard(tuple(claims), tuple(actions), tuple(read), len(asked) - len(read))

    def notices(self) -> list[str]:
        """Returns what a person should know: what was not answered and why, what was left out of replies."""
        said = list(self.hints.notices)
        if self._first is not None:
            reasons = ", ".join(f"{why} {count}" for why, count in sorted(self.unanswered.items()))
            pieces = counted(sum(self.unanswered.values()), "piece")
            said.append(f"{pieces} of episodes had no answer from the language model ({reasons}) and wait for the next run. {self._first.message} ({self._first.cure})")
        refused = self.model.tally.refused()
        if refused:
            reasons = ", ".join(f"{refusal.why} {refusal.count}" for refusal in refused)
            said.append(f"{counted(sum(refusal.count for refusal in refused), 'item')} of the model's replies could not be used and gave nothing ({reasons}).")
        return said

    def _pieces(self, episode: Episode) -> tuple[Piece, ...]:
        limits = self.ctx.config.limits
        stem = episode.path.rsplit("/", 1)[-1][:-3]
        return self.model.pieces(episode, limits, title=stem, day=day_of(episode.path, parse_note(episode.path, episode.text, limits).properties))

    def _answer(self, episode: Episode, piece: Piece) -> tuple[tuple[Extracted, ...], tuple[Action, ...]] | None:
        """Asks about one piece, unless the run may ask no more; None when nothing was learned."""
        from brain.models.judge.values import Extraction

        if self._is_over and self._first is not None:
            self.unanswered[self._first.why] += 1
            return None
        answer = self.model.extract(piece, self.hints.known(episode, piece.text, shown_max=self.ctx.config.judge.shown_max))
        if isinstance(answer, Extraction):
            return answer.claims, answer.actions
        self.unanswered[answer.why] += 1
        if self.on_failure is not None:
            self.on_failure(episode, answer)
        if self._first is None or answer.why in FINAL:
            self._first = answer
        self._is_over = answer.why in FINAL
        return None


def key_of(piece: Piece) -> str:
    """Returns the name of a piece: a hash of its words."""
    return short_hash("piece", " ".join(piece.text.split()), length=16)


def day_of(path: str, properties: dict[str, Json]) -> str | None:
    """Returns the day of an episode: what it says, else what its file name says."""
    return civil_date(properties.get("created")) or date_in(path.rsplit("/", 1)[-1])


def _is_open(piece: Piece, by_rules: ByRules) -> bool:
    """Tells whether a piece has a line that rules neither took nor passed over for good."""
    last = piece.line + piece.text.rstrip().count("\n")
    return any(piece.line <= line <= last for line in by_rules.open_lines)


def _lines_of(verdicts: Iterable[Extracted | Relates]) -> set[int]:
    return {line for said in verdicts for line in range(said.line, said.line + said.quote.count("\n") + 1)}
