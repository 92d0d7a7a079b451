"""What a model answered before, in the journal: a question is not asked again until something in it changes.

    {"kind": "answered", "at": …, "key": …, "task": "same", "judge": "ollama:qwen3@same/1", "about": [ids], "answer": {…}}

The key covers what was asked: task, prompt, model, the contents shown and the ids behind the numbers. An answer
that was malformed is not in here. Append-only: of two records with one key the later one counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from brain.core.ids import sha256_hex
from brain.errors import BrainError
from brain.models.judge.prompts import Prompt
from brain.vault.journal import Journal

KIND = "answered"
Record = dict[str, Any]
Answer = dict[str, Any]


def question_key(prompt: Prompt, model: str, *, contents: Sequence[str], ids: Sequence[str]) -> str:
    """Returns the hash of a question: another content, id, order, prompt text or model makes another one."""
    parts = [prompt.name, str(prompt.version), prompt.sha256, model, [_hash(content) for content in contents], list(ids)]
    return _hash(json.dumps(parts, ensure_ascii=True))[:32]


class Verdicts:
    """The answers of one vault, folded from the journal of every machine, and appended to."""

    def __init__(self, journal: Journal, records: Iterable[Record], *, at: str, keeps: bool = True) -> None:
        """Takes the records so far. `at` is the instant of the run; without `keeps` new answers are known in it only."""
        self._journal = journal
        self._at = at
        self._keeps = keeps
        self._known: dict[str, Answer] = {}
        for record in records:
            key, answer = record.get("key"), record.get("answer")
            if record.get("kind") == KIND and isinstance(key, str) and isinstance(answer, dict):
                self._known[key] = answer

    def __len__(self) -> int:
        """Returns how many questions are answered."""
        return len(self._known)

    def known(self, key: str) -> Answer | None:
        """Returns the answer to a question, None when it was never answered."""
        return self._known.get(key)

    def keep(self, key: str, answer: Answer, *, task: str, judge: str, about: Sequence[str]) -> None:
        """Remembers an answer that was read whole. Raises: BrainError when the disk refuses."""
        if self._known.get(key) == answer:
            return
        self._known[key] = answer
        if self._keeps:
            record = {"kind": KIND, "at": self._at, "key": key, "task": task, "judge": judge, "about": list(about), "answer": answer}
            append(self._journal, record)


def append(journal: Journal, record: Record) -> None:
    """Appends a record durably. Raises: BrainError when the disk refuses."""
    try:
        journal.append([record])
    except OSError as error:
        raise BrainError(f"The journal could not be written: {error.strerror}.", "free disk space or make .brain/ writable") from error


def _hash(text: str) -> str:
    return sha256_hex(text.encode("utf-8", "surrogatepass"))
