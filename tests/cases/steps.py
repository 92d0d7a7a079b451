"""A case on its way: each step of it, carried out by the product.

Steps run through the library. Where a case looks at what a process shows (exit code, traceback, output),
the commands run in a process of their own instead.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brain.config import load_config
from brain.core.plan import Applied, Conflict, Held, Plan, Refused, SetField
from brain.core.recall import Answer, Query
from brain.errors import BrainError
from brain.facade import Brain
from brain.stages.commit import commit
from brain.stages.context import context_of
from brain.sync.space import open_space
from tests.cases.materialize import materialize
from tests.cases.ordinary import as_ordinary_user

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2031, 3, 1, 12, tzinfo=UTC)
COMMAND_S_MAX = 120
SHOWN_BY_A_PROCESS = frozenset({
    "no_crash", "no_traceback", "exit_code", "exit_code_not", "stdout_not_contains", "stdout_max_bytes", "stdout_is_utf8",
    "output_contains_any", "output_not_contains", "report_mentions", "doctor_mentions", "no_corruption",
})  # fmt: skip
"""Checks that look at what a person would see."""
MODELS = {8: "lexical", 16: "minilm"}
"""A case tells two vector spaces apart by a number of dimensions; these two models stand for them."""
SETTINGS = {"TZ": "BRAIN_ZONE"}
"""Where days begin is a setting of the vault, whatever the machine's zone is."""


@dataclass
class Outcome:
    """What one step came to. `code` is None for a library call; `crash` is a traceback nobody should see."""

    do: str
    step: dict[str, Any]
    seconds: float = 0.0
    code: int | None = None
    stdout: bytes = b""
    stderr: str = ""
    said: str = ""
    error: str | None = None
    crash: str | None = None
    value: Any = None

    @property
    def output(self) -> str:
        """Everything a person could read."""
        return "\n".join((self.stdout.decode("utf-8", "replace"), self.stderr, self.said, self.error or ""))


@dataclass
class Session:
    """One case, laid out in a folder, with what its steps left behind."""

    case: dict[str, Any]
    folder: Path
    environ: dict[str, str]
    now: datetime = NOW
    is_readonly: bool = False
    outcomes: list[Outcome] = field(default_factory=list)
    before: dict[str, bytes] = field(default_factory=dict)
    moved_by_index: set[str] = field(default_factory=set)
    generations: list[int] = field(default_factory=list)
    planned: Plan | None = None

    @property
    def vault(self) -> Path:
        return self.folder / "vault"

    def brain(self) -> Brain:
        """Opens the vault as its settings and environment are now."""
        return Brain(open_space(self.vault, load_config(self.vault, environ=self.environ), _Clock(self.now), environ=self.environ))

    @property
    def is_shown(self) -> bool:
        """Whether commands run in a process of their own."""
        return not self.is_readonly and not SHOWN_BY_A_PROCESS.isdisjoint(_keys(self.case["check"]))

    def bytes_of(self, path: str) -> bytes | None:
        place = Path(os.path.normpath(self.vault / path))
        return place.read_bytes() if place.is_file() else None


@dataclass
class _Clock:
    moment: datetime

    def now(self) -> datetime:
        return self.moment


def run_case(case: dict[str, Any], folder: Path) -> Session:
    """Lays a case out and carries out its steps, whatever they come to."""
    environ = {"BRAIN_EMBED_MODEL": "lexical", "BRAIN_MACHINE": "m-case", "BRAIN_ENGINE": os.environ.get("BRAIN_ENGINE", "kuzu")}
    session = Session(case, folder, environ)
    materialize(case["files"], session.vault)
    session.before = {name: data for name in case["files"] if (data := session.bytes_of(name)) is not None}
    for step in case["steps"]:
        session.outcomes.append(carry_out(session, step))
    if not any(step["do"] == "index" for step in case["steps"]) and not session.is_readonly:
        session.brain().index()
    return session


def carry_out(session: Session, step: dict[str, Any]) -> Outcome:
    """Carries out one step; an error of the product is an outcome, a mistake of the case is not."""
    if step["do"] not in STEPS:
        raise CaseMistake(f"there is no step {step['do']!r}")
    act = STEPS[step["do"]]
    outcome = Outcome(step["do"], step)
    began = time.perf_counter()
    try:
        with as_ordinary_user(session.is_readonly):
            act(session, step, outcome)
    except BrainError as error:
        outcome.error = f"{error.message} {error.cure}"
    except CaseMistake:
        raise
    except Exception:  # noqa: BLE001 - a crash is what the case looks for
        outcome.crash = traceback.format_exc()
    outcome.seconds = time.perf_counter() - began
    return outcome


class CaseMistake(Exception):
    """A case asks for something that no step knows how to do."""


