"""Which network addresses a page may be fetched from: public ones only. Pure but for the name look-up it is given.

Private, loopback, link-local, carrier-grade NAT, multicast, reserved and unspecified addresses are refused, in
IPv4 and IPv6 and where the one hides in the other (mapped, 6to4, NAT64, Teredo). One bad address of a host
refuses the host: which of them is dialled would be a matter of luck.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

from brain.errors import UsageError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Lookup = Callable[[str, int], list[str]]

URL_CHARS_MAX = 2_048
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_NAT64_LOCAL = ipaddress.IPv6Network("64:ff9b:1::/48")
_COMPATIBLE = ipaddress.IPv6Network("::/96")
_CONTROL = re.compile(r"[\x00-\x20\x7f\\]")
_NUMERIC = re.compile(r"(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+))*\.?", re.IGNORECASE)


def checked_url(url: str) -> SplitResult:
    """Returns the parts of a URL that may be fetched at all.

    Raises: UsageError for another scheme, a user name in it, control characters or no host.
    """
    if len(url) > URL_CHARS_MAX or _CONTROL.search(url):
        raise _refused(url, "it is too long or holds characters that no address has")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _refused(url, "it is no address") from error
    if parts.scheme not in ("http", "https"):
        raise _refused(url, "only http and https are fetched")
    if parts.username is not None or parts.password is not None:
        raise _refused(url, "it holds a user name or password")
    if not parts.hostname or "%" in parts.hostname or port == 0:
        raise _refused(url, "it names no host")
    return parts


def public_addresses(
    url: str, host: str, port: int, *, lookup: Lookup | None = None, allowed: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Returns the addresses of a host, all of them public or in `allowed` (for tests on loopback).

    Raises: UsageError when the host is unknown or any of its addresses is not public.
    """
    if _NUMERIC.fullmatch(host) and not _is_dotted(host):
        raise _refused(url, f"{host} is a disguised address")
    found = (lookup or _looked_up)(host, port)
    if not found:
        raise _refused(url, f"{host} is not known")
    for text in found:
        if text not in allowed and not is_public(text):
            raise _refused(url, f"{host} leads to {text}, which is not a public address")
    return tuple(found)


def is_public(text: str) -> bool:
    """Tells whether an address is one of the public internet."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return _is_public(address)


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        inner = _inner(address)
        if inner:
            return all(_is_public(one) for one in inner)
        if address in _NAT64_LOCAL or address in _COMPATIBLE or address.is_site_local:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified or address.is_loopback)


def _inner(address: ipaddress.IPv6Address) -> list[Address]:
    """Returns the IPv4 addresses that an IPv6 address carries traffic to."""
    found: list[Address] = [one for one in (address.ipv4_mapped, address.sixtofour) if one is not None]
    if address.teredo is not None:
        found += address.teredo
    if address in _NAT64:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return found


def _is_dotted(host: str) -> bool:
    try:
        ipaddress.IPv4Address(host)
    except ValueError:
        return False
    return True


def _looked_up(host: str, port: int) -> list[str]:
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(info[4][0]) for info in infos))


def _refused(url: str, why: str) -> UsageError:
    shown = url if len(url) <= 200 else url[:199] + "…"
    return UsageError(f"{shown!r} was not fetched: {why}.", "save the page yourself and add it with brain add --file FILE")
