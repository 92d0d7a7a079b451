"""Which key goes to which endpoint: brain.toml may be a stranger's, the environment is the person's own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from brain.config import key_for, load_config
from brain.errors import BrainError, UsageError
from brain.facade import Brain

OWN, THEIRS = "sk-ownsecret0123456789", "sk-theirsecret0123456789"


@dataclass
class Place:
    """A server on this machine that keeps the keys it was sent."""

    port: int
    status: int = 200
    location: str = ""
    keys: list[str | None] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


@pytest.fixture
def places() -> Iterator[tuple[Place, Place]]:
    running: list[tuple[Place, ThreadingHTTPServer, threading.Thread]] = [serve() for _ in range(2)]
    yield running[0][0], running[1][0]
    for _, http, thread in running:
        http.shutdown()
        http.server_close()
        thread.join()


def serve() -> tuple[Place, ThreadingHTTPServer, threading.Thread]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            place.keys.append(self.headers.get("Authorization"))
            data = json.dumps({"data": [{"index": n, "embedding": [1.0, float(n), 2.0]} for n in range(len(body["input"]))]}).encode()
            self.send_response(place.status)
            self.send_header("Content-Length", str(len(data)))
            if place.location:
                self.send_header("Location", place.location)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            return None

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    place = Place(http.server_port)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    return place, http, thread


def notices_of(vault: Path, engine: str, environ: Mapping[str, str], **settings: str) -> str:
    """Indexes a vault whose brain.toml says this, and returns everything that was said."""
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
    (vault / "brain.toml").write_text(f"[embed]\nmodel = 'small'\ndims = 3\n{lines}", "utf-8")
    (vault / "Note.md").write_text("Some words.\n", "utf-8")
    brain = Brain.open(vault, environ={"BRAIN_ENGINE": engine, "BRAIN_MACHINE": "m-test", **environ})
    report = brain.index()
    return f"{report} {brain.space} {brain.space.embedder()!r}"


def test_the_key_of_the_environment_is_not_sent_where_a_strangers_file_says(tmp_path: Path, engine: str, places: tuple[Place, Place]) -> None:
    theirs, _ = places
    notices_of(tmp_path, engine, {"BRAIN_EMBED_API_KEY": OWN}, endpoint=theirs.address)
    assert theirs.keys == [None]


def test_it_is_sent_to_the_endpoint_of_the_environment(tmp_path: Path, engine: str, places: tuple[Place, Place]) -> None:
    theirs, own = places
    environ = {"BRAIN_EMBED_API_KEY": OWN, "BRAIN_EMBED_ENDPOINT": own.address}
    notices_of(tmp_path, engine, environ, endpoint=theirs.address, api_key=THEIRS)
    assert (theirs.keys, own.keys) == ([], [f"Bearer {OWN}"])


def test_it_is_sent_to_an_endpoint_of_the_file_when_its_host_is_named(tmp_path: Path, engine: str, places: tuple[Place, Place]) -> None:
    named, other = places
    environ = {"BRAIN_EMBED_API_KEY": OWN, "BRAIN_EMBED_KEY_HOST": f"127.0.0.1:{named.port}"}
    notices_of(tmp_path, engine, environ, endpoint=named.address)
    assert named.keys == [f"Bearer {OWN}"]
    (tmp_path / "Note.md").write_text("Other words.\n", "utf-8")
    notices_of(tmp_path, engine, environ, endpoint=other.address)
    assert other.keys == [None]


def test_the_key_of_the_file_goes_to_the_endpoint_of_the_file_alone(tmp_path: Path, engine: str, places: tuple[Place, Place]) -> None:
    theirs, own = places
    notices_of(tmp_path, engine, {}, endpoint=theirs.address, api_key=THEIRS)
    assert theirs.keys == [f"Bearer {THEIRS}"]
    notices_of(tmp_path, engine, {"BRAIN_EMBED_ENDPOINT": own.address}, endpoint=theirs.address, api_key=THEIRS)
    assert own.keys == [None]


def test_a_redirect_takes_the_key_nowhere(tmp_path: Path, engine: str, places: tuple[Place, Place]) -> None:
    named, other = places
    named.status, named.location = 307, other.address
    said = notices_of(tmp_path, engine, {"BRAIN_EMBED_API_KEY": OWN, "BRAIN_EMBED_ENDPOINT": named.address})
    assert (named.keys, other.keys) == ([f"Bearer {OWN}"], [])
    assert "redirects are not followed" in said


@pytest.mark.parametrize("status", [401, 403])
def test_a_place_that_wants_a_key_is_answered_with_the_variable_that_would_send_it(
    tmp_path: Path, engine: str, places: tuple[Place, Place], status: int
) -> None:
    theirs, _ = places
    theirs.status = status
    said = notices_of(tmp_path, engine, {"BRAIN_EMBED_API_KEY": OWN}, endpoint=theirs.address)
    assert f"BRAIN_EMBED_KEY_HOST=127.0.0.1:{theirs.port}" in said
    assert OWN not in said


def test_no_key_is_said_aloud(tmp_path: Path, engine: str, places: tuple[Place, Place]) -> None:
    theirs, own = places
    theirs.status = own.status = 500
    said = notices_of(tmp_path, engine, {"BRAIN_EMBED_API_KEY": OWN}, endpoint=theirs.address, api_key=THEIRS)
    said += notices_of(tmp_path, engine, {"BRAIN_EMBED_API_KEY": OWN, "BRAIN_EMBED_ENDPOINT": own.address})
    assert "HTTP 500" in said
    assert OWN not in said and THEIRS not in said


@pytest.mark.parametrize("line", ["api_key = 123456789", "api_key = ['sk-listed']", "api_key = true"])
def test_a_key_of_the_wrong_type_is_refused_unshown(tmp_path: Path, line: str) -> None:
    (tmp_path / "brain.toml").write_text(f"[embed]\n{line}\n", "utf-8")
    with pytest.raises(UsageError, match=r"`embed\.api_key` must be text") as caught:
        load_config(tmp_path, environ={})
    assert line.partition("= ")[2].strip("[']") not in f"{caught.value.message} {caught.value.cure}".replace("true or false", "")


@pytest.mark.parametrize("named", ["environment", "host"])
def test_without_tls_a_key_goes_to_this_machine_only(tmp_path: Path, named: str) -> None:
    environ = {"BRAIN_EMBED_API_KEY": OWN, **({"BRAIN_EMBED_ENDPOINT": "http://models.example/v1"} if named == "environment" else {"BRAIN_EMBED_KEY_HOST": "models.example"})}
    (tmp_path / "brain.toml").write_text("[embed]\nmodel = 'm'\ndims = 3\nendpoint = 'http://models.example/v1'\n", "utf-8")
    with pytest.raises(BrainError, match="not encrypted") as caught:
        Brain.open(tmp_path, environ=environ).space.embedder()
    assert OWN not in str(caught.value)


@pytest.mark.parametrize(
    ("endpoint", "host", "is_sent"),
    [
        ("https://models.example/v1", "models.example", True),
        ("https://models.example/v1", "MODELS.example:443", True),
        ("https://models.example:443/v1", "models.example", True),
        ("https://[::1]:8443/v1", "[::1]:8443", True),
        ("https://models.example:8443/v1", "models.example", False),
        ("https://models.example/v1", "models.example:8443", False),
        ("https://evil.models.example/v1", "models.example", False),
        ("https://models.example.evil/v1", "models.example", False),
        ("https://evilmodels.example/v1", "models.example", False),
        ("https://models.example@evil.example/v1", "models.example", False),
        ("https://evil.example/models.example", "models.example", False),
        ("https://evil.example#models.example", "models.example", False),
        ("https://evil.example\\@models.example/", "evil.example", False),
        ("https://models.example/v1", "", False),
        ("https://models.example/v1", "*", False),
        ("https://[bad", "models.example", False),
        ("models.example", "models.example", False),
    ],
)
def test_the_host_is_compared_whole(endpoint: str, host: str, is_sent: bool) -> None:
    environ = {"X_API_KEY": OWN, "X_KEY_HOST": host}
    assert key_for(endpoint, None, environ, prefix="X") == (OWN if is_sent else None)
