"""Claims of one note that may not both hold: which pairs are worth a question, and the few that rules can settle. Reads only.

Two claims are rivals when they are of one kind and share rare words, or both speak of what there is one of at a time.
Claims that say the same, or whose days do not meet, are none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from math import log2
from typing import Any

from brain.core.dates import date_in
from brain.core.judgement import Supersedes
from brain.core.matching.words import tokens, word_set
from brain.models.judge.values import Claim, ClaimPair
from brain.stages.claims import near_key
from brain.stages.context import Context
from brain.stages.rules import RULES

KINDS = ("fact", "decision", "risk", "person")
PAGE = 20_000
CLAIMS_PER_NOTE_MAX = 200
WORD_CHARS_MIN = 4
THEME_BITS = 8.0
_THEMES = tuple(word_set(words) for words in (
    "works work worked job employed employer joined hired manager position role arbeitet arbeit stelle angestellt",
    "lives live lived moved moves address home flat wohnt wohnte zieht gezogen umgezogen adresse",
    "married divorced engaged partner single verheiratet geschieden verlobt",
    "costs cost price pays paid fee budget kostet preis gebuehr",
    "version runs running hosted upgraded migrated replaced uses laeuft umgestellt",
    "status planned started finished done cancelled closed opened live begonnen fertig beendet abgesagt",
    "leads led head owner responsible leitet leitung zustaendig", "deadline due date scheduled postponed frist termin verschoben",
    "called renamed name heisst umbenannt",
))  # fmt: skip
"""Words of what there is one of at a time: two claims that have words of one line may be about the same state."""
_ONE_AT_A_TIME = re.compile(
    r"(?P<what>(?i:lives in|is based in|reports to|is led by|is married to)) "
    r"(?P<object>\[\[[^\[\]|#]+\]\]|[^\W\d_a-z][\w'’-]*(?: [^\W\d_a-z][\w'’-]*){0,2})\.?"
)
"""One state and one name, and nothing else that could say when or how much."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A claim that stands. Days are ISO dates; `told` is when the episode it comes from was, else when it was recorded."""

    id: str
    ordinal: int
    kind: str
    text: str
    confidence: str | None
    valid_from: str | None
    valid_to: str | None
    told: str | None

    @property
    def claim(self) -> Claim:
        """The claim as a judge is shown it."""
        days = (("from", self.valid_from), ("to", self.valid_to), ("told", self.told))
        return Claim(self.id, self.text, self.kind, tuple((what, day) for what, day in days if day))


@dataclass(frozen=True, slots=True)
class Rivals:
    """Two claims of one note, in its order."""

    note: str
    path: str
    title: str
    left: Standing
    right: Standing

    @property
    def pair(self) -> ClaimPair:
        """The two as a judge is shown them."""
        return ClaimPair(self.left.claim, self.right.claim, self.title)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The rivals worth a question, note by note; `left` more fell to the limit of one note."""

    rivals: tuple[Rivals, ...]
    left: int = 0


def find_rivals(ctx: Context, *, only_certain: bool = False) -> Candidates:
    """Returns the rivals of all notes, in path order, of each note the likeliest `limits.candidates_per_note_max`.

    With `only_certain` those alone that rules may settle.
    """
    notes = [(key, [_standing(row) for row in rows]) for key, rows in groupby(_rows(ctx), key=lambda row: (row["note"], row["path"], row["title"]))]
    df = Counter(word for _, claims in notes for claim in claims for word in _words(claim.text))
    limits, found, left = ctx.config.limits, [], 0
    for (note, path, title), claims in notes:
        compared = [claim for claim in claims if _ONE_AT_A_TIME.fullmatch(claim.text.strip())] if only_certain else claims
        scored = [(bits, pair) for pair in _pairs(compared[-CLAIMS_PER_NOTE_MAX:]) if (bits := _bits(*pair, df, df_max=limits.token_df_max))]
        best = sorted(scored, key=lambda case: (-case[0], case[1][0].ordinal, case[1][1].ordinal))
        found += [Rivals(note, path, title, one, other) for _, (one, other) in best[: limits.candidates_per_note_max]]
        left += max(0, len(best) - limits.candidates_per_note_max)
    return Candidates(tuple(found), left)


def by_rules(rivals: Rivals) -> Supersedes | None:
    """Returns what is certain without a model: one state of which there is one at a time, twice, each with its first day."""
    one, other = (_ONE_AT_A_TIME.fullmatch(claim.text.strip()) for claim in (rivals.left, rivals.right))
    starts = (rivals.left.valid_from, rivals.right.valid_from)
    if one is None or other is None or one["what"].casefold() != other["what"].casefold() or near_key(one["object"]) == near_key(other["object"]):
        return None
    if starts[0] is None or starts[1] is None or starts[0] == starts[1] or rivals.left.valid_to or rivals.right.valid_to:
        return None
    later, earlier = (rivals.left, rivals.right) if starts[0] > starts[1] else (rivals.right, rivals.left)
    return Supersedes(RULES.name, f"“{one['what'].casefold()}” holds of one at a time", later.id, earlier.id, max(starts[0], starts[1]))


def _pairs(claims: Sequence[Standing]) -> Iterator[tuple[Standing, Standing]]:
    """Yields the pairs of one kind that could be at odds at all."""
    for one, other in combinations(claims, 2):
        if one.kind == other.kind and near_key(one.text) != near_key(other.text) and not _is_over(one, other) and not _is_over(other, one):
            yield one, other


def _is_over(one: Standing, other: Standing) -> bool:
    """Tells whether one had ended when the other began."""
    return one.valid_to is not None and other.valid_from is not None and one.valid_to <= other.valid_from


def _bits(one: Standing, other: Standing, df: Counter[str], *, df_max: int) -> float:
    """Returns what two claims have in common, in bits of rarity: words that only a few claims have, and a theme; 0 for nothing."""
    ours, theirs, total = _words(one.text), _words(other.text), df.total()
    shared = sum(1.0 + log2(total / df[word]) for word in ours & theirs if len(word) >= WORD_CHARS_MIN and df[word] <= df_max)
    return shared + THEME_BITS * any(ours & theme and theirs & theme for theme in _THEMES)


def _words(text: str) -> frozenset[str]:
    return frozenset(tokens(text))


def _standing(row: dict[str, Any]) -> Standing:
    told = [day for source in row["sources"] or () if (day := date_in(source.rsplit("/", 1)[-1]))]
    days = [_day(row[key]) for key in ("valid_from", "valid_to", "told", "recorded")]
    return Standing(row["id"], row["ordinal"], row["kind"], row["text"], row["confidence"], days[0], days[1], max(told, default=None) or days[2] or days[3])


def _day(value: Any) -> str | None:
    return None if value is None else value.isoformat()[:10]


def _rows(ctx: Context) -> Iterator[dict[str, Any]]:
    after, ordinal = "", -1
    with ctx.graph.session():
        pages = []
        while True:
            rows = ctx.graph.run("standing-claims", kinds=list(KINDS), after=after, ordinal=ordinal, limit=PAGE)
            pages.append(rows)
            if len(rows) < PAGE:
                break
            after, ordinal = rows[-1]["path"], rows[-1]["ordinal"]
    for rows in pages:
        yield from rows
