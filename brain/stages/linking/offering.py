"""What a run without a model offers a person: pairs that may be related, with what proposes them. Writes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brain.stages.context import Context
from brain.stages.linking.candidates import SIGNALS, Candidate, Vault, find_candidates, in_order
from brain.stages.report import counted
from brain.stages.run import Run

SHOWN_MAX = 3


def offer(ctx: Context, run: Run, vault: Vault, *, limit: int) -> int:
    """Counts what may be related and says so; returns how many pairs wait for a model or a person.

    Mentions are counted in the whole vault, what is near only of the first `limit` notes (0: all).
    """
    order = in_order(vault)
    candidates = find_candidates(ctx, vault, order[: limit or None], for_a_model=False)
    isolated = {note.nid for note in vault.isolated}
    named = [Candidate(vault.live[m.source], vault.live[m.target], ("mention",), m.line) for by in vault.named_in.values() for m in by]
    others = [found for nid, of_note in candidates.items() if nid not in isolated for found in of_note if "mention" not in found.signals]
    alone = {nid: candidates.get(nid, []) for nid in isolated}
    pairs = {frozenset((c.source.id, c.target.id)) for c in (*named, *others, *(c for of_note in alone.values() for c in of_note))}
    if named:
        run.say(f"{counted(len(named), 'name')} of notes in the text of others without a link; only a language model or a person can tell what relates them: {_shown(named)}")
    if others:
        run.say(f"{counted(len(others), 'pair')} of notes that no link joins and that may be related: {_shown(others)}")
    _say_isolated(run, vault, alone)
    if vault.mentions.names_left_out:
        run.say(f"{vault.mentions.names_left_out:,} frequent names were not looked for in this run.")
    return len(pairs)


def _say_isolated(run: Run, vault: Vault, alone: Mapping[int, Sequence[Candidate]]) -> None:
    for note in vault.isolated:
        if partners := [candidate.target.path for candidate in alone[note.nid]][:SHOWN_MAX]:
            run.say(f"Nothing is linked with {note.path}; nearest to it: {', '.join(partners)}.")


def _shown(candidates: Sequence[Candidate]) -> str:
    parts = [f"{_place(c)} → {c.target.path} ({', '.join(SIGNALS[signal] for signal in c.signals)})" for c in candidates[:SHOWN_MAX]]
    more = len(candidates) - SHOWN_MAX
    return "; ".join(parts) + (f"; and {more} more." if more > 0 else ".")


def _place(candidate: Candidate) -> str:
    return candidate.source.path if candidate.line is None else f"{candidate.source.path}, line {candidate.line}"
