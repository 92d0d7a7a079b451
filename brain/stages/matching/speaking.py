"""What of the evidence about a pair speaks for it to a person: names, what notes state, texts that are nearly one. Pure.

That two texts are near in letters or meaning is that of a topic: it proposes a pair, a language model can sift it, and no
person is asked because of it alone. The scores of matching know nothing of this.
"""

from __future__ import annotations

import re

from rapidfuzz.distance import OSA

from brain.core.matching.context import Overlap
from brain.core.matching.evidence import INDEPENDENT, Evidence
from brain.core.matching.naming import MISSPELLED, RELATED
from brain.core.matching.part import Part
from brain.core.matching.profile import Profile
from brain.core.matching.said import is_called
from brain.core.matching.tiers import Judged, is_copy

_ATTRIBUTE = re.compile(r"(?<=[\w-])=(?=[\"'])")
"""An attribute of a tag, `alt="Boat"`, calls nothing by another name."""
SHARE_SHOWN_MIN = 0.005
"""A smaller share is shown as 0%."""


def speaks(pair: Judged) -> bool:
    """Tells whether names, what the notes state or nearly equal texts speak for a pair."""
    evidence = pair.evidence
    stated = bool(evidence.shared) or evidence.bits_of(*INDEPENDENT) > 0
    return pair.certain is not None or stated or _names_speak(evidence) or is_copy(evidence) or _is_said(pair.left, pair.right) or _is_said(pair.right, pair.left)


def sides_of(evidence: Evidence) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the sentences that speak for a pair and those that speak against it, the weightiest first."""
    parts = sorted(evidence.parts, key=lambda part: -abs(part.bits))
    against = [_is_against(part, evidence) for part in parts]
    return tuple(part.words for part, no in zip(parts, against, strict=True) if not no), tuple(part.words for part, no in zip(parts, against, strict=True) if no)


def _names_speak(evidence: Evidence) -> bool:
    """Tells whether names agree; two slips in one word make another word as soon as a misspelled one (`Projects`, `Products`)."""
    names = evidence.alignment
    slips = [OSA.distance(match.left, match.right) for match in names.matches if match.share == MISSPELLED and sorted(match.left) != sorted(match.right)]
    return names.relation in RELATED and evidence.bits_of("name") > 0 and max(slips, default=0) <= 1


def _is_said(one: Profile, other: Profile) -> bool:
    """Tells whether the text of one note gives the other's name as another name, its tags aside."""
    text = _ATTRIBUTE.sub(" ", one.text)
    return any(is_called(text, name.plain) for name in other.names[: other.own_names])


def _is_against(part: Part, evidence: Evidence) -> bool:
    if part.feature == "name":
        return evidence.alignment.relation == "none"
    return part.bits <= 0 or (part.feature == "text" and _is_share(part, evidence.overlap) and evidence.overlap.share < SHARE_SHOWN_MIN)


def _is_share(part: Part, overlap: Overlap) -> bool:
    return f"{overlap.share:.0%}" in part.words
