"""Fetching: off by default, public addresses only, small, soon, and words alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from brain.config import Config, Limits, Web
from brain.errors import BrainError, UsageError
from brain.stages.address import checked_url, is_public, public_addresses
from brain.stages.fetch import fetch
from brain.stages.page import text_of_html

ON = Config(web=Web(fetch=True), limits=Limits(fetch_timeout_s=2.0))
LOOPBACK = frozenset({"127.0.0.1"})


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1",
        "192.0.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "224.0.1.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fc00::1", "fd12::1",
        "fe80::1", "fec0::1", "ff02::1", "ff0e::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::", "2001:0:7f00:1::", "2001:db8::1", "not an address",
    ],
)  # fmt: skip
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not is_public(address)
    with pytest.raises(UsageError, match="not a public address"):
        public_addresses("http://host/", "host", 80, lookup=lambda *_: [address])


@pytest.mark.parametrize("address", ["93.184.216.34", "1.1.1.1", "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::101:101"])
def test_a_public_address_is_allowed(address: str) -> None:
    assert public_addresses("http://host/", "host", 80, lookup=lambda *_: [address]) == (address,)


def test_one_bad_address_of_a_host_refuses_the_host() -> None:
    with pytest.raises(UsageError):
        public_addresses("http://host/", "host", 80, lookup=lambda *_: ["1.1.1.1", "10.0.0.1"])


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1", "017700000001", "127.0.0.1."])
def test_a_disguised_address_is_refused_before_any_look_up(host: str) -> None:
    with pytest.raises(UsageError, match="disguised"):
        public_addresses(f"http://{host}/", host, 80, lookup=lambda *_: ["1.1.1.1"])


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "gopher://host/", "ftp://host/", "javascript:1", "http://", "http:///x", "//host/x", "host/x", "http://u:p@host/",
        "http://host\\@inner/", "http://host/a b", "http://host/\r\nX: y", "http://host:99999/", "http://[::1%25eth0]/", "http://[::1", "x" * 3000,
    ],
)  # fmt: skip
def test_a_url_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="not fetched"):
        checked_url(url)


def test_fetching_is_off_until_the_settings_say_otherwise() -> None:
    with pytest.raises(UsageError, match="off in this vault"):
        fetch("http://example.org/", Config(), lookup=lambda *_: pytest.fail("nothing may be looked up"))


def test_loopback_is_refused_unless_a_test_allows_it() -> None:
    with serving({"/": (200, {"Content-Type": "text/plain"}, b"secret")}) as port, pytest.raises(UsageError, match="not a public address"):
        fetch(f"http://127.0.0.1:{port}/", ON)


@contextmanager
def serving(pages: dict[str, tuple[int, dict[str, str], bytes]]) -> Iterator[int]:
    """A web server on loopback; yields its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = pages[self.path]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


HTML = {"Content-Type": "text/html; charset=utf-8"}


def test_a_page_comes_as_words_under_the_name_it_has() -> None:
    page = b"<html><head><title>The  Sea</title><style>x</style></head><body><h1>Sea</h1><p>Big &amp; <b>blue</b>.</p><script>evil()</script><ul><li>one<li>two</ul></body>"
    with serving({"/a": (200, HTML, page)}) as port:
        asked: list[str] = []
        got = fetch(f"http://sea.example:{port}/a", ON, allowed=LOOPBACK, lookup=lambda host, _: asked.append(host) or ["127.0.0.1"])
    assert (got.title, got.text, asked) == ("The Sea", "# Sea\n\nBig & blue.\n\n- one\n- two", ["sea.example"])


def test_a_redirect_is_checked_like_the_first_address() -> None:
    with serving({"/": (302, {"Location": "http://inner.example/secret"}, b"")}) as port, pytest.raises(UsageError, match=r"10\.0\.0\.1"):
        fetch(f"http://a.example:{port}/", ON, allowed=LOOPBACK, lookup=lambda host, _: ["127.0.0.1" if host == "a.example" else "10.0.0.1"])


@pytest.mark.parametrize("target", ["file:///etc/passwd", "gopher://x/", "http://0x7f.1/"])
def test_a_redirect_to_another_kind_of_address_is_refused(target: str) -> None:
    with serving({"/": (301, {"Location": target}, b"")}) as port, pytest.raises(UsageError):
        fetch(f"http://127.0.0.1:{port}/", ON, allowed=LOOPBACK)


def test_redirects_are_counted() -> None:
    with serving({"/": (302, {"Location": "/"}, b"")}) as port, pytest.raises(BrainError, match="more than 3 times"):
        fetch(f"http://127.0.0.1:{port}/", ON, allowed=LOOPBACK)


def test_a_name_that_changes_its_mind_cannot_lead_inside() -> None:
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    with serving({"/": (200, {"Content-Type": "text/plain"}, b"once")}) as port:
        assert fetch(f"http://a.example:{port}/", ON, allowed=LOOPBACK, lookup=lambda *_: next(answers)).text == "once"


@pytest.mark.parametrize(
    ("headers", "body", "why"),
    [
        ({"Content-Type": "image/png"}, b"x", "no text"),
        ({}, b"x", "no text"),
        ({"Content-Type": "text/plain", "Content-Encoding": "gzip"}, b"x", "packed"),
        ({"Content-Type": "text/plain"}, b"x" * 2_000, "larger than 1000 bytes"),
        ({"Content-Type": "text/plain", "Content-Length": "999"}, b"x", "could not be fetched"),
    ],
)
def test_what_is_no_small_whole_text_is_refused(headers: dict[str, str], body: bytes, why: str) -> None:
    config = replace(ON, limits=replace(ON.limits, fetch_bytes_max=1_000))
    with serving({"/": (200, headers, body)}) as port, pytest.raises(BrainError, match=why):
        fetch(f"http://127.0.0.1:{port}/", config, allowed=LOOPBACK)


def test_a_missing_page_is_said() -> None:
    with serving({"/": (404, HTML, b"")}) as port, pytest.raises(BrainError, match="404"):
        fetch(f"http://127.0.0.1:{port}/", ON, allowed=LOOPBACK)


def test_a_host_that_says_nothing_meets_the_time_limit() -> None:
    import socket

    config = replace(ON, limits=replace(ON.limits, fetch_timeout_s=0.2))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(BrainError, match="could not be fetched"):
            fetch(f"http://127.0.0.1:{silent.getsockname()[1]}/", config, allowed=LOOPBACK)


def test_broken_html_still_gives_its_words() -> None:
    assert text_of_html("<p>one<script>if (a<b) {</script> two</b></i> &lt;three") == (None, "one two <three")
