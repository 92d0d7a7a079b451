"""What speaks against two notes being one thing, whatever else they share: a closed list of vetoes. Pure.

A veto that forbids makes them two things. Any other keeps them from being merged by rules alone: a person
(or a model) looks, and is told why. Vetoes are never weighed against evidence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from brain.core.ids import fold
from brain.core.matching.contrast import ASPECTS, GENERATIONS, contrasted, is_antonym, is_plural
from brain.core.matching.evidence import INDEPENDENT, Evidence
from brain.core.matching.fields import Field
from brain.core.matching.identifiers import MANY_OF_ONE, OF_THINGS, OF_WORKS
from brain.core.matching.naming import RELATED, align
from brain.core.matching.profile import Profile
from brain.core.matching.rarity import Rarity, whole_name
from brain.core.matching.values import is_near
from brain.core.matching.words import TITLES, Name

VetoName = Literal[
    "told-apart", "template", "number", "date", "version", "contrast", "antonym", "letter", "symbol", "qualifier", "kind", "email", "birthday",
    "death", "identifier", "one-number", "one-qualifier", "aspect", "plural", "generation", "mention", "claimed",
    "alias-list", "file-name", "derived",
]  # fmt: skip
VETOES: tuple[VetoName, ...] = get_args(VetoName)
FORBIDDING: frozenset[VetoName] = frozenset({
    "told-apart", "template", "number", "date", "version", "contrast", "antonym", "letter", "symbol", "qualifier", "kind", "identifier",
})  # fmt: skip
"""Of these no agreement elsewhere makes a question: whoever numbers, dates or opposes two names says that they are two things."""
CLAIMS_MAX = 3
CLAIMED_BITS_MIN = 12.0
"""What else must agree before a name that many notes bear counts for one of them."""
UNSTATED_KIND = "note"


@dataclass(frozen=True, slots=True)
class Veto:
    """One reason against, in words for a person. `forbids` says that no evidence can outweigh it."""

    name: VetoName
    words: str
    forbids: bool


def vetoes_between(left: Profile, right: Profile, evidence: Evidence, rarity: Rarity) -> tuple[Veto, ...]:
    """Returns every veto between two notes, in the order of the list."""
    found = [*_of_names(left, right, evidence, rarity), *_of_fields(left, right), *_of_notes(left, right)]
    if (left.id in right.links or right.id in left.links) and not evidence.bits_of("said"):
        found.append(_veto("mention", "one of the notes links to the other"))
    if left.is_derived != right.is_derived:
        found.append(_veto("derived", "one of the notes is about a fork or a copy"))
    return tuple(sorted(found, key=lambda veto: (not veto.forbids, VETOES.index(veto.name), veto.words)))


def _veto(name: VetoName, words: str, *, forbids: bool | None = None) -> Veto:
    return Veto(name, words, name in FORBIDDING if forbids is None else forbids)


def _of_names(left: Profile, right: Profile, evidence: Evidence, rarity: Rarity) -> Iterator[Veto]:
    if evidence.names is None:
        return
    one, other = evidence.names
    yield from _of_words(evidence)
    if evidence.alignment.relation in ("none", "acronym") and (one.words or other.words):
        return  # names that have nothing in common do not differ in a number either
    yield from _of_numbers(one, other)
    yield from _of_qualifiers(one, other)
    sexes = [{TITLES[title] for title in name.titles} - {""} for name in (one, other)]
    if sexes[0] and sexes[1] and sexes[0] != sexes[1]:
        yield _veto("contrast", f"“{one.titles[0]}” is not “{other.titles[0]}”")
    symbols = [tuple(sorted(word for word in name.words if not word.isalnum())) for name in (one, other)]
    if symbols[0] != symbols[1]:
        yield _veto("symbol", f"their names differ in a symbol (“{one.text}” and “{other.text}”)")
    is_common = evidence.alignment.relation in ("equal", "reordered") and rarity.df(whole_name(one.key)) > CLAIMS_MAX
    if is_common and evidence.bits_of(*INDEPENDENT) < CLAIMED_BITS_MIN:
        yield _veto("claimed", f"more than {CLAIMS_MAX} notes are called “{one.text}”")
    if not evidence.is_alias and evidence.alignment.relation in RELATED and _have_unlike_files(left, right):
        yield _veto("file-name", f"their file names have little in common ({left.stem} and {right.stem})")
    if evidence.is_alias and (left.has_alias_list or right.has_alias_list):
        yield _veto("alias-list", "the alias stands in one text with commas, which may name several things")


def _have_unlike_files(left: Profile, right: Profile) -> bool:
    """Two notes may begin with one heading; what a person called the files says more."""
    one, other = (next((name for name in profile.names[: profile.own_names] if fold(name.text) == profile.stem), None) for profile in (left, right))
    return one is not None and other is not None and align(one, other).relation not in RELATED


def _of_numbers(one: Name, other: Name) -> Iterator[Veto]:
    if one.numbers == other.numbers:
        return
    shown = " and ".join(" ".join(name.numbers) or "none" for name in (one, other))
    if one.numbers and other.numbers:
        yield _veto("number", f"their names differ in a number ({shown})")
    else:
        yield _veto("one-number", f"only one of their names has a number ({shown})")


def _of_words(evidence: Evidence) -> Iterator[Veto]:
    alignment = evidence.alignment
    unequal = [match for match in alignment.matches if match.left != match.right]
    ours = [*alignment.left, *(match.left for match in unequal)]
    theirs = [*alignment.right, *(match.right for match in unequal)]
    if pair := contrasted(ours, theirs):
        yield _veto("contrast", f"“{pair[0]}” is not “{pair[1]}”")
    for left, right in (*((match.left, match.right) for match in unequal), *zip(alignment.left, alignment.right, strict=False)):
        if is_antonym(left, right):
            yield _veto("antonym", f"“{left}” is the opposite of “{right}”")
        elif is_plural(left, right):
            yield _veto("plural", f"“{left}” and “{right}” are one and many")
        elif len(left) == len(right) == 1:
            yield _veto("letter", f"their names differ in a letter ({left} and {right})")
    extra = set(alignment.left) ^ set(alignment.right)
    if found := sorted(extra & GENERATIONS):
        yield _veto("generation", f"only one of their names says “{found[0]}”")
    if found := sorted(extra & ASPECTS):
        yield _veto("aspect", f"“{found[0]}” makes one of the names that of something about the thing")


def _of_qualifiers(one: Name, other: Name) -> Iterator[Veto]:
    if one.qualifier == other.qualifier:
        return
    if one.qualifier and other.qualifier:
        yield _veto("qualifier", f"what stands in brackets differs ({' '.join(one.qualifier)} and {' '.join(other.qualifier)})")
    else:
        yield _veto("one-qualifier", f"only one name has something in brackets ({' '.join(one.qualifier or other.qualifier)})")


def _of_fields(left: Profile, right: Profile) -> Iterator[Veto]:
    theirs = {field.key: field for field in right.fields}
    for field in left.fields:
        other = theirs.get(field.key)
        if other is not None and not set(field.values) & set(other.values):
            yield from _of_field(field, other)


def _of_field(field: Field, other: Field) -> Iterator[Veto]:
    """What two different values of one property say; a slip of the pen in a date or a number says nothing."""
    words = f"their `{field.key}` differs ({field.values[0]} and {other.values[0]})"
    is_slip = any(is_near(field.kind, a, b) for a in field.values for b in other.values)
    match field.kind:
        case "birth" | "death" if not is_slip:
            yield _veto("birthday" if field.kind == "birth" else "death", words)
        case "date":
            yield _veto("date", words)
        case "version":
            yield _veto("version", words)
        case "identifier" if field.key == "email":
            if not is_slip:
                yield _veto("email", words)
        case "identifier" if field.key in OF_WORKS or field.key in OF_THINGS:
            yield _veto("identifier", words, forbids=field.key not in MANY_OF_ONE)
        case "identifier" if field.key not in MANY_OF_ONE and not is_slip:
            yield _veto("identifier", words, forbids=False)
        case _:
            pass


def _of_notes(left: Profile, right: Profile) -> Iterator[Veto]:
    if left.answers_to(right.told_apart) or right.answers_to(left.told_apart):
        yield _veto("told-apart", "a person wrote that they are two things")
    if left.is_form or right.is_form:
        yield _veto("template", "one of the notes is a template for others")
    if left.kind != right.kind and UNSTATED_KIND not in (left.kind, right.kind):
        yield _veto("kind", f"one is a {left.kind}, the other a {right.kind}", forbids="person" in (left.kind, right.kind))
    elif left.type and right.type and left.type != right.type:
        yield _veto("kind", f"one is of type {left.type}, the other of type {right.type}", forbids=False)
    if left.series and left.series == right.series and left.stem != right.stem:
        yield _veto("number", f"their file names differ in their numbers alone ({left.stem} and {right.stem})")
