"""A note's facts → its hashed form: what is counted over the whole vault, and what it is found by. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from brain.core.matching.naming import ACRONYM_CHARS_MAX
from brain.core.matching.profile import Facts, Profile, features_of, lines_of, profile_of
from brain.core.matching.rarity import line_of
from brain.core.matching.sparse import grams_of, hashed
from brain.core.matching.words import tokens
from brain.stages.matching.store import Form

BODY_CHARS_MAX = 20_000
GRAM_CHARS_MAX = 600
LINES_MAX = 60


def form_of(facts: Facts) -> Form:
    """Makes the hashed form of a note."""
    profile = profile_of(facts)
    words = [*_stated_words(profile), *tokens(facts.body[:BODY_CHARS_MAX])]
    features = [*features_of(profile), *(line_of(line) for line in lines_of(facts.body)[:LINES_MAX])]
    return Form(facts.id, hashed(features), hashed({*words, *_acronyms(profile)}), grams_of(" ".join(words)[:GRAM_CHARS_MAX]))


def _acronyms(profile: Profile) -> Iterator[str]:
    """Yields what an acronym and the name that it is made of have in common, which is no word of either."""
    for name in profile.names:
        if len(name.words) > 1:
            yield f"initials {''.join(word[0] for word in name.words)}"
        elif name.words and len(name.words[0]) <= ACRONYM_CHARS_MAX:
            yield f"initials {name.words[0]}"


def _stated_words(profile: Profile) -> Iterator[str]:
    """Yields the words of the names and of what the properties state: they come before the text."""
    for name in profile.names:
        yield from name.words
        yield from name.numbers
    for field in profile.fields:
        for value in field.values:
            yield from value.split()
