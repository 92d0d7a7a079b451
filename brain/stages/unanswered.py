"""Questions that a language model gave no answer to in one run: how many, why, and when it is no use to ask on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from brain.models.judge.judge import ModelJudge
from brain.models.judge.prompts import load_prompt
from brain.models.judge.values import Unanswered

STOPS = frozenset({"deadline", "given_up", "over_limit"})
"""Why a judge answers nothing more in a run."""
Key = TypeVar("Key")


def judged_by(model: ModelJudge, task: str) -> str:
    """Returns the name of a model with a task and the version of its prompt, as its verdicts carry it."""
    return f"{model.name}@{task}/{load_prompt(task).version}"


def asked_again(what: str, answer: Unanswered) -> str:
    """Returns the sentence about something that got no answer."""
    return f"{what} and will be asked about again. {answer.message} ({answer.cure})"


@dataclass(slots=True)
class NoAnswers(Generic[Key]):
    """What got no answer, by why, with the first of the answers that were none."""

    _keys: dict[str, set[Key]] = field(default_factory=dict)
    _first: dict[str, Unanswered] = field(default_factory=dict)

    def __len__(self) -> int:
        """How many questions got no answer."""
        return sum(map(len, self._keys.values()))

    def __contains__(self, key: Key) -> bool:
        """Whether a question got no answer."""
        return any(key in keys for keys in self._keys.values())

    @property
    def is_final(self) -> bool:
        """Whether the judge answers no more in this run."""
        return not STOPS.isdisjoint(self._keys)

    def add(self, answer: Unanswered, key: Key) -> None:
        """Takes note of a question."""
        self._keys.setdefault(answer.why, set()).add(key)
        self._first.setdefault(answer.why, answer)

    def sentences(self, what: Callable[[int], str]) -> Iterator[str]:
        """Yields a sentence for each reason; `what` puts a number of questions into words."""
        for why in sorted(self._keys):
            yield asked_again(what(len(self._keys[why])), self._first[why])
