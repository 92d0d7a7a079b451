"""Plans and patches as journal records, and back. Values only: appending is `commit`'s.

A text is kept as text, and as base64 only when its bytes are not UTF-8. What a plan made of a text is kept
as hunks against what was there before.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from brain.core.ids import sha256_hex
from brain.core.judgement import Contradicts, Distinct, Extracted, Relates, Same, Supersedes
from brain.core.merge import Hunk, hunks_between, with_hunks
from brain.core.plan import Patch, Plan, Question
from brain.errors import BrainError
from brain.vault.parse import decode, encode

Record = dict[str, Any]
PERSON = "person"
"""The judge of what a person decided."""
SCORE_MAX = 1e9


def intent_record(plan: Plan, patches: Sequence[Patch], *, run: str, item: str, decision: str, at: str) -> Record:
    """Returns the record that makes a plan durable before it touches a file."""
    return {
        "kind": "intended", "at": at, "run": run, "item": item, "decision": decision, "stage": plan.stage, "key": plan.key,
        "because": plan.because, "provenance": [asdict(source) for source in plan.provenance],
        "files": file_records(patches),
    }  # fmt: skip


def new_folders_of(intent: Record) -> tuple[str, ...]:
    """Returns the folders that an item made for its notes, outer ones first; nothing for a record that says something else."""
    folders, paths = intent.get("folders"), [str(file["path"]) for file in intent["files"]]
    if not isinstance(folders, list):
        return ()
    return tuple(sorted(folder for folder in folders if isinstance(folder, str) and any(path.startswith(f"{folder}/") for path in paths)))


def file_records(patches: Sequence[Patch]) -> list[Record]:
    """Returns what an intent says about each file: its hashes, its text before, and what becomes of it."""
    return [_file(patch) for patch in patches]


def held_record(plan: Plan, item: str, why: str, *, run: str, at: str) -> Record:
    """Returns the record of a plan that waits for a person: what is asked. The plan is made anew when it is wanted."""
    return {
        "kind": "held", "at": at, "run": run, "item": item, "decision": item, "stage": plan.stage, "key": plan.key,
        "because": plan.because, "why": why, "concerns": list(plan.concerns), "certain": plan.certain,
        "question": None if plan.question is None else question_record(plan.question),
    }  # fmt: skip


def declined_record(plan: Plan, item: str, *, at: str) -> list[Record]:
    """Returns the record of what a person says no to with a plan; it counts while the plan's `item` stands."""
    if not plan.declines:
        return []
    decision, *others = plan.declines
    return [{"kind": "declined", "at": at, "decision": decision, "stage": plan.stage, "key": plan.key, "items": others, "within": item, "judge": PERSON}]


def question_record(question: Question) -> Record:
    """Returns a question as plain JSON: the verdict is its type and its fields."""
    verdict = {"type": type(question.verdict).__name__, **asdict(question.verdict)}
    return {
        "verdict": verdict, "about": list(question.about), "evidence": list(question.evidence), "score": question.score,
        "stated": question.stated,
    }  # fmt: skip


def question_of(value: Any) -> Question | None:
    """Returns the question of a held record; None when it has none of the right shape, since a journal is a text file."""
    if not isinstance(value, dict) or not isinstance(value.get("verdict"), dict):
        return None
    named = dict(value["verdict"])
    kind = _VERDICTS.get(str(named.pop("type", "")))
    score, about, evidence = _number(value.get("score")), _texts(value.get("about")), _texts(value.get("evidence"))
    if kind is None or score is None or about is None or evidence is None or named.keys() != {f.name for f in fields(kind)}:
        return None
    wanted = {f.name: int if f.type == "int" else str for f in fields(kind)}
    if not all(type(named[name]) is wanted[name] for name in wanted):
        return None
    return Question(kind(**named), about, evidence, score, str(value.get("stated", "")))


def _texts(value: Any) -> tuple[str, ...] | None:
    return tuple(value) if isinstance(value, list) and all(isinstance(item, str) for item in value) else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < SCORE_MAX else None


_VERDICTS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Extracted, Same, Distinct, Supersedes, Contradicts, Relates)}


def provenance_records(plan: Plan, item: str, *, at: str) -> list[Record]:
    """Returns a provenance record for each atom and edge of a plan, and one verdict record for the plan."""
    if not plan.provenance:
        return []
    judges = sorted({source.judge for source in plan.provenance})
    verdict = {"kind": "verdict", "at": at, "plan": item, "stage": plan.stage, "key": plan.key, "judges": judges, "reason": plan.because}
    return [*({"kind": "provenance", "at": at, "plan": item, **asdict(source)} for source in plan.provenance), verdict]


def patches_of(intent: Record) -> tuple[Patch, ...]:
    """Returns the patches that an intent of the right shape recorded, checked against their hashes.

    Raises: BrainError when the record does not fit its own hashes.
    """
    return tuple(_patch(file) for file in intent["files"])


def _file(patch: Patch) -> Record:
    before = None if patch.before is None else decode(patch.before)[0]
    record: Record = {
        "path": patch.path,
        "before_sha256": None if patch.before is None else sha256_hex(patch.before),
        "after_sha256": None if patch.after is None else sha256_hex(patch.after),
        "before": None if patch.before is None else _packed(patch.before),
    }
    if patch.after is not None and before is not None:
        record["hunks"] = [[hunk.start, hunk.end, _packed(encode(hunk.text))] for hunk in hunks_between(before, decode(patch.after)[0])]
    elif patch.after is not None:
        record["after"] = _packed(patch.after)
    return record


def _patch(file: Record) -> Patch:
    try:
        before = None if file["before"] is None else _unpacked(file["before"])
        after: bytes | None = None
        if "hunks" in file and before is not None:
            hunks = [Hunk(start, end, decode(_unpacked(text))[0]) for start, end, text in file["hunks"]]
            after = encode(with_hunks(decode(before)[0], hunks))
        elif "after" in file:
            after = _unpacked(file["after"])
    except ValueError as error:  # no base64, or a text that is none
        raise _damaged(file) from error
    for data, sha256 in ((before, file["before_sha256"]), (after, file["after_sha256"])):
        if (None if data is None else sha256_hex(data)) != sha256:
            raise _damaged(file)
    return Patch(file["path"], before, after)


def _damaged(file: Record) -> BrainError:
    return BrainError(f"The journal's record of {file['path']} is damaged; nothing was changed.", "brain doctor")


def _packed(data: bytes) -> Any:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _unpacked(value: Any) -> bytes:
    if isinstance(value, dict) and "purged" in value:
        raise BrainError("What stood there was erased by brain purge, so that this cannot be taken back or done again.", "brain runs")
    return base64.b64decode(value["base64"], validate=True) if isinstance(value, dict) else str(value).encode("utf-8")
