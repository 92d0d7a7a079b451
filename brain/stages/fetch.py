"""Fetching one page, guarded: off until the settings say otherwise, public addresses only, small and soon.

The address that was checked is the one that is dialled, so a name that changes its mind between the two
cannot lead inside; every redirect is checked as the first address was. Proxies of the environment are not
used: they would look the name up themselves.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin

from brain.config import Config
from brain.errors import BrainError, UsageError
from brain.stages.address import Lookup, checked_url, public_addresses
from brain.stages.page import text_of_html

CHUNK_BYTES = 65_536
_CHARSET = re.compile(r"charset=[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset=[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_TEXTUAL = ("application/xhtml+xml", "application/xml", "application/json")
_AGENT = "brain (personal notes; one page at a person's request)"


@dataclass(frozen=True, slots=True)
class Page:
    """A page as text. `url` is where the redirects ended."""

    url: str
    title: str | None
    text: str


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    location: str | None
    content_type: str
    data: bytes


def fetch(url: str, config: Config, *, allowed: frozenset[str] = frozenset(), lookup: Lookup | None = None) -> Page:
    """Returns the words of one page.

    `allowed` are addresses beside the public ones and `lookup` another way to find them: for tests, never a setting.
    Raises: UsageError when fetching is off, the address is refused, or the page is no text; BrainError when the
    host does not answer, or says too much or too late.
    """
    if not config.web.fetch:
        raise UsageError("Fetching pages is off in this vault.", "write fetch = true under [web] in brain.toml, or add the page with --file")
    deadline = time.monotonic() + config.limits.fetch_timeout_s
    at = url
    for _ in range(config.limits.fetch_redirects_max + 1):
        parts = checked_url(at)
        reply = _asked(at, parts, config, deadline, public_addresses(at, parts.hostname or "", _port(parts), lookup=lookup, allowed=allowed))
        if reply.location is None:
            return _page(at, reply)
        at = urljoin(at, reply.location)
    raise BrainError(f"{url} redirects more than {config.limits.fetch_redirects_max} times.", "give the address where it ends")


def _asked(url: str, parts: SplitResult, config: Config, deadline: float, addresses: tuple[str, ...]) -> _Reply:
    """Sends one GET to the first address that answers."""
    failure: Exception | None = None
    for address in addresses:
        left = deadline - time.monotonic()
        if left <= 0:
            break
        connection = _connection(parts, address, left)
        try:
            connection.connect()
        except OSError as error:
            failure = error
            continue
        finally:
            if connection.sock is None:
                connection.close()
        guard = threading.Timer(left, _cut, [connection.sock])
        guard.start()
        try:
            return _exchange(url, parts, connection, config, deadline)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _silent(url, error) from error
        finally:
            guard.cancel()
            connection.close()
    raise _silent(url, failure or TimeoutError("it took too long"))


def _exchange(url: str, parts: SplitResult, connection: http.client.HTTPConnection, config: Config, deadline: float) -> _Reply:
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection.putrequest("GET", target, skip_host=True, skip_accept_encoding=True)
    connection.putheader("Host", parts.netloc)
    for name, value in (("User-Agent", _AGENT), ("Accept", "text/html, text/plain, text/markdown"), ("Accept-Encoding", "identity"), ("Connection", "close")):
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    location = response.getheader("Location") if response.status in (301, 302, 303, 307, 308) else None
    content_type = response.getheader("Content-Type") or ""
    if location is not None:
        return _Reply(response.status, location, content_type, b"")
    if response.status != 200:
        raise BrainError(f"{url} answered with {response.status} {response.reason}.", "open it in a browser and look")
    if not content_type.casefold().startswith(("text/", *_TEXTUAL)):
        raise UsageError(f"{url} is no text ({content_type or 'its type is not given'}).", "save the file and add its text with --file")
    if (response.getheader("Content-Encoding") or "identity").casefold() != "identity":
        raise UsageError(f"{url} is packed although plain text was asked for.", "save the page and add it with --file")
    return _Reply(200, None, content_type, _body(url, response, config, deadline))


def _body(url: str, response: http.client.HTTPResponse, config: Config, deadline: float) -> bytes:
    """Reads up to the byte limit; a connection that was cut short gives no half page."""
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(CHUNK_BYTES):
        size += len(piece)
        if size > config.limits.fetch_bytes_max:
            raise BrainError(f"{url} is larger than {config.limits.fetch_bytes_max} bytes (limits.fetch_bytes_max).", "raise the limit or save a part of it")
        pieces.append(piece)
    if time.monotonic() >= deadline or response.length:
        raise TimeoutError("the page did not come whole in time")
    return b"".join(pieces)


def _cut(sock: socket.socket) -> None:
    """Ends a connection at the time limit, whatever it is doing: a slow trickle of headers meets it too."""
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


class _Plain(http.client.HTTPConnection):
    """Dials a checked address instead of looking the host up again."""

    def __init__(self, host: str, port: int, address: str, timeout_s: float) -> None:
        super().__init__(host, port, timeout=timeout_s)
        self._address = address

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), self.timeout)


class _Secure(http.client.HTTPSConnection):
    """The same over TLS: the certificate is checked against the host's name."""

    def __init__(self, host: str, port: int, address: str, timeout_s: float) -> None:
        super().__init__(host, port, timeout=timeout_s)
        self._address = address
        self._tls = ssl.create_default_context()

    def connect(self) -> None:
        plain = socket.create_connection((self._address, self.port), self.timeout)
        try:
            self.sock = self._tls.wrap_socket(plain, server_hostname=self.host)
        except BaseException:
            plain.close()
            raise


def _connection(parts: SplitResult, address: str, left_s: float) -> _Plain | _Secure:
    kind = _Secure if parts.scheme == "https" else _Plain
    return kind(parts.hostname or "", _port(parts), address, left_s)


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _page(url: str, reply: _Reply) -> Page:
    text = _decoded(reply)
    if "html" not in reply.content_type.casefold():
        return Page(url, None, text)
    title, words = text_of_html(text)
    return Page(url, title, words)


def _decoded(reply: _Reply) -> str:
    named = _CHARSET.search(reply.content_type)
    meta = _META_CHARSET.search(reply.data[:4_096])
    name = named[1] if named else meta[1].decode("ascii", "replace") if meta else "utf-8"
    try:
        return reply.data.decode(name, "replace").replace("\x00", "")
    except (LookupError, ValueError):
        return reply.data.decode("utf-8", "replace").replace("\x00", "")


def _silent(url: str, error: Exception) -> BrainError:
    return BrainError(f"{url} could not be fetched: {error}.", "try again later, or save the page and add it with --file")
