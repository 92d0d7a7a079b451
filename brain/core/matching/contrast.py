"""Words that look or stand alike and never mean one thing: opposites, members of one series, antonyms. Pure.

Lists of ordinary words, English and German. Two names are contrasted when one has a word of a series where
the other has another word of it; a word that merely is there on one side is a qualifier, no contrast.
"""

from __future__ import annotations

from collections.abc import Iterable

from brain.core.matching.words import word_set

_SERIES = tuple(tuple(line.split()) for line in (
    "north south east west northern southern eastern western central nord sued ost",
    "left right links rechts", "up down upper lower oben unten top bottom", "from to before after pre post vor nach",
    "in out input output inbound outbound import export incoming outgoing", "on off online offline an aus",
    "open closed open close", "start end begin finish first last anfang ende", "old new alt neu legacy modern",
    "frontend backend client server front back", "internal external intern extern", "public private",
    "senior junior sr jr elder younger", "mother father mom dad mum mutter vater", "brother sister bruder schwester",
    "son daughter sohn tochter", "wife husband", "male female man woman men women", "king queen", "boy girl",
    "buy sell sale purchase kauf verkauf", "read write reading writing", "upload download", "encode decode encoder decoder",
    "encrypt decrypt encryption decryption", "compile decompile", "authentication authorization authorisation",
    "deductive inductive deduction induction", "qualitative quantitative", "precision recall", "supervised unsupervised",
    "affect effect", "accept except", "principal principle", "push pull", "parent child", "win loss", "profit loss",
    "monday tuesday wednesday thursday friday saturday sunday",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag", "spring summer autumn fall winter",
    "fruehling sommer herbst winter", "morning noon afternoon evening night", "morgen mittag abend nacht",
    "january february march april may june july august september october november december",
    "januar februar maerz april mai juni juli august september oktober november dezember",
    "daily weekly monthly quarterly yearly annual", "day week month quarter year", "small medium large", "light dark",
    "red blue green yellow black white", "alpha beta gamma delta epsilon", "dev staging production prod test",
    "question answer questions answers", "pros cons", "planned actual", "draft final", "theory practice",
    "mini maxi pro lite", "mac windows linux android ios", "html css", "get set put post delete", "add remove",
))  # fmt: skip
_SERIES_OF: dict[str, frozenset[int]] = {}
for _number, _words in enumerate(_SERIES):
    for _word in _words:
        _SERIES_OF[_word] = _SERIES_OF.get(_word, frozenset()) | {_number}
_OPPOSED_PREFIXES = (
    ("", "un"), ("", "non"), ("", "anti"), ("", "dis"), ("", "in"), ("", "im"), ("", "ir"), ("", "il"), ("", "mis"), ("", "de"), ("", "re"),
    ("", "sub"), ("", "meta"), ("", "pre"), ("", "post"), ("", "co"), ("", "counter"), ("hyper", "hypo"), ("micro", "macro"),
    ("pre", "post"), ("over", "under"), ("inter", "intra"), ("sub", "super"), ("in", "ex"), ("in", "out"), ("up", "down"), ("endo", "exo"),
    ("mono", "poly"), ("mono", "multi"), ("homo", "hetero"), ("de", "re"), ("im", "ex"), ("maxi", "mini"), ("pro", "anti"),
)  # fmt: skip
STEM_CHARS_MIN = 4
_LEARNED_ENDINGS = ("al", "ic", "ous", "metry", "ist", "ism", "ly")  # what the Greek `a-` is put before: a slip of the pen is put anywhere
GENERATIONS = word_set("senior junior sr jr elder younger")
ASPECTS = word_set("""
    review reviews notes note summary meeting meetings call draft drafts template log logs talk slides interview reading index issues
    todo tasks roadmap retro retrospective minutes agenda comparison comparisons vs versus list lists overview guide tutorial example
    examples history plan plans idea ideas faq archive backup copy test tests demo design docs documentation api spec workflow setup
    quotes excerpt excerpts chapter appendix supplement family team group fanclub lecture homework exercise exercises recipe
    protokoll notizen besprechung zusammenfassung entwurf vorlage kopie liste
""")
"""A name that has one of these more than the other is about the thing: a meeting, a draft, a list of it."""


def contrasted(left: Iterable[str], right: Iterable[str]) -> tuple[str, str] | None:
    """Returns the first two words, one of each side, of which no thing is both; the words matched already left out."""
    theirs = sorted({word for word in right if word in _SERIES_OF})
    for one in sorted({word for word in left if word in _SERIES_OF}):
        for other in theirs:
            if one != other and _SERIES_OF[one] & _SERIES_OF[other]:
                return one, other
    return None


def is_antonym(left: str, right: str) -> bool:
    """Tells whether two words are one stem with opposed prefixes: `typical` and `atypical`, `hyper…` and `hypo…`."""
    if left[-STEM_CHARS_MIN:] != right[-STEM_CHARS_MIN:]:
        return False
    for one, other in (left, right), (right, left):
        if other == "a" + one and one.endswith(_LEARNED_ENDINGS):
            return True
        for first, second in _OPPOSED_PREFIXES:
            stem = one.removeprefix(first)
            if one.startswith(first) and len(stem) >= STEM_CHARS_MIN and other == second + stem:
                return True
    return False


def is_plural(left: str, right: str) -> bool:
    """Tells whether two words differ only by the ending of a plural."""
    short, long = sorted((left, right), key=len)
    return long in (short + "s", short + "es", short + "en", short + "n", short + "e") or (short[-1:] == "y" and long == short[:-1] + "ies")
