"""Numbers and addresses in running text that single something out: serials, tickets, telephone numbers, web pages. Pure.

They stand in prose without a key, so that what they belong to is not said: they are evidence. Only a code that
the words before it call the thing's own (`serial`, `VAT`, `frame no.`) counts as its identifier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain.core.matching.days import day_of
from brain.core.matching.words import folded

TEXT_CHARS_MAX = 4_000
DIGITS_MIN, DIGITS_MIN_WITH_LETTERS = 6, 4
CUE_CHARS_MAX = 30
TAIL_DIGITS = 8
"""What two ways of writing one telephone number have in common: its end."""
_ANY = re.compile(r"\d\d|@|://|www\.")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://[^\s<>()\[\]\"]+|\b(?:www\.)[^\s<>()\[\]\"]+")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DATE = re.compile(r"(?<![\d.])(?:\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{2,4}|\d{1,2}/\d{1,2}/\d{2,4}|[12]\d{3} ?[-–/] ?[12]\d{3})(?!\d)")
_DICE = re.compile(r"(?<!\w)(?:\d+ \()?\d{1,3}d\d{1,3}(?!\w)")
"""What is thrown, `25 (4d8)`: an amount."""
_DAY = re.compile(r"(?<![\d.])(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\s?\d{1,2}[./]\s?\d{4}|\d{1,2}\.? [a-z]{3,9} \d{4})(?!\d)")
DAY_DIGITS = 8
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
"""How a day looks among the codes."""
_CODE = re.compile(r"(?<![\w@])(?:[a-z]{1,6}-?)?\+?\d[\da-z]*(?:[ ./()-]{1,2}[a-z]?\d[\da-z]*)*(?:-[a-z]{1,3})?(?!\w)")
_LONG_NUMBER = re.compile(r"[a-z]{0,3}(\d{8,})")
_SEPARATORS = re.compile(r"[^0-9a-z]")
_CUE = re.compile(
    r"(?:serial(?: ?(?:no|number))?|s/?n|seriennummer|vat(?:[ -]?id)?|ust-?id(?:-?nr)?|frame (?:no|number)|rahmennummer|inventory (?:no|number)|inventarnummer"
    r"|asset(?: tag)?|vin|imei|hrb|siret|siren|iban|registration (?:no|number)|model (?:no|number)|(?:licence|license) plate|kennzeichen"
    r"|num[eé]ro de s[eé]rie|matricola|signatur)(?:[ .:#-]*(?:de|at|fr|it|ch))?[ .:#-]*$"
)


def codes_in(text: str) -> dict[str, bool]:
    """Returns the codes of a text in one form, each with whether the text calls it the thing's own."""
    plain = folded(text[:TEXT_CHARS_MAX])
    if _ANY.search(plain) is None:
        return {}
    found = dict.fromkeys((*_addresses(plain), *_days(plain)), False)
    rest = _DATE.sub(" | ", _DICE.sub(" | ", _MAIL.sub(" | ", _ADDRESS.sub(" | ", plain))))
    for match in _CODE.finditer(rest):
        code = _SEPARATORS.sub("", match[0])
        digits = sum(c.isdigit() for c in code)
        if digits >= (DIGITS_MIN if code.isdigit() else DIGITS_MIN_WITH_LETTERS):
            long = _LONG_NUMBER.fullmatch(code)
            is_own = _CUE.search(rest[max(0, match.start() - CUE_CHARS_MAX) : match.start()]) is not None
            found[long[1][-TAIL_DIGITS:] if long else code] = is_own
    return found


def _days(plain: str) -> Iterator[str]:
    """Yields the days that a text names, whichever way they are written."""
    for match in _DAY.finditer(plain):
        day = day_of(match[0])
        if len(day) == DAY_DIGITS:
            yield f"{day[:4]}-{day[4:6]}-{day[6:]}"


def _addresses(plain: str) -> Iterator[str]:
    """Yields mail addresses, pages, and the hosts of both."""
    for mail in _MAIL.findall(plain) if "@" in plain else ():
        yield mail
        yield f"@{mail.rsplit('@', 1)[1]}"
    for address in _ADDRESS.findall(plain) if "://" in plain or "www." in plain else ():
        bare = re.sub(r"^[a-z][a-z0-9+.-]*://|^www\.", "", address).removeprefix("www.").split("#")[0].rstrip("/.,;:)").removesuffix(".git")
        host = bare.split("/")[0]
        yield from {bare, f"@{host}"}
