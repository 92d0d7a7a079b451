"""A language model decides what becomes of a proposed note; what it may write are the candidate's own words.

It picks a note and an action, and quotes that note. An update adds the candidate to the note as a section of its own,
below what is there. No lock is held while it answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from brain.config import Limits
from brain.core.ids import fold, short_hash
from brain.core.note import Heading
from brain.core.proposal import Candidate, Create, Decision, Discard, Grounds, Supersede, Update
from brain.errors import BrainError
from brain.models.judge.judge import ModelJudge
from brain.models.judge.prompts import load_prompt
from brain.models.judge.values import Excerpt, Placed, Unanswered
from brain.stages.deciding import Similar
from brain.vault.parse import parse_note

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
KEPT = "kept"
"""What stands for the kind of a note that may not be changed, where it is shown."""


class NoAnswer(BrainError):
    """The model did not decide; nothing was written."""

    def __init__(self, answer: Unanswered) -> None:
        super().__init__(f"no answer from the language model: {answer.message.rstrip('.')}", f"{answer.cure}; --force writes it without asking")


@dataclass(frozen=True, slots=True)
class ByModel:
    """Decides by what a language model says; with nothing near a candidate it is a note of its own, and nothing is asked."""

    model: ModelJudge
    limits: Limits

    @property
    def name(self) -> str:
        """The model with the task and the version of its prompt."""
        return f"{self.model.name}@propose/{load_prompt('propose').version}"

    def decide(self, candidate: Candidate, similar: Sequence[Similar]) -> Decision:
        """Returns the decision of the model. Raises: NoAnswer."""
        if not similar:
            return Create()
        offered = Excerpt(short_hash("offered", candidate.title, candidate.body), "", candidate.title, candidate.type or "note", text=candidate.body)
        answer = self.model.propose(offered, [_excerpt(known) for known in similar])
        if isinstance(answer, Unanswered):
            raise NoAnswer(answer)
        return self._decision(candidate, answer, {known.path: known for known in similar})

    def _decision(self, candidate: Candidate, placed: Placed, similar: dict[str, Similar]) -> Decision:
        if placed.evidence is None:
            return Create(placed.reason)
        path, grounds = placed.evidence.path, Grounds(placed.judge, placed.evidence.line, placed.evidence.quote)
        match placed.action:
            case "discard":
                if not _has_figures_of(candidate, similar[path]):
                    return Create(f"it has figures that {path} has not")
                return Discard(f"{path} says it: {placed.reason}")
            case "supersede":
                return Supersede(path, placed.reason, grounds)
            case "update":
                body = body_with(candidate, similar[path], self.limits)
                return Create(f"its sections do not fit into {path}") if body is None else Update(path, body, placed.reason, grounds)
            case "create":
                return Create(placed.reason)
            case _:
                assert_never(placed.action)


def body_with(candidate: Candidate, known: Similar, limits: Limits) -> str | None:
    """Returns the body of a note with a candidate as its last section; None when the two would not read as what each says."""
    kept = known.body.rstrip()
    title = candidate.title.strip()
    added = candidate.body.strip("\r\n")
    body = f"{kept}\n\n## {title}\n\n{added}\n"
    before, own, after = (parse_note(known.path, text, limits) for text in (known.body, added, body))
    names = [fold(heading.text) for heading in after.headings if heading.level == 2]
    fits = _outline(after.headings) == [*_outline(before.headings), (2, title), *_outline(own.headings)] and len(set(names)) == len(names)
    fits = fits and len(after.links) == len(before.links) + len(own.links) and after.atoms[: len(before.atoms)] == before.atoms
    is_whole = before.frontmatter is None and own.frontmatter is None and not set(before.block_ids) & set(own.block_ids)
    leads_on = not any(link.form in ("markdown", "image") for link in own.links)  # they begin at the folder of the note that holds them
    return body if fits and is_whole and leads_on else None


def _has_figures_of(candidate: Candidate, known: Similar) -> bool:
    """Tells whether a note has every number of a candidate: one that lacks some does not say all that it says."""
    return set(_NUMBER.findall(f"{candidate.title} {candidate.body}")) <= set(_NUMBER.findall(f"{known.note.title} {known.body}"))


def _outline(headings: Sequence[Heading]) -> list[tuple[int, str]]:
    return [(heading.level, heading.text) for heading in headings]


def _excerpt(known: Similar) -> Excerpt:
    note = known.note
    kind = note.kind if known.is_writable else KEPT
    line = known.source.text.count("\n", 0, note.body_start) + 1
    return Excerpt(known.source.sha256, known.path, note.title, kind, note.aliases, known.body, line)
