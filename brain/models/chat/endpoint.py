"""An OpenAI-compatible chat endpoint as `Chat`: which address, which model, which key. Imports no client yet.

The settings hand over the key that may go to this endpoint (ADR 0012, ADR 0016). It goes over TLS or to
this machine, never along a redirect, and into no message, repr or log.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from urllib.parse import urlsplit

from brain.core.asking import Failure, Reply, Request
from brain.errors import UsageError
from brain.judging import Judge
from brain.providers import Provider, is_loopback, provider_named

_CURE = 'write endpoint = "https://host/v1" under [judge] in brain.toml, or BRAIN_JUDGE_ENDPOINT'
_PRINTABLE = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class Place:
    """A checked endpoint: everything a client needs to know, and nothing it should look for itself."""

    provider: Provider
    address: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    retries_max: int = 1

    @property
    def host(self) -> str:
        """Host and port, as messages name the endpoint."""
        return urlsplit(self.address).netloc

    @property
    def is_local(self) -> bool:
        """Whether what is sent there stays on this machine."""
        return is_loopback(self.address)


class EndpointChat:
    """Asks one endpoint through pydantic-ai, which is imported at the first request."""

    def __init__(self, settings: Judge) -> None:
        """Checks the settings; sends nothing. Raises: UsageError naming the setting that is missing or unsafe."""
        if find_spec("pydantic_ai") is None or find_spec("openai") is None:
            raise UsageError("A chat endpoint needs packages that are not installed.", 'pip install "brain-vault[models]"')
        self._place = place_of(settings)
        self.model = f"{self._place.provider.name}:{self._place.model}"

    def __repr__(self) -> str:
        """Returns the model and the place, never the key."""
        return f"EndpointChat({self.model} at {self._place.host})"

    def ask(self, request: Request) -> Reply | Failure:
        """Asks the endpoint, and once more when its answer does not have the shape that was asked for."""
        from brain.models.chat.served import ask_served

        return ask_served(self._place, request)


def place_of(settings: Judge) -> Place:
    """Returns the endpoint that the settings name. Raises: UsageError."""
    provider = provider_named(settings.backend)
    if provider is None:
        raise UsageError(f"`{settings.backend}` is no chat endpoint.", _CURE)
    address = _checked_address(settings.address or "")
    model = settings.model or provider.model
    if not model or not model.strip() or not model.isprintable():
        raise UsageError(f"Which model of {provider.name} judges is not said.", 'set model = "…" under [judge] in brain.toml, or BRAIN_JUDGE_MODEL')
    key = (settings.api_key or "").strip()
    if key and not _PRINTABLE.fullmatch(key):
        raise UsageError("The key of the language model holds characters that no key has.", "set BRAIN_JUDGE_API_KEY anew")
    if urlsplit(address).scheme == "http" and not is_loopback(address):
        raise UsageError("The language model's endpoint is not encrypted, so no note is sent to it.", "use an https:// endpoint")
    return Place(provider, address, model.strip(), key or None, settings.retries_max)


def _checked_address(endpoint: str) -> str:
    try:
        parts = urlsplit(endpoint.strip())
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable or not endpoint.isascii() or not endpoint.isprintable():
        raise UsageError("The language model's endpoint is not an http or https address.", _CURE)
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UsageError("The language model's endpoint must be a bare address, without a user, key, query or fragment.", _CURE)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = f":{parts.port}" if parts.port and parts.port != {"http": 80, "https": 443}[parts.scheme] else ""
    path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
    return f"{parts.scheme}://{host}{port}{path}"
