"""What the judge is asked about, and what it answers beside the verdicts of `core.judgement`. Values only.

An answer is decided, `Unsure` (asked, and the model does not know: remembered), or `Unanswered` (nothing was
learned: nothing is remembered, and the next run asks again).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from brain.core.judgement import Contradicts, Distinct, Extracted, Relates, Same, Supersedes, Unsure


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an episode that one request shows. `line` is the 1-based line of the episode on which `text` begins."""

    episode_id: str
    text: str
    line: int = 1
    number: int = 1
    of: int = 1
    title: str = ""
    day: str | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """An existing thing that an episode may be about. `target` is the link that leads to its note."""

    id: str
    target: str
    name: str
    kind: str
    aliases: tuple[str, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A note as a request shows it. `line` is the 1-based line of the file on which `text` begins."""

    id: str
    path: str
    title: str
    kind: str
    aliases: tuple[str, ...] = ()
    text: str = ""
    line: int = 1


@dataclass(frozen=True, slots=True)
class NotePair:
    """Two notes of which the first may state a relation to the second."""

    left: Excerpt
    right: Excerpt


@dataclass(frozen=True, slots=True)
class Claim:
    """An atom as a request shows it. `days` are (what, ISO date): `("from", "2026-03-04")`."""

    id: str
    text: str
    kind: str = "fact"
    days: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimPair:
    """Two claims about one thing that may not both hold."""

    left: Claim
    right: Claim
    about: str


@dataclass(frozen=True, slots=True)
class Hub:
    """A note and those connected with it; `insight` is the insight note that the hub has already."""

    center: Excerpt
    connected: tuple[Excerpt, ...]
    insight: Excerpt | None = None


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Nothing was learned, and why. `why` is a word of a closed list: a failure of the chat, or what was wrong with its reply."""

    why: str
    message: str
    cure: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """How many items of a reply were left out for one reason."""

    why: str
    count: int


@dataclass(frozen=True, slots=True)
class Action:
    """Something that somebody still has to do: `quote` stands verbatim on `line` of the episode; `due` is ISO."""

    judge: str
    text: str
    line: int
    quote: str
    due: str | None


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a model read out of one piece. Both may be empty: nothing worth keeping is an answer."""

    claims: tuple[Extracted, ...]
    actions: tuple[Action, ...]
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class SameGroup:
    """Notes that are one thing; paths, `canonical` is one of `members`, and `quote` stands in one of them."""

    canonical: str
    members: tuple[str, ...]
    quote: str
    reason: str


@dataclass(frozen=True, slots=True)
class Partition:
    """A verdict for each pair of a group of notes, in path order.

    In a `Same` the canonical note of the group comes first, when it is one of the two.
    """

    groups: tuple[SameGroup, ...]
    verdicts: tuple[Same | Distinct | Unsure, ...]


@dataclass(frozen=True, slots=True)
class Unrelated:
    """The first note states no relation to the second; both are paths."""

    judge: str
    reason: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Compatible:
    """Both claims can hold; both are atom ids."""

    judge: str
    reason: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Restates:
    """One claim says everything that the other says; both are atom ids."""

    judge: str
    reason: str
    kept: str
    folded: str


@dataclass(frozen=True, slots=True)
class OwnWords:
    """Each of two claims says something that the other does not; both are atom ids."""

    judge: str
    reason: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Words that stand verbatim on `line` of the note at `path`."""

    path: str
    line: int
    quote: str


@dataclass(frozen=True, slots=True)
class Placed:
    """What is to become of an offered note; `evidence` stands in the note it is about, None when it is a note of its own."""

    judge: str
    reason: str
    action: Literal["update", "supersede", "create", "discard"]
    evidence: Evidence | None


@dataclass(frozen=True, slots=True)
class Lesson:
    """What connected notes teach together. `deepens` is the path of the insight note it is about, None for a new one."""

    judge: str
    reason: str
    title: str
    text: str
    evidence: tuple[Evidence, ...]
    deepens: str | None


@dataclass(frozen=True, slots=True)
class NoLesson:
    """The notes around a hub teach nothing that they do not say; `about` is the hub's path."""

    judge: str
    reason: str
    about: str


Related = Relates | Unrelated | Unsure | Unanswered
Compared = Supersedes | Contradicts | Compatible | Unsure | Unanswered
Restated = Restates | OwnWords | Unsure | Unanswered
Abstracted = Lesson | NoLesson | Unanswered


@dataclass(frozen=True, slots=True)
class Misstates:
    """A line states a fact wrongly: `old` stands in the line, `new` in the fact."""

    judge: str
    reason: str
    line: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Agrees:
    """A line says what the fact says, or nothing about it."""

    judge: str
    reason: str
    line: str


Corrected = Misstates | Agrees | Unsure | Unanswered


@dataclass(frozen=True, slots=True)
class Refiled:
    """A note belongs in another category than its own; both are paths."""

    judge: str
    reason: str
    note: str
    category: str


@dataclass(frozen=True, slots=True)
class Grouped:
    """Parts of a note that belong together, and what they are called; paths."""

    judge: str
    reason: str
    name: str
    members: tuple[str, ...]
