"""The governor: a fixed tier, a service on the loopback, a budget; and it fails open."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from brain.config import Governor, load_config
from brain.errors import UsageError
from brain.stages.governor import Pace, answer_of, pace_of


@contextmanager
def serving(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def test_green_leaves_a_limit_amber_halves_it_and_red_leaves_nothing() -> None:
    assert [Pace("green").capped(n) for n in (50, 1, 0)] == [50, 1, 0]
    assert [Pace("amber").capped(n) for n in (50, 1, 0)] == [25, 1, 0]
    assert Pace("red").capped(50) is None


def test_a_fixed_tier_goes_before_everything_else() -> None:
    with serving(b'{"effectiveTier": "red"}') as (url, asked):
        assert pace_of(Governor(tier="green", url=url), 5.0) == Pace("green")
        assert asked == []


@pytest.mark.parametrize(("body", "tier"), [(b'{"effectiveTier": "Amber"}', "amber"), (b'{"tier":"red"}', "red"), (b'{"effectiveTier":"green"}', "green")])
def test_a_service_says_the_tier(body: bytes, tier: str) -> None:
    with serving(body) as (url, _):
        pace = pace_of(Governor(url=url), None)
    assert pace.tier == tier
    assert (pace.why is None) == (tier == "green")


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b"{}", b'{"tier": 3}', b'{"tier": "blue"}', b"\xff", b'{"tier": "red"', b"[" * 9000, b"x" * 20_000]
)
def test_an_answer_that_is_none_does_not_stop_the_work_and_is_said(body: bytes) -> None:
    with serving(body) as (url, _):
        pace = pace_of(Governor(url=f"{url}/tier?token=secret"), 5.0)
    assert pace.tier == "green"
    assert pace.why is not None
    assert "goes on" in pace.why
    assert "secret" not in pace.why


@pytest.mark.parametrize("status", [404, 500, 302])
def test_neither_does_an_error_and_nothing_is_followed(status: int) -> None:
    with serving(b'{"tier": "red"}') as (other, asked), serving(b"", status, {"Location": other}) as (url, _):
        assert pace_of(Governor(url=url), None).tier == "green"
    assert asked == []


def test_nor_a_service_that_is_away() -> None:
    with serving(b"") as (url, _):
        pass
    assert pace_of(Governor(url=url, timeout_s=1.0), None).tier == "green"
    assert pace_of(Governor(url="file:///etc/hostname"), None).tier == "green"
    with pytest.raises(ValueError, match="no http address"):
        answer_of("file:///etc/hostname", 1.0)


def test_the_budget_says_it_when_nobody_else_does() -> None:
    shares = (None, 0.0, 0.79, 0.8, 0.99, 1.0, 3.0)
    assert [pace_of(Governor(), share).tier for share in shares] == ["green", "green", "green", "amber", "amber", "red", "red"]


def test_the_names_of_other_tools_are_understood(tmp_path: Path) -> None:
    config = load_config(tmp_path, environ={"GOVERNOR_TIER": "amber", "GOVERNOR_URL": "http://127.0.0.1:9"})
    assert (config.governor.tier, config.governor.url) == ("amber", "http://127.0.0.1:9")
    (tmp_path / "brain.toml").write_text('[governor]\nurl = "https://governor.example.org"\n', "utf-8")
    with pytest.raises(UsageError, match="outside this machine"):
        load_config(tmp_path, environ={})
    (tmp_path / "brain.toml").write_text('[governor]\nurl = "http://localhost:9"\n', "utf-8")
    with pytest.raises(UsageError, match="tier"):
        load_config(tmp_path, environ={"GOVERNOR_TIER": "blue"})
