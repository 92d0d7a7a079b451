"""The endpoint client against a real server on this machine: shapes are checked, and the key stays in its header."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from brain.config import Embed
from brain.errors import BrainError, UsageError
from brain.models.endpoint import EndpointEmbedder

KEY = "sk-veryverysecret0123456789"
Reply = tuple[int, dict[str, str], bytes]


@dataclass
class Server:
    """Answers by `reply`, and keeps what it was asked."""

    address: str = ""
    reply: Callable[[dict[str, Any]], Reply] = lambda _: (500, {}, b"no reply set")
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append(body)
            state.headers.append(dict(self.headers))
            state.paths.append(self.path)
            status, headers, data = state.reply(body)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(data)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            state.paths.append(f"GET {self.path}")
            self.send_error(404)

        def log_message(self, *_: Any) -> None:
            return None

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.address = f"http://127.0.0.1:{http.server_port}"
    state.reply = vectors_of
    yield state
    http.shutdown()
    http.server_close()
    thread.join()


def vector(text: str) -> list[float]:
    return [float(len(text)), 2.0, 0.5]


def vectors_of(body: dict[str, Any]) -> Reply:
    data = [{"index": number, "embedding": vector(text)} for number, text in enumerate(body["input"])]
    return ok({"data": data})


def ok(value: Any) -> Reply:
    return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()


def embedder(server: Server, **changes: Any) -> EndpointEmbedder:
    settings = {"model": "small", "dims": 3, "endpoint": server.address, "api_key": KEY, "timeout_s": 5.0, **changes}
    return EndpointEmbedder(Embed(**settings), sleep=lambda _: None)


def test_vectors_come_back_as_unit_rows(server: Server) -> None:
    found = embedder(server).embed(["a", "longer"])
    expected = np.array([vector("a"), vector("longer")])
    assert np.allclose(found, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)
    assert found.dtype == np.float32
    assert server.asked == [{"model": "small", "input": ["a", "longer"], "encoding_format": "float"}]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_answers_are_put_in_order_by_their_index(server: Server) -> None:
    in_order = embedder(server).embed(["a", "bb", "ccc"])
    straight = server.reply

    def shuffled(body: dict[str, Any]) -> Reply:
        data = json.loads(straight(body)[2])["data"]
        return ok({"data": [data[2], data[0], data[1]]})

    server.reply = shuffled
    assert np.array_equal(embedder(server).embed(["a", "bb", "ccc"]), in_order)


@pytest.mark.parametrize(
    ("endpoint", "path"),
    [
        ("", "/v1/embeddings"),
        ("/", "/v1/embeddings"),
        ("/v1", "/v1/embeddings"),
        ("/api/v2/embeddings", "/api/v2/embeddings"),
    ],
)
def test_the_address_may_be_written_short_or_whole(server: Server, endpoint: str, path: str) -> None:
    embedder(server, endpoint=server.address + endpoint).embed(["a"])
    assert [path] == server.paths


def test_batches_hold_64_texts_and_96_000_characters(server: Server) -> None:
    found = embedder(server).embed(["x"] * 130 + ["y" * 50_000, "z" * 50_000])
    assert found.shape == (132, 3)
    assert [len(body["input"]) for body in server.asked] == [64, 64, 3, 1]


def test_a_text_without_end_is_cut(server: Server) -> None:
    embedder(server).embed(["x" * 200_000])
    assert [len(text) for body in server.asked for text in body["input"]] == [96_000]


def test_empty_and_undecodable_texts_are_sent_as_clean_ones(server: Server) -> None:
    embedder(server).embed(["", "a\udcffb"])
    assert server.asked[0]["input"] == [" ", "a?b"]


def test_no_texts_ask_nothing(server: Server) -> None:
    assert embedder(server).embed([]).shape == (0, 3)
    assert server.asked == []


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"data": [{"index": 0, "embedding": [1.0, 2.0]}]}, "2 dims and the settings say 3"),
        ({"data": [{"index": 0, "embedding": [0.0, 0.0, 0.0]}]}, "zero or not a number"),
        ({"data": [{"index": 0, "embedding": [float("nan"), 0.0, 1.0]}]}, "zero or not a number"),
        ({"data": [{"index": 0, "embedding": [float("inf"), 0.0, 1.0]}]}, "zero or not a number"),
        ({"data": [{"index": 0, "embedding": [10**400, 0.0, 1.0]}]}, "one vector for each text"),
        ({"data": [{"index": 0, "embedding": ["1", "2", "3"]}]}, "one vector for each text"),
        ({"data": [{"index": 0, "embedding": [True, False, True]}]}, "one vector for each text"),
        ({"data": [{"index": 0, "embedding": "AAAA"}]}, "one vector for each text"),
        ({"data": [{"index": 1, "embedding": [1.0, 2.0, 3.0]}]}, "one vector for each text"),
        ({"data": [{"index": 0, "embedding": [1.0, 2.0, 3.0]}] * 2}, "one vector for each text"),
        ({"data": [{"embedding": [1.0, 2.0, 3.0]}]}, "one vector for each text"),
        ({"data": []}, "one vector for each text"),
        ({"data": None}, "one vector for each text"),
        ([], "one vector for each text"),
    ],
)
def test_an_answer_of_another_shape_is_refused(server: Server, answer: Any, why: str) -> None:
    server.reply = lambda _: ok(answer)
    with pytest.raises(BrainError, match=why) as caught:
        embedder(server).embed(["a"])
    assert "[embed]" in caught.value.cure


def test_an_answer_that_is_no_json_is_refused(server: Server) -> None:
    server.reply = lambda _: (200, {}, b"<html>" + b"[" * 100_000)
    with pytest.raises(BrainError, match="not JSON"):
        embedder(server).embed(["a"])


def test_a_busy_endpoint_is_asked_again(server: Server) -> None:
    replies: list[Callable[[dict[str, Any]], Reply]] = [lambda _: (429, {}, b""), lambda _: (503, {}, b""), vectors_of]
    server.reply = lambda body: replies.pop(0)(body)
    assert embedder(server).embed(["a"]).shape == (1, 3)
    assert len(server.asked) == 3


def test_an_endpoint_that_stays_busy_is_given_up(server: Server) -> None:
    server.reply = lambda _: (503, {}, b"come back later")
    with pytest.raises(BrainError, match="HTTP 503: come back later"):
        embedder(server).embed(["a"])
    assert len(server.asked) == 3


def test_no_error_shows_the_key_or_half_of_it(server: Server) -> None:
    said = ("Invalid key Bearer " + KEY + " or api_key=" + "tok" * 5 + "\x1b[31m\n ") * 2 + "p" * 240 + KEY + "q" * 900
    server.reply = lambda _: (401, {}, said.encode())
    client = embedder(server)
    with pytest.raises(BrainError) as caught:
        client.embed(["a"])
    shown = f"{caught.value} {caught.value.cure} {client!r} {client.model}"
    assert "HTTP 401" in shown
    assert "sk-very" not in shown
    assert "toktok" not in shown
    assert "\x1b" not in shown
    assert len(caught.value.message) < 450
    assert caught.value.__cause__ is None


def test_a_redirect_is_not_followed(server: Server) -> None:
    server.reply = lambda _: (302, {"Location": f"{server.address}/elsewhere"}, b"")
    with pytest.raises(BrainError, match="redirects are not followed"):
        embedder(server).embed(["a"])
    assert server.paths == ["/v1/embeddings"]


def test_an_endpoint_that_is_not_there_says_so() -> None:
    client = EndpointEmbedder(Embed(endpoint="http://127.0.0.1:9", model="m", dims=3, timeout_s=2.0))
    with pytest.raises(BrainError, match="could not be reached") as caught:
        client.embed(["a"])
    assert "searchable by words" in caught.value.cure


def test_an_answer_that_never_ends_is_given_up(server: Server) -> None:
    release = threading.Event()

    def slow(body: dict[str, Any]) -> Reply:
        release.wait(10)
        return vectors_of(body)

    server.reply = slow
    with pytest.raises(BrainError, match="timed out"):
        embedder(server, timeout_s=0.2).embed(["a"])
    release.set()


def test_without_a_key_none_is_sent_whatever_the_environment_holds(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    embedder(server, api_key=None).embed(["a"])
    assert "Authorization" not in server.headers[0]


def test_an_environment_proxy_never_sees_what_stays_on_this_machine(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert embedder(server).embed(["a"]).shape == (1, 3)


def test_a_key_is_never_sent_unencrypted_to_another_machine() -> None:
    with pytest.raises(UsageError, match="not encrypted") as caught:
        EndpointEmbedder(Embed(endpoint="http://models.example/v1", model="m", dims=3, api_key=KEY))
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("changes", [{}, {"dims": 384}, {"model": "m"}])
def test_another_machine_must_be_named_with_model_and_dims(changes: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="model and dims"):
        EndpointEmbedder(Embed(endpoint="https://models.example/v1", **changes))


@pytest.mark.parametrize(
    "endpoint",
    ["", "models.example/v1", "ftp://models.example", "file:///etc/passwd", "https://", "https://[bad", "https://me:pw@models.example/v1",
     "https://models.example/v1?key=abc", "https://models.example/v1#x", "https://models.example/\r\nX: y", "https://h:99999/"],
)  # fmt: skip
def test_an_address_that_is_no_plain_http_one_is_refused(endpoint: str) -> None:
    with pytest.raises(UsageError, match="endpoint") as caught:
        EndpointEmbedder(Embed(endpoint=endpoint, model="m", dims=3))
    assert "pw" not in caught.value.message


def test_a_key_that_would_break_the_header_is_refused_unshown() -> None:
    with pytest.raises(UsageError) as caught:
        EndpointEmbedder(Embed(endpoint="https://models.example", model="m", dims=3, api_key=f"{KEY}\r\nHost: x"))
    assert KEY not in str(caught.value)
