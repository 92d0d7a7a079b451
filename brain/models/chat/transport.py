"""The HTTP transport under the chat client: to one host, with our headers only, and answers of bounded size.

The client library takes headers and keys out of the environment (`OPENAI_ORG_ID`, `OPENAI_CUSTOM_HEADERS`,
openai 3.57, 2026-11), follows redirects and reads answers of any size. Here is where none of that passes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from brain.core.asking import FailureKind
from brain.models.chat.endpoint import Place

_HEADERS = frozenset({"host", "accept", "connection", "content-length", "content-type", "transfer-encoding", "user-agent"})


class Guarded(httpx2.AsyncBaseTransport):
    """Sends to the place only. `trouble` says why an answer was not taken; after that nothing more is sent."""

    def __init__(self, place: Place, *, answer_bytes_max: int) -> None:
        self._place = place
        self._limit = answer_bytes_max
        self._inner = httpx2.AsyncHTTPTransport(retries=0, proxy=proxy_for(place))
        self.trouble: tuple[FailureKind, str] | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Sends one request with our headers, and hands on its answer. Raises: httpx2.HTTPError."""
        if str(request.url).removesuffix("/chat/completions") != self._place.address:
            raise httpx2.UnsupportedProtocol("a request to another address", request=request)
        if self.trouble is not None:
            raise httpx2.ReadError(self.trouble[1], request=request)
        headers = [(name, value) for name, value in request.headers.items() if name.lower() in _HEADERS]
        headers.append(("accept-encoding", "identity"))  # what is packed is small until it is unpacked
        if self._place.api_key:
            headers.append(("authorization", f"Bearer {self._place.api_key}"))
        response = await self._inner.handle_async_request(
            httpx2.Request(request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions)
        )
        if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            await response.aclose()
            self.refuse("malformed", "sent a packed answer, which was not asked for")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        return httpx2.Response(
            response.status_code, headers=response.headers, stream=_Counted(response.stream, self), extensions=response.extensions
        )

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._inner.aclose()

    def check(self, size: int) -> None:
        """Raises: httpx2.ReadError when an answer grew too long."""
        if size > self._limit:
            self.refuse("too_long", "sent an answer that is too long")

    def refuse(self, kind: FailureKind, what: str) -> None:
        """Raises: httpx2.ReadError, and remembers why."""
        self.trouble = (kind, what)
        raise httpx2.ReadError(what)


def proxy_for(place: Place) -> str | None:
    """Returns the proxy that the environment names for a place; what stays on this machine is shown to none."""
    parts = urlsplit(place.address)
    if place.is_local or proxy_bypass(parts.hostname or ""):
        return None
    return getproxies().get(parts.scheme) or getproxies().get("all")


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, guard: Guarded) -> None:
        self._inner = inner
        self._guard = guard

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._inner:
            size += len(piece)
            self._guard.check(size)
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
