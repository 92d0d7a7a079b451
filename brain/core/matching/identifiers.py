"""Identifiers of things: which keys hold one, and one form for each value. Pure.

`OF_THINGS` and `OF_WORKS` are given to one thing only (but notes about a work quote the work's); `ADDRESSES`
can be shared by a household or a firm, and a thing may have several. Any other key that ends in a word such
as `id` or `number` names an identifier of its own kind, when its value looks like one.
"""

from __future__ import annotations

import re
from typing import Literal

from brain.core.matching.words import folded, word_set

Reach = Literal["thing", "work", "address"]
OF_THINGS = ("iban", "imei", "mac", "orcid", "serial", "ssn", "uuid", "vat", "vin")
OF_WORKS = ("arxiv", "asin", "doi", "isbn", "issn", "pmid", "wikidata")
ADDRESSES = ("email", "github", "gitlab", "ip", "mastodon", "phone", "repo", "twitter", "url")
BARE_ADDRESSES = frozenset({"repo", "url"})
"""Addresses that are kept without their scheme."""
MANY_OF_ONE = frozenset({*ADDRESSES, "isbn", "issn"})
"""Of these one thing may well have several, so that two different ones do not speak against it."""
_SYNONYMS = {
    "e_mail": "email", "mail": "email", "email_address": "email", "website": "url", "web": "url", "site": "url", "homepage": "url", "web_site": "url", "webseite": "url",
    "telephone": "phone", "tel": "phone", "mobile": "phone", "cell": "phone", "phone_number": "phone", "telefon": "phone", "handy": "phone",
    "repository": "repo", "isbn13": "isbn", "isbn10": "isbn", "isbn_13": "isbn", "isbn_10": "isbn", "guid": "uuid", "ip_address": "ip",
    "social_security_number": "ssn", "pubmed": "pmid", "wikidata_id": "wikidata", "serial_number": "serial", "serial_no": "serial", "s_n": "serial",
    "seriennummer": "serial", "mac_address": "mac", "vat_id": "vat", "vat_number": "vat", "ust_id": "vat", "ustid": "vat",
}  # fmt: skip
_LAST_WORDS = word_set("id no nr number code key")
_FIRST_WORDS_OF_OTHERS = word_set("parent group project folder category course team company order street house page chapter issue room zip postal")
"""Such an id or number is that of another thing, to which this one belongs."""
CHARS_MIN = 5
KEYS_IN_JSON: tuple[str, ...] = (
    *(f'"{key.replace("_", mark)}":' for key in sorted({*OF_THINGS, *OF_WORKS, *ADDRESSES, *_SYNONYMS}) for mark in ("_", " ", "-")[: 3 if "_" in key else 1]),
    *(f'{mark}{word}":' for word in sorted(_LAST_WORDS) for mark in ("_", " ", "-")), 'nummer":',
)  # fmt: skip
"""How the keys look in stored properties, in small letters: what a query can look for."""
_SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.-]*://)?(?:www\.)?")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://[^\s<>()\[\]\"]+")
_EMAIL = re.compile(r"[^@\s<>()\[\]:,;\"]+@[^@\s<>()\[\]:,;\"]+\.[^@\s<>()\[\].,;:\"]+")
_UNMISTAKABLE: dict[str, re.Pattern[str]] = {
    "email": _EMAIL,
    "doi": re.compile(r"\b10\.\d{4,9}/[^\s<>\"]*[^\s<>\".,;)\]]"),
    "isbn": re.compile(r"(?<=isbn)(?:-1[03])?[:\s]*(97[89][\d -]{10,14}|\d[\d -]{8,11}[\dx])"),
    "orcid": re.compile(r"\b\d{4}-\d{4}-\d{4}-\d{3}[\dx]\b"),
    "arxiv": re.compile(r"(?<=arxiv:)\s*\d{4}\.\d{4,5}"),
}


def identifier_kind(key: str) -> str | None:
    """Returns the kind of identifier that a key (in one form) holds, or None."""
    kind = _SYNONYMS.get(key, key)
    if kind in OF_THINGS or kind in OF_WORKS or kind in ADDRESSES:
        return kind
    words = key.split("_")
    is_numbered = (len(words) > 1 and words[-1] in _LAST_WORDS) or key.endswith("nummer")
    return key if is_numbered and words[0] not in _FIRST_WORDS_OF_OTHERS else None


def reach_of(kind: str) -> Reach:
    """Tells what such an identifier is given to."""
    return "address" if kind in ADDRESSES else "work" if kind in OF_WORKS else "thing"


def normal_identifier(kind: str, text: str) -> str:
    """Returns one form of an identifier, empty when the text is none."""
    plain = folded(text).strip()
    match kind:
        case "email":
            found = _EMAIL.search(plain)
            return found[0].removeprefix("mailto:") if found else plain if "@" in plain else ""
        case "phone":
            digits = re.sub(r"\D", "", re.sub(r"^\s*\+", "00", plain)).lstrip("0")
            return digits if len(digits) >= 7 else ""
        case "url" | "repo":
            return _bare_address(plain, dots_min=1)
        case "github" | "gitlab" | "mastodon" | "twitter":
            return re.sub(rf"^{kind}\.com/", "", _bare_address(plain, dots_min=0)).strip("@")
        case "isbn" | "issn" | "orcid":
            digits = re.sub(r"[^0-9x]", "", plain.rsplit("/", 1)[-1])
            return _isbn13(digits) if kind == "isbn" and len(digits) == 10 else digits if len(digits) >= 8 else ""
        case "doi":
            return _with_digits(re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", plain))
        case _:
            return _with_digits(re.sub(r"[\s-]", "", plain))


def unmistakable(text: str) -> dict[str, str]:
    """Returns the identifiers that running text shows by their form alone: of each kind the one, where there is just one."""
    plain = text.casefold()
    if "@" not in plain and not any(sign in plain for sign in ("10.", "isbn", "orcid", "arxiv")):
        return {}
    found: dict[str, str] = {}
    for kind, pattern in _UNMISTAKABLE.items():
        values = {value for match in pattern.finditer(plain) if (value := normal_identifier(kind, match[0]))}
        if len(values) == 1:
            found[kind] = values.pop()
    return found


def _bare_address(plain: str, *, dots_min: int) -> str:
    """Returns an address without scheme, anchor and ending; of a text with an address in it, that address."""
    found = _ADDRESS.search(plain)
    bare = _SCHEME.sub("", found[0] if found else plain).split("#")[0].rstrip("/").removesuffix(".git")
    return bare if bare.count(".") >= dots_min and " " not in bare else ""


def _with_digits(bare: str) -> str:
    return bare if len(bare) >= CHARS_MIN and any(c.isdigit() for c in bare) else ""


def _isbn13(ten: str) -> str:
    """Returns the long form of a short ISBN. Source: ISO 2108, the check digit of the long form."""
    body = f"978{ten[:9]}"
    if not body.isdigit():
        return ""
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(body))
    return f"{body}{-total % 10}"
