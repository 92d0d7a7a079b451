"""Replies from a file, and the wrapper that writes such a file. JSONL, one reply a line, keyed by the whole request.

    {"key": "<sha256 of the request>", "task": "extract", "model": "ollama:qwen3", "text": "{…}", "tokens": 812}
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from brain.core.asking import Cost, Failure, Reply, Request
from brain.errors import BrainError, UsageError
from brain.ports import Chat

NOBODY = "recorded"
RECORDING_BYTES_MAX = 200_000_000


class Recorded:
    """Answers what the file has an answer for. Of two replies to one request the later one counts."""

    def __init__(self, path: Path) -> None:
        """Reads the file. Raises: UsageError when it is missing, damaged, or of two models."""
        self._path = path
        self._replies: dict[str, Reply] = {}
        models: set[str] = set()
        for number, line in enumerate(_lines(path), start=1):
            if line.strip():
                key, model, reply = _record(path, number, line)
                self._replies[key] = reply
                models.add(model)
        if len(models) > 1:
            raise UsageError(f"{path} holds replies of more than one model: {', '.join(sorted(models))}.", "record each model into its own file")
        self.model = next(iter(models), NOBODY)

    def ask(self, request: Request) -> Reply | Failure:
        """Returns the reply that was recorded for this very request; a miss says how to record it."""
        reply = self._replies.get(request.key)
        if reply is not None:
            return reply
        message = f"{self._path} has no reply for this request ({request.task}, {request.key[:12]})."
        cure = f'run it once with a model: BRAIN_JUDGE_RECORD="{self._path}" and BRAIN_JUDGE_COMMAND or BRAIN_JUDGE_PROVIDER'
        return Failure("not_recorded", message, cure)


class Recording:
    """Asks another chat and appends what it replies to a file."""

    def __init__(self, chat: Chat, path: Path) -> None:
        """Takes the chat that answers. Raises: UsageError when the file cannot be written."""
        self._chat = chat
        self._path = path
        self.model = chat.model
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.open("ab").close()
        except OSError as error:
            raise UsageError(f"{path} cannot be written ({error.strerror}).", "name another file in BRAIN_JUDGE_RECORD") from error

    def ask(self, request: Request) -> Reply | Failure:
        """Asks, and keeps a reply. Failures are not kept: they are to be asked again. Raises: BrainError when the disk refuses."""
        answer = self._chat.ask(request)
        if isinstance(answer, Reply):
            record = {"key": request.key, "task": request.task, "model": self.model, "text": answer.text, "tokens": answer.cost.tokens}
            self._append(json.dumps(record, ensure_ascii=True, sort_keys=True).encode("ascii") + b"\n")
        return answer

    def _append(self, line: bytes) -> None:
        try:
            with self._path.open("ab") as file:
                file.write(line)
        except OSError as error:
            raise BrainError(f"{self._path} could not be written ({error.strerror}).", "free disk space, or unset BRAIN_JUDGE_RECORD") from error


class Estimating:
    """Asks nobody and keeps what would be asked: the same code then tells what a run will cost."""

    def __init__(self, model: str) -> None:
        """Takes the name of the model that would answer, so that what it answered before is not counted."""
        self.model = model
        self.requests: list[Request] = []

    def ask(self, request: Request) -> Reply | Failure:
        """Keeps the request."""
        self.requests.append(request)
        return Failure("not_asked", "Nothing was asked: this is an estimate.", "run it without the estimate", Cost(is_estimate=True))


def _lines(path: Path) -> list[bytes]:
    try:
        if os.path.getsize(path) > RECORDING_BYTES_MAX:
            raise UsageError(f"{path} is larger than {RECORDING_BYTES_MAX} bytes.", "record into a new file")
        return path.read_bytes().split(b"\n")
    except OSError as error:
        raise UsageError(f"The recorded replies in {path} cannot be read ({error.strerror}).", "name a file that is there in [judge] recording") from error


def _record(path: Path, number: int, line: bytes) -> tuple[str, str, Reply]:
    try:
        record = json.loads(line)
        key, model, text = (record[name] for name in ("key", "model", "text"))
    except (ValueError, RecursionError, TypeError, KeyError):
        key = model = text = None
    if not (isinstance(key, str) and isinstance(model, str) and isinstance(text, str)):
        raise UsageError(f"Line {number} of {path} is no recorded reply.", f'remove line {number} of "{path}"')
    tokens = record.get("tokens")
    return key, model, Reply(text, Cost(tokens if isinstance(tokens, int) else 0, True, len(text)))
