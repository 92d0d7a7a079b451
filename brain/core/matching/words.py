"""Words of names and texts in the form in which notes are compared. Pure.

One spelling for what is written in several: case, accents, umlauts, roman and spelled numbers. Digits are
kept apart from letters, since a number that differs says more than any word that agrees.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "oe", "å": "aa"})
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
_PIECE = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*(?:\+\+|#(?!\w))?")
_WORD = re.compile(r"[^\W_]+")
_INITIALS = re.compile(r"(?<![^\W_])(?:[^\W_]\.){2,}(?:[^\W_](?![^\W_]))?")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff]+")
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "x": "10", "xi": "11", "xii": "12"}
_SPELLED = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
    "first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "erster": "1", "erste": "1", "zweiter": "2", "zweite": "2",
    "dritter": "3", "dritte": "3", "vierter": "4", "vierte": "4", "premier": "1", "premiere": "1", "deuxieme": "2", "troisieme": "3",
}  # fmt: skip


def word_set(text: str) -> frozenset[str]:
    """Returns the words of a text: how lists of words are written down."""
    return frozenset(text.split())


_HE = word_set("mr herr monsieur m signor sig senor uncle onkel oncle zio opa grossvater grandpa grandfather papa vater lord sir king duke")
_SHE = word_set("mrs ms miss frau fr madame mme mlle signora senora aunt tante zia oma grossmutter grandma grandmother mama mutter lady queen duchess")
_ANYONE = word_set("dr doctor doktor prof professor captain capt sergeant sgt pater father sister brother")
TITLES: dict[str, str] = {**dict.fromkeys(_HE, "he"), **dict.fromkeys(_SHE, "she"), **dict.fromkeys(_ANYONE, "")}
"""What people are called beside their name, and whom it is said of."""
FILLERS = word_set("""
    a an and at by for in of on or the to with der die das dem den des und von vom zu zum zur im am ein eine de la le les du et
    geb geborene nee inc ltd llc gmbh ag corp corporation co company plc kg ev bv sa srl
    app project software library framework tool db database
""")
_NUMBERED = word_set("type typ part teil phase stage level stufe war volume vol band class grade chapter kapitel act akt book buch")
"""After these a single letter is a roman number, wherever it stands."""


@dataclass(frozen=True, slots=True)
class Name:
    """One name of a note. `words` are in the order of the name, `numbers` sorted; `qualifier` is what stands in brackets."""

    text: str
    words: tuple[str, ...]
    numbers: tuple[str, ...]
    qualifier: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    plain: str = ""
    """The whole name, folded."""

    @property
    def key(self) -> str:
        """The form in which two spellings of one name are equal, whatever the order of their words."""
        return " ".join((*sorted(self.words), *self.numbers))


def folded(text: str) -> str:
    """Returns a text without case, accents and compatibility forms; umlauts become two letters."""
    text = text.casefold()
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text).translate(_UMLAUTS)
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text)))


def name_of(text: str) -> Name:
    """Reads a name: words that carry it, its numbers, and its qualifier; `Last, First` is turned round."""
    plain = folded(text)
    bare = re.sub(r"[(\[（【].*?[)\]）】]", " ", plain)
    qualifier = "" if bare == plain else " ".join(re.findall(r"[(\[（【](.*?)[)\]）】]", plain))
    if not any(c.isalnum() for c in bare):
        bare, qualifier = plain, ""
    words, numbers = _pieces(bare)
    titles = tuple(word for word in words if word in TITLES)
    named = tuple(word for word in words if word not in TITLES)
    return Name(text, named or words, numbers, tuple(sorted(tokens(qualifier))), titles if named else (), plain.strip())


def tokens(text: str) -> list[str]:
    """Returns the words of a text in order, in the form in which they are compared; runs without blanks as pairs."""
    plain = text.casefold()
    if plain.isascii():
        return _WORD.findall(plain)
    found: list[str] = []
    for word in _WORD.findall(unicodedata.normalize("NFC", plain)):
        if word.isascii():
            found.append(word)
        else:  # word by word: most texts with one dash or accent are plain otherwise
            found += _split_unspaced(folded(word))
    return found


def _split_unspaced(word: str) -> list[str]:
    if not _UNSPACED.search(word):
        return [word]
    found = []
    for run in _UNSPACED.findall(word):
        found += [run[at : at + 2] for at in range(len(run) - 1)] or [run]
    return found + [rest for rest in _UNSPACED.split(word) if rest]


def _pieces(plain: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Splits a folded name into words and numbers; a roman or spelled number counts when a word stands before it."""
    plain = _INITIALS.sub(lambda match: match[0].replace(".", "") + " ", plain)
    words: list[str] = []
    numbers: list[str] = []
    pieces = _PIECE.findall(plain)
    for place, piece in enumerate(pieces):
        is_last = place == len(pieces) - 1
        if piece[0].isdigit():
            numbers += [part.lstrip("0") or "0" for part in re.split(r"[,:/-]", piece)]
        elif (len(pieces) > 1 and (number := _SPELLED.get(piece))) or (words and (is_last or len(piece) > 1 or words[-1] in _NUMBERED) and (number := _ROMAN.get(piece))):
            numbers.append(number)
        else:
            words.append(piece.replace("'", "").replace("’", ""))
    kept = [word for word in words if word not in FILLERS]  # what a name consists of is kept when nothing else is left
    return tuple(kept or words), tuple(sorted(numbers))
