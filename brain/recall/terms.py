"""What a person typed → the terms to look for. Pure; total: any text gives terms, none is an error.

Words, quoted phrases (which must stand in a hit), compounds such as `ADR-016` (looked for as a phrase),
symbol words such as `C++`, pictographs, and pairs of characters in scripts without blanks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from brain.index.tokens import (
    PICTOGRAPH,
    UNSPACED_RUN,
    WORD,
    WORD_CHARS_MAX,
    encode_symbols,
    normal_form,
    run_terms,
    symbol_words,
)

QUERY_CHARS_MAX = 10_000

_STOP_WORDS = """
a about above after again all also am an and any are as at be because been before being below between both but by can
could did do does doing down during each few for from further had has have having he her here hers him his how i if in
into is it its just me more most my no nor not now of off on once only or other our ours out over own same she should so
some such than that the their theirs them then there these they this those through to too under until up us very was we
were what when where which while who whom whose why will with would you your yours don't doesn't didn't isn't aren't
wasn't weren't can't won't it's i'm i've let's that's what's who's there's
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

_PIECE = re.compile(r'"([^"]*)"|([^\s"]+)')
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "\0": " "})


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for.

    `words` stand one after another; more than one is a phrase. `literal` is set for what the tokenizer does
    not know as a word (a symbol word, a pictograph, a pair of characters): it is looked for as it stands,
    and `words` are its encoded form. `is_start` means that a longer word beginning so counts too.
    `instead` is what to look for when no note has the term.
    """

    shown: str
    words: tuple[str, ...]
    literal: str | None = None
    is_required: bool = False
    is_start: bool = False
    instead: tuple[Term, ...] = ()

    @property
    def expression(self) -> str:
        """Returns the term as an FTS5 expression. Its words hold no quote, so it is always well formed."""
        phrase = f'"{" ".join(self.words)}"' + (" *" if self.is_start else "")
        return f"encoded : {phrase}" if self.literal is not None else phrase


@dataclass(frozen=True, slots=True)
class Parsed:
    """The terms of a query in the order typed, and how many were left out by the limit."""

    terms: tuple[Term, ...]
    left_out: int


def parse_query(text: str, *, terms_max: int) -> Parsed:
    """Reads a query. Stop words are dropped unless nothing else is there."""
    typed = normal_form(text[:QUERY_CHARS_MAX].translate(_QUOTES)).lower()
    terms: list[Term] = []
    for piece in _PIECE.finditer(typed):
        terms.extend(_phrase_terms(piece[1]) if piece[1] is not None else _piece_terms(piece[2]))
    distinct = list(dict.fromkeys(terms))
    telling = [term for term in distinct if not _is_stop_word(term)] or distinct
    return Parsed(tuple(telling[:terms_max]), max(0, len(telling) - terms_max))


def _is_stop_word(term: Term) -> bool:
    return not term.is_required and term.literal is None and term.shown in STOP_WORDS


def _phrase_terms(quoted: str) -> list[Term]:
    """A quoted phrase: its ordinary words in order, and each run without blanks in order."""
    terms = [Term(run, run_terms(run)[: max(1, len(run) - 1)], run, True, len(run) == 1) for run in UNSPACED_RUN.findall(quoted)]
    symbols = symbol_words(quoted)
    terms.extend(_literal_term(sign, is_required=True) for sign in (*symbols, *PICTOGRAPH.findall(quoted)))
    words = _plain_words(quoted)
    if words and not (len(words) == 1 and symbols):
        terms.append(Term(quoted.strip(), words, is_required=True))
    return terms


def _piece_terms(piece: str) -> list[Term]:
    """What stands between two blanks."""
    terms = [_pair_term(pair, is_start=len(run) == 1) for run in UNSPACED_RUN.findall(piece) for pair in _pairs(run)]
    terms.extend(_literal_term(sign) for sign in PICTOGRAPH.findall(piece))
    words = _plain_words(piece)
    singles = tuple(Term(word, (word,)) for word in words)
    symbol = next(iter(symbol_words(piece)), None)
    if symbol:
        # `C` for want of `C++` would find every letter c.
        terms.append(_literal_term(symbol, instead=tuple(term for term in singles if len(term.shown) > 1)))
        singles = tuple(term for term in singles if term.shown not in symbol)
    if len(singles) > 1 and symbol is None:
        terms.append(Term(piece.strip(".,;:!?()[]{}<>*'`"), words, instead=singles))
    else:
        terms.extend(singles)
    return terms


def _pairs(run: str) -> tuple[str, ...]:
    return run_terms(run)[:-1] or (run,)


def _pair_term(pair: str, *, is_start: bool) -> Term:
    return Term(pair, (pair,), pair, is_start=is_start)


def _literal_term(sign: str, *, is_required: bool = False, instead: tuple[Term, ...] = ()) -> Term:
    return Term(sign, (encode_symbols(sign),), sign, is_required=is_required, instead=instead)


def _plain_words(text: str) -> tuple[str, ...]:
    return tuple(word for word in WORD.findall(UNSPACED_RUN.sub(" ", text)) if len(word) <= WORD_CHARS_MAX)
