"""An OpenAI-compatible `/embeddings` endpoint, reached with the standard library.

There is no endpoint by default and no key is looked for: the settings hand over the one that may go to
this endpoint (ADR 0012). It goes over TLS or to this machine, never along a redirect, and into no message,
repr or log.
"""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPException
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from brain.config import Embed
from brain.errors import BrainError, UsageError
from brain.models.minilm import clean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LOCAL_MODEL = "all-minilm"  # what a local Ollama calls it
LOCAL_DIMS = 384
TEXTS_PER_REQUEST_MAX = 64
CHARS_PER_REQUEST_MAX = 96_000
ANSWER_BYTES_MAX = 64_000_000
ERROR_CHARS_MAX = 300
RETRY_WAITS_S = (0.5, 2.0)
_BUSY = frozenset({429, 502, 503, 504})
_NOT_ALLOWED = frozenset({401, 403})
_KEY_CURE = "set BRAIN_EMBED_KEY_HOST={} beside BRAIN_EMBED_API_KEY if that place may have it"
_SECRET = re.compile(r"(?i)(bearer\s+|\b(?:sk|pk|key|api[_-]?key)[-_=:\"\s]+)[A-Za-z0-9._~+/\-]{6,}=*")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


class EndpointEmbedder:
    """Asks one endpoint for vectors, checks what comes back and brings it to unit length."""

    def __init__(self, settings: Embed, *, sleep: Callable[[float], None] = time.sleep) -> None:
        """Checks the settings; sends nothing. Raises: UsageError naming the setting that is missing or unsafe."""
        parts = _checked_address(settings.endpoint or "")
        is_local = _is_loopback(parts.hostname or "")
        self._api_key = _checked_key(settings.api_key)
        if self._api_key and parts.scheme == "http" and not is_local:
            raise UsageError(
                "[embed] endpoint is not encrypted, so the api key is not sent to it.", "use an https:// endpoint"
            )
        self._name, self.dims = _named_model(settings, parts.netloc, is_local=is_local)
        self._url = _embeddings_url(parts)
        self._place = parts.netloc
        self._timeout_s = settings.timeout_s
        self._sleep = sleep
        # Environment proxies would see what is meant to stay on this machine.
        proxies = urllib.request.ProxyHandler({}) if is_local else urllib.request.ProxyHandler()
        self._opener = urllib.request.build_opener(proxies, _NoRedirect)

    def __repr__(self) -> str:
        """Returns the model and the place, never the key."""
        return f"EndpointEmbedder({self.model})"

    @property
    def model(self) -> str:
        """Name of the vector space: model, dims and place, because two servers may run one model differently."""
        return f"{self._name}/{self.dims}@{self._place}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns float32[len(texts), dims], rows of unit length, in the order given.

        Sends at most 64 texts and 96,000 characters a request. Raises: BrainError when the endpoint
        cannot be reached, refuses, or answers with another shape.
        """
        import numpy as np

        rows = [self._rows(batch) for batch in _batches([clean(text) for text in texts])]
        return np.concatenate(rows) if rows else np.empty((0, self.dims), np.float32)

    def _rows(self, batch: list[str]) -> NDArray[np.float32]:
        import numpy as np

        vectors = _in_order(self._answer(batch), len(batch))
        if vectors is None or not all(_is_vector(vector) for vector in vectors):
            raise self._unusable("its answer does not hold one vector for each text")
        lengths = sorted({len(vector) for vector in vectors})
        if lengths != [self.dims]:
            raise self._unusable(f"it sent vectors of {lengths[0]} dims and the settings say {self.dims}")
        rows = np.asarray(vectors, dtype=np.float64)
        with np.errstate(over="ignore"):
            norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not (np.isfinite(norms).all() and (norms > 0).all()):
            raise self._unusable("it sent a vector that is zero or not a number")
        unit: NDArray[np.float32] = (rows / norms).astype(np.float32)
        return unit

    def _answer(self, batch: list[str]) -> Any:
        body = {"model": self._name, "input": [text or " " for text in batch], "encoding_format": "float"}
        for wait_s in (*RETRY_WAITS_S, None):
            answered = self._post(json.dumps(body).encode("utf-8"), may_retry=wait_s is not None)
            if answered is not None:
                break
            self._sleep(wait_s or 0.0)
        try:
            return json.loads(answered or b"")
        except (ValueError, RecursionError):
            raise self._unusable("its answer is not JSON") from None

    def _post(self, body: bytes, *, may_retry: bool) -> bytes | None:
        """Returns the answer, None when the endpoint was busy and may be asked again.

        Errors are raised `from None`: a chained one could show the request and with it the key.
        """
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        request = urllib.request.Request(self._url, data=body, headers=headers, method="POST")
        deadline = time.monotonic() + self._timeout_s
        try:
            with self._opener.open(request, timeout=self._timeout_s) as answer:
                return self._read(answer, deadline)
        except urllib.error.HTTPError as error:
            with error:
                if error.code in _BUSY and may_retry:
                    return None
                raise self._refused(error) from None
        except (OSError, HTTPException) as error:
            reason = self._shown(str(getattr(error, "reason", error)) or type(error).__name__)
            raise BrainError(
                f"The embedding endpoint at {self._place} could not be reached ({reason}).",
                "check that it runs and [embed] endpoint in brain.toml; notes stay searchable by words",
            ) from None

    def _read(self, answer: Any, deadline: float) -> bytes:
        parts: list[bytes] = []
        size = 0
        while part := answer.read1(1 << 16):
            parts.append(part)
            size += len(part)
            if size > ANSWER_BYTES_MAX:
                raise self._unusable(f"its answer is larger than {ANSWER_BYTES_MAX} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError("timed out")
        return b"".join(parts)

    def _refused(self, error: urllib.error.HTTPError) -> BrainError:
        if 300 <= error.code < 400:
            return self._unusable(f"it redirects (HTTP {error.code}), and redirects are not followed")
        try:
            said = self._shown(error.read(4 * ERROR_CHARS_MAX).decode("utf-8", "replace"))
        except (OSError, HTTPException):
            said = "no reason given"
        if error.code in _NOT_ALLOWED and not self._api_key:
            return self._unusable(f"HTTP {error.code}: {said} (no key was sent)", _KEY_CURE.format(self._place))
        return self._unusable(f"HTTP {error.code}: {said}")

    def _unusable(self, why: str, cure: str = "check model, dims, endpoint and api_key under [embed] in brain.toml") -> BrainError:
        return BrainError(f"The embedding endpoint at {self._place} gave no usable answer: {why}.", cure)

    def _shown(self, text: str) -> str:
        """Returns what a stranger said, redacted first and then cut, so that no half of a key is left."""
        if self._api_key:
            text = text.replace(self._api_key, "[redacted]")
        text = _UNPRINTABLE.sub(" ", _SECRET.sub(r"\1[redacted]", text)).strip()
        return text if len(text) <= ERROR_CHARS_MAX else text[:ERROR_CHARS_MAX] + "…"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows nothing: a redirect would carry the texts and the key to a place nobody named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _checked_address(endpoint: str) -> urllib.parse.SplitResult:
    cure = 'write endpoint = "https://host/v1" under [embed] in brain.toml'
    try:
        parts = urllib.parse.urlsplit(endpoint.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or _UNPRINTABLE.search(endpoint) or not endpoint.isascii():
        raise UsageError("[embed] endpoint is not an http or https address.", cure)
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UsageError("[embed] endpoint must be a bare address, without a user, key, query or fragment.", cure)
    return parts


def _checked_key(api_key: str | None) -> str | None:
    key = (api_key or "").strip()
    if key and not re.fullmatch(r"[\x21-\x7e]+", key):
        raise UsageError("[embed] api_key holds characters that no key has.", "set BRAIN_EMBED_API_KEY anew")
    return key or None


def _named_model(settings: Embed, place: str, *, is_local: bool) -> tuple[str, int]:
    """Returns model and dims. Only an endpoint on this machine has a default: Ollama's all-minilm."""
    is_default = settings.model == Embed().model
    if is_local and is_default:
        return LOCAL_MODEL, settings.dims or LOCAL_DIMS
    if is_default or not settings.model or not settings.dims:
        raise UsageError(
            f"The embedding endpoint at {place} needs its model and dims named.",
            'set model = "…" and dims = N under [embed] in brain.toml',
        )
    return settings.model, settings.dims


def _embeddings_url(parts: urllib.parse.SplitResult) -> str:
    path = parts.path.rstrip("/") or "/v1"
    path = path if path.endswith("/embeddings") else f"{path}/embeddings"
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    chars = 0
    for text in texts:
        piece = text[:CHARS_PER_REQUEST_MAX]
        if batch and (len(batch) == TEXTS_PER_REQUEST_MAX or chars + len(piece) > CHARS_PER_REQUEST_MAX):
            yield batch
            batch, chars = [], 0
        batch.append(piece)
        chars += len(piece)
    if batch:
        yield batch


def _in_order(answer: Any, count: int) -> list[Any] | None:
    """Returns the vectors in the order of the texts, by the `index` of each; None when some do not fit."""
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return None
    by_index = {item["index"]: item.get("embedding") for item in items if type(item.get("index")) is int}
    if len(items) != count or sorted(by_index) != list(range(count)):
        return None
    return [by_index[number] for number in range(count)]


def _is_vector(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(_is_number(number) for number in value)


def _is_number(value: Any) -> bool:
    return type(value) is float or (type(value) is int and abs(value) < 2**53)
