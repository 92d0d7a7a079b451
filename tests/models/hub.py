"""A model hub on this machine with one model: the packaged one, under another name."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MODEL = "org/small"
COMMIT = "a" * 40


@dataclass
class Hub:
    """Serves the files of a folder as the hub does, and keeps what it was asked."""

    files: Path
    address: str = ""
    asked: list[str] = field(default_factory=list)

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        about, _, wanted = path.partition("/resolve/")
        if path == f"/api/models/{MODEL}":
            return self._json({"id": MODEL, "sha": COMMIT, "private": False, "tags": [], "siblings": []})
        if path.startswith(f"/api/models/{MODEL}/tree/"):
            found = [file.relative_to(self.files).as_posix() for file in self.files.rglob("*") if file.is_file()]
            return self._json([{"type": "file", "path": name, "size": 1, "oid": "0"} for name in found])
        place = self.files / wanted.partition("/")[2]
        if about == f"/{MODEL}" and place.is_file():
            data = place.read_bytes()
            return 200, {"ETag": f'"{hashlib.sha256(data).hexdigest()}"', "X-Repo-Commit": COMMIT}, data
        return 404, {"X-Error-Code": "EntryNotFound" if about == f"/{MODEL}" else "RepoNotFound", "X-Repo-Commit": COMMIT}, b""

    @staticmethod
    def _json(value: Any) -> tuple[int, dict[str, str], bytes]:
        return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()


@contextmanager
def served(files: Path) -> Iterator[Hub]:
    """Runs the hub on a free port."""
    hub = Hub(files)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            hub.asked.append(f"{self.command} {path}")
            status, headers, data = hub.answer(path)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data)

        do_HEAD = do_GET  # noqa: N815 - the name the library looks for

        def log_message(self, *_: Any) -> None:
            return None

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    hub.address = f"http://127.0.0.1:{http.server_port}"
    try:
        yield hub
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