def _index(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    if "embed_dim" in step:
        session.environ["BRAIN_EMBED_MODEL"] = MODELS[step["embed_dim"]]
    times = _times(session)
    if session.is_shown:
        _command(session, outcome, "index")
    else:
        report = session.brain().index(full=bool(step.get("full")))
        outcome.value = report
        outcome.said = "\n".join([*report.notices, *(f"{path}: {why}" for path, why in report.skipped.items()), report.because or ""])
    after = _times(session)
    session.moved_by_index |= {path for path in times | after if times.get(path) != after.get(path)}
    session.generations.append(_generation(session))


def _doctor(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    if session.is_shown:
        _command(session, outcome, "doctor")
    outcome.value = session.brain().doctor()
    outcome.said = "\n".join(f"{f.severity} {f.path}:{f.line} {f.message} {f.cure}" for f in outcome.value)


def _decay(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    session.now = datetime.fromisoformat(step["now"]).astimezone(UTC)
    if session.is_shown:
        _command(session, outcome, "decay", "--at", step["now"])
    outcome.value = session.brain().decay()


def _ages(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    session.brain().index()
    outcome.value = session.brain().decay(dry_run=True)


def _search(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    if session.is_shown:
        words = [*(("--limit", str(step["limit"])) if "limit" in step else ()), "--", step["query"]]
        _command(session, outcome, "search", *words)
    outcome.value = ask(session, step)
    outcome.said = "\n".join([*outcome.value.notices, outcome.value.why_empty or "", *(hit.path for hit in outcome.value.hits)])


def ask(session: Session, wanted: dict[str, Any]) -> Answer:
    """Puts one question to the index as it is now."""
    if "scope" in wanted:
        raise CaseMistake("searching a scope waits for scopes")
    mode = {"keyword": "lexical", None: "hybrid"}.get(wanted.get("mode"), wanted.get("mode"))
    return session.brain().search(Query(wanted["query"], limit=wanted.get("limit", 10), mode=str(mode)), touch=False)


def _set_property(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    _plan(session, {"op": step}, outcome)
    _apply(session, step, outcome)


def _plan(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    wanted = step["op"]
    if wanted["do"] != "set_property":
        raise CaseMistake(f"a plan to {wanted['do']} is not known")
    path, value = wanted["file"], wanted["value"]
    source = session.brain().space.vault.read(path)
    edit = SetField(path, wanted["key"], tuple(value) if isinstance(value, list) else value)
    session.planned = Plan("edit", f"set|{path}|{wanted['key']}", {path: source.sha256}, (edit,), "asked for")


def _apply(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    assert session.planned is not None
    context = context_of(session.brain().space, now=session.now)
    (receipt,) = commit(context, [session.planned], run=context.new_run())
    outcome.value = receipt
    match receipt:
        case Refused() | Held():
            outcome.error = receipt.why
        case Conflict():
            outcome.error = f"{receipt.path} changed meanwhile"
        case Applied():
            outcome.said = receipt.item


def _add(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    session.now = datetime.fromisoformat(step["at"]).astimezone(UTC) if "at" in step else session.now
    outcome.value = session.brain().add(step["text"], title=step.get("title"))


def _stage(name: str) -> Callable[[Session, dict[str, Any], Outcome], None]:
    def act(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
        outcome.value = session.brain().run_stage(name, limit=0, dry_run=bool(step.get("dry_run")))
        outcome.said = "\n".join(outcome.value.notices)

    return act


def _candidates(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    from brain.stages.reconcile import find_pairs

    outcome.value, _ = find_pairs(context_of(session.brain().space, now=session.now), most=1_000)
    outcome.said = "\n".join(f"{pair.left.path} | {pair.right.path}" for pair in outcome.value)


def _undo(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    outcome.value = session.brain().undo(step.get("target"))
    outcome.said = repr(outcome.value)


def _rename(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    """Gives a note or a folder another name; one in another folder is `brain move`'s, which `brain rename` says."""
    folder, _, name = step["to"].rpartition("/")
    is_beside = step["from"].rpartition("/")[0] == folder
    _by_hand(session, outcome, "rename", step["from"], name if is_beside else step["to"])


def _merge(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    _by_hand(session, outcome, "merge", step["into"], step["from"], *(["--dry-run"] if step.get("dry_run") else []))


def _by_hand(session: Session, outcome: Outcome, *words: str) -> None:
    """Runs a command of a person's as one would type it."""
    _command(session, outcome, *words)
    outcome.said = outcome.stdout.decode("utf-8", "replace")


def _env(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    for name, value in step.get("set", {}).items():
        if name == "embed_dim":
            session.environ["BRAIN_EMBED_MODEL"] = MODELS[value]
        else:
            session.environ[SETTINGS.get(name, name)] = str(value)
    if "now" in step:
        session.now = datetime.fromisoformat(step["now"]).astimezone(UTC)


def _fs(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    op = step["op"]
    if op == "chmod_readonly_tree":
        _make_readonly(session.vault)
        session.is_readonly = True
        return
    place = Path(os.path.normpath(session.vault / step.get("file", step.get("from", ""))))
    times = place.stat() if place.exists() else None
    if op == "write":
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(step["content"], "utf-8", newline="")
    elif op == "append":
        with place.open("a", encoding="utf-8", newline="") as file:
            file.write(step["content"])
    elif op == "delete":
        place.unlink()
    elif op == "rename":
        target = Path(os.path.normpath(session.vault / step["to"]))
        target.parent.mkdir(parents=True, exist_ok=True)
        place.rename(target)
    else:
        raise CaseMistake(f"the file operation {op} is not known")
    if step.get("keep_mtime") and times is not None:
        os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))
    if "mtime" in step:
        moment = step["mtime"]
        seconds = datetime.fromisoformat(moment).timestamp() if isinstance(moment, str) else float(moment)
        os.utime(place, (seconds, seconds))
    if op in ("write", "append"):
        session.before[step["file"]] = place.read_bytes()


def _make_readonly(root: Path) -> None:
    for folder, _, names in os.walk(root, topdown=False):
        for name in names:
            place = Path(folder, name)
            if not place.is_symlink():
                place.chmod(0o444)
        Path(folder).chmod(0o555)


def _parallel(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    """Runs a command in many processes at once; `{i}` in its text is the number of the process."""
    inner = step["step"]
    words = {"remember": ["add", inner.get("text", "")], "search": ["search", "--", inner.get("query", "")], "index": ["index"]}
    if inner["do"] not in words:
        raise CaseMistake(f"{inner['do']} in parallel is not known")
    outcomes = [Outcome(inner["do"], inner) for _ in range(step["n"])]
    with ThreadPoolExecutor(len(outcomes)) as pool:
        for number, one in enumerate(outcomes):
            pool.submit(_command, session, one, *(word.replace("{i}", str(number)) for word in words[inner["do"]]))
    session.outcomes.extend(outcomes)


def _kill_index(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    command, environ = _process(session, "index")
    child = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    time.sleep(step.get("after_ms", step.get("ms", 300)) / 1000)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _corrupt_index(session: Session, step: dict[str, Any], outcome: Outcome) -> None:
    for place in sorted(session.brain().space.layout.index.iterdir()):
        if place.is_file():
            place.write_bytes(b"not a database" + place.read_bytes()[14:100])


def _command(session: Session, outcome: Outcome, *words: str) -> None:
    command, environ = _process(session, *words)
    done = subprocess.run(command, env=environ, capture_output=True, timeout=COMMAND_S_MAX, check=False, stdin=subprocess.DEVNULL)
    outcome.code, outcome.stdout, outcome.stderr = done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")
    if done.returncode != 0:
        outcome.error = outcome.stderr


def _process(session: Session, *words: str) -> tuple[list[str], dict[str, str]]:
    kept = {name: value for name, value in os.environ.items() if name not in ("BRAIN_VAULT", "VAULT_ROOT")}
    environ = {**kept, "HF_HUB_OFFLINE": "1", "NO_COLOR": "1", "PYTHONPATH": str(ROOT), **session.environ}
    return [sys.executable, "-m", "cli", "--vault", str(session.vault), *words], environ


def _times(session: Session) -> dict[str, int]:
    return {name: (session.vault / name).stat().st_mtime_ns for name in session.before if (session.vault / name).is_file()}


def _generation(session: Session) -> int:
    from brain.index.catalog import get_meta

    if not session.brain().space.layout.catalog_path.exists():
        return 0
    with session.brain().space.catalog() as conn:
        return int(get_meta(conn, "generation") or 0)


def _keys(check: dict[str, Any]) -> set[str]:
    return set(check) | {key for one in check.get("any_of", ()) for key in one}


STEPS: dict[str, Callable[[Session, dict[str, Any], Outcome], None]] = {
    "index": _index, "doctor": _doctor, "decay": _decay, "ages": _ages, "search": _search, "set_property": _set_property, "plan": _plan, "apply": _apply,
    "remember": _add, "walk": _stage("walk"), "reconcile": _stage("reconcile"), "candidates": _candidates, "undo": _undo,
    "rename": _rename, "merge": _merge, "env": _env, "fs": _fs, "parallel": _parallel, "start_index_then_kill9": _kill_index, "corrupt_index": _corrupt_index,
}  # fmt: skip
"""Step → what carries it out."""
