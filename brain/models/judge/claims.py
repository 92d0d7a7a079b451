"""Questions about two claims, or about a fact and a line: how a pair is shown, cut and remembered. Each task reads its own replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from brain.models.judge.ask import Asker
from brain.models.judge.fence import one_line
from brain.models.judge.pairs import PairItem, PairTask, decide_pairs
from brain.models.judge.prompts import load_prompt
from brain.models.judge.values import Claim, ClaimPair, Unanswered

Verdict = TypeVar("Verdict")


def decide_claims(
    asker: Asker, name: str, item: type[PairItem], pairs: Sequence[ClaimPair], read: Callable[[Any, ClaimPair, str], Verdict | str]
) -> tuple[Verdict | Unanswered, ...]:
    """Asks the prompt of a name about pairs; returns a verdict or an `Unanswered` for each, in the order given.

    `read` takes an item of the reply, its pair and the name of the judge, and returns a verdict, or a word for why not.
    """
    prompt = load_prompt(name)
    judge = asker.judge(prompt)
    task: PairTask[ClaimPair, Verdict] = PairTask(
        prompt, item, contents=lambda pair: (pair.about, claim_line(pair.left), claim_line(pair.right)),
        ids=lambda pair: (pair.left.id, pair.right.id), blocks=_blocks, read=lambda found, pair: read(found, pair, judge),
    )  # fmt: skip
    return decide_pairs(asker, task, [replace(pair, left=_cut(asker, pair.left), right=_cut(asker, pair.right)) for pair in pairs])


def claim_line(claim: Claim) -> str:
    """Returns a claim on one line: its kind, the days that are known of it, its words."""
    days = "".join(f"; {one_line(what)} {one_line(day)}" for what, day in claim.days)
    return f"({one_line(claim.kind)}{days}) {one_line(claim.text)}"


def _cut(asker: Asker, claim: Claim) -> Claim:
    """Returns a claim no longer than a request has room for."""
    return replace(claim, text=asker.cut(claim.text, asker.settings.note_chars_max))


def _blocks(pairs: Sequence[ClaimPair]) -> tuple[tuple[str, str], ...]:
    """Returns numbered pairs of claims as the block of a request."""
    lines = [
        f"{number}. about {one_line(pair.about)}\n   A: {claim_line(pair.left)}\n   B: {claim_line(pair.right)}" for number, pair in enumerate(pairs, start=1)
    ]
    return (("pairs", "\n".join(lines)),)
