"""What a case expects, one function a check key: from a finished session to what is wrong, in words.

Every function returns the failures, none when the expectation holds. A key without a function is an error.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.cases.known import Known
from tests.cases.steps import Outcome, Session, ask

Failures = Iterable[str]
Check = Callable[[Session, Any], Failures]
CHECKS: dict[str, Check] = {}


class UnknownCheck(Exception):
    """A case asks for something that nobody looks at."""


def failures_of(session: Session, check: dict[str, Any]) -> list[str]:
    """Returns everything of a check that does not hold."""
    found: list[str] = []
    for key, wanted in check.items():
        if key not in CHECKS:
            raise UnknownCheck(f"no function looks at the check {key!r}")
        found.extend(f"{key}: {failure}" for failure in CHECKS[key](session, wanted))
    return found


def check(function: Check) -> Check:
    """Registers a function under its own name as the check key."""
    CHECKS[function.__name__] = function
    return function


@check
def any_of(session: Session, wanted: Any) -> Failures:
    found = [failures_of(session, one) for one in wanted]
    return [] if any(not failures for failures in found) else [repr(found)]


# -- what the notes say ------------------------------------------------------------------------------


@check
def properties(session: Session, wanted: Any) -> Failures:
    for path, expected in wanted.items():
        actual = Known(session).properties(path)
        yield from _differences(path, expected, {key: actual.get(key) for key in expected})


@check
def titles(session: Session, wanted: Any) -> Failures:
    yield from _differences("titles", wanted, {path: Known(session).note(path)["title"] for path in wanted})


@check
def aliases(session: Session, wanted: Any) -> Failures:
    yield from _differences("aliases", wanted, {path: Known(session).aliases(path) for path in wanted})


@check
def aliases_include(session: Session, wanted: Any) -> Failures:
    yield from _missing({path: (expected, Known(session).aliases(path)) for path, expected in wanted.items()})


@check
def tags(session: Session, wanted: Any) -> Failures:
    yield from _differences("tags", {path: sorted(t) for path, t in wanted.items()}, {path: sorted(Known(session).tags(path)) for path in wanted})


@check
def tags_include(session: Session, wanted: Any) -> Failures:
    yield from _missing({path: (expected, Known(session).tags(path)) for path, expected in wanted.items()})


@check
def tags_absent(session: Session, wanted: Any) -> Failures:
    yield from _present({path: (expected, Known(session).tags(path)) for path, expected in wanted.items()})


@check
def fields(session: Session, wanted: Any) -> Failures:
    for path, expected in wanted.items():
        actual = Known(session).fields(path)
        yield from _differences(path, {key: str(value) for key, value in expected.items()}, {key: actual.get(key.casefold()) for key in expected})


@check
def fields_absent(session: Session, wanted: Any) -> Failures:
    yield from _present({path: (expected, Known(session).fields(path)) for path, expected in wanted.items()})


@check
def no_atom_categories(session: Session, wanted: Any) -> Failures:
    kinds = Known(session).atom_kinds()
    return [f"there is an atom of kind {kind!r}" for kind in wanted if kind in kinds]


# -- links -------------------------------------------------------------------------------------------


@check
def links(session: Session, wanted: Any) -> Failures:
    known = Known(session)
    for expected in wanted:
        found = [link for link in known.links(expected["from"]) if link["raw"] in (expected["raw"], f"!{expected['raw']}")]
        if not found:
            yield f"{expected['from']} has no link {expected['raw']}"
        for link in found:
            actual = known.described(link)
            yield from _differences(expected["raw"], {k: v for k, v in expected.items() if k not in ("from", "raw")}, actual)


@check
def links_count(session: Session, wanted: Any) -> Failures:
    yield from _differences("links", wanted, {path: len(Known(session).links(path)) for path in wanted})


@check
def links_resolved_count(session: Session, wanted: Any) -> Failures:
    yield from _differences("resolved links", wanted, {path: len(Known(session).resolved(path)) for path in wanted})


@check
def links_targets_after(session: Session, wanted: Any) -> Failures:
    for path, expected in wanted.items():
        actual = [link["target_path"] for link in Known(session).resolved(path)]
        yield from _differences(path, {"targets": expected}, {"targets": actual})


@check
def not_links(session: Session, wanted: Any) -> Failures:
    raws = {link["raw"] for link in Known(session).all_links()}
    return [f"{raw} counts as a link" for raw in wanted if raw in raws]


@check
def broken(session: Session, wanted: Any) -> Failures:
    actual = sorted((link["path"], link["raw"]) for link in Known(session).all_links() if link["status"] == "broken")
    yield from _differences("broken links", {"are": sorted((one["from"], one["raw"]) for one in wanted)}, {"are": actual})


@check
def ambiguous(session: Session, wanted: Any) -> Failures:
    actual = {(link["path"], link["raw"]) for link in Known(session).all_links() if link["status"] == "ambiguous"}
    return [f"{one['from']} {one['raw']} is not reported as ambiguous" for one in wanted if (one["from"], one["raw"]) not in actual]


@check
def backlinks(session: Session, wanted: Any) -> Failures:
    everything = Known(session).all_links()
    for path, expected in wanted.items():
        actual = sorted({link["path"] for link in everything if link["target_path"] == path and link["path"] != path})
        yield from _differences(path, {"backlinks": sorted(expected)}, {"backlinks": actual})


@check
def edges(session: Session, wanted: Any) -> Failures:
    found = Known(session).edges()
    return [f"no edge {edge}" for edge in wanted if not _is_edge(edge, found)]


@check
def no_edges(session: Session, wanted: Any) -> Failures:
    found = Known(session).edges()
    return [f"there is an edge {edge}" for edge in wanted if _is_edge(edge, found)]


@check
def missing_targets_count(session: Session, wanted: Any) -> Failures:
    targets = {link["key"] for link in Known(session).all_links() if link["status"] == "broken"}
    return [] if len(targets) == wanted else [f"{len(targets)} missing targets: {sorted(targets)}"]


@check
def still_embed(session: Session, wanted: Any) -> Failures:
    for path, raws in _by_file(wanted):
        actual = {link["raw"] for link in Known(session).links(path) if link["form"] == "embed"}
        yield from (f"{path} no longer embeds {raw}" for raw in raws if raw not in actual)


@check
def no_self_embed(session: Session, wanted: Any) -> Failures:
    for path in wanted:
        for link in Known(session).links(path):
            if link["form"] == "embed" and (link["status"] == "self" or link["target_path"] == path):
                yield f"{path} embeds itself with {link['raw']}"


# -- bytes -------------------------------------------------------------------------------------------


@check
def bytes_after(session: Session, wanted: Any) -> Failures:
    for path, expected in wanted.items():
        actual = session.bytes_of(path)
        if actual != expected.encode("utf-8"):
            yield f"{path} is {actual!r}, not {expected.encode('utf-8')!r}"


@check
def bytes_unchanged(session: Session, wanted: Any) -> Failures:
    return [f"{path} is now {session.bytes_of(path)!r}" for path in wanted if session.bytes_of(path) != session.before[path]]


@check
def lines_unchanged_except(session: Session, wanted: Any) -> Failures:
    for path, rule in wanted.items():
        before, after = session.before[path].splitlines(keepends=True), (session.bytes_of(path) or b"").splitlines(keepends=True)
        if len(before) != len(after):
            yield f"{path} has {len(after)} lines, not {len(before)}"
        for number, (old, new) in enumerate(zip(before, after, strict=False), start=1):
            if (old != new) != (number in rule["changed_lines"]):
                yield f"line {number} of {path} is {new!r}, was {old!r}"


@check
def text_kept(session: Session, wanted: Any) -> Failures:
    for path, texts in wanted.items():
        data = (session.bytes_of(path) or b"").decode("utf-8", "replace")
        yield from (f"{path} lost {text!r}" for text in texts if text not in data)


@check
def texts_present_somewhere_or_error(session: Session, wanted: Any) -> Failures:
    if any(outcome.error for outcome in session.outcomes):
        return []
    everything = "\n".join(place.read_text("utf-8", "replace") for place in _notes_on_disk(session))
    return [f"{text!r} is in no note" for text in wanted if text not in everything]


@check
def nowhere_on_disk(session: Session, wanted: Any) -> Failures:
    for folder, _, names in os.walk(session.vault):
        for name in names:
            data = Path(folder, name).read_bytes()
            yield from (f"{text!r} is in {name}" for text in wanted if text.encode() in data)


@check
def files_exist(session: Session, wanted: Any) -> Failures:
    return [f"{path} is gone" for path in wanted if not _is_listed(session, path)]


@check
def files_absent(session: Session, wanted: Any) -> Failures:
    return [f"{path} is there" for path in wanted if _is_listed(session, path)]


@check
def files_count(session: Session, wanted: Any) -> Failures:
    count = len(_notes_on_disk(session))
    return [] if count == wanted else [f"{count} notes on disk, not {wanted}"]


@check
def mtime_unchanged_by_index(session: Session, wanted: Any) -> Failures:
    return [f"indexing moved the time of {path}" for path in wanted if path in session.moved_by_index]


# -- the index ---------------------------------------------------------------------------------------


@check
def notes_indexed(session: Session, wanted: Any) -> Failures:
    paths = Known(session).paths()
    return [] if len(paths) == wanted else [f"{len(paths)} notes are indexed, not {wanted}: {paths}"]


@check
def second_run_changes(session: Session, wanted: Any) -> Failures:
    reports = [outcome.value for outcome in session.outcomes if outcome.do == "index"]
    last = reports[-1]
    changes = len(last.added) + len(last.changed) + len(last.removed) + len(last.moved) + last.embedded
    if changes != wanted:
        yield f"the last run changed {changes}: {last}"
    if wanted == 0 and session.generations[-1] != session.generations[-2]:
        yield "the last run wrote the index again"


@check
def search(session: Session, wanted: Any) -> Failures:
    for one in wanted:
        yield from (f"{one['query']!r} {failure}" for failure in _search_failures(session, one))


def _search_failures(session: Session, one: dict[str, Any]) -> Iterator[str]:
    if one.get("no_error") or one.get("no_error_traceback"):
        asked = [outcome for outcome in session.outcomes if outcome.do == "search" and outcome.step["query"] == one["query"]]
        yield from (f"ended badly: {o.crash or o.error}" for o in asked if o.crash or (one.get("no_error") and o.error) or _has_traceback(o))
    paths, snippets = _found(session, one)
    if one.get("allow_full_reindex") and not set(one.get("must_include", ())) <= set(paths):
        session.brain().index(full=True)
        paths, snippets = _found(session, one)
    top = paths[: one.get("top_k", len(paths))]
    yield from (f"does not find {path}; found {paths}" for path in one.get("must_include", ()) if path not in top)
    yield from (f"finds {path}" for path in one.get("must_not_include", ()) if path in paths)
    wanted_words = one.get("snippet_contains")
    if wanted_words and not any(wanted_words in snippet for snippet in snippets):
        yield f"shows {snippets}, not {wanted_words!r}"


def _found(session: Session, one: dict[str, Any]) -> tuple[list[str], list[str]]:
    hits = ask(session, one).hits
    return [hit.path for hit in hits], [snippet.text for hit in hits for snippet in hit.snippets]


@check
def search_hits(session: Session, wanted: Any) -> Failures:
    for one in wanted:
        hits = len(ask(session, {"query": one["query"], "limit": one.get("limit", 200)}).hits)
        errors = sum(1 for outcome in session.outcomes if outcome.do == "remember" and outcome.error and not _has_traceback(outcome))
        if hits + errors < one.get("min_count_plus_errors", 0) or hits < one.get("min_count", 0):
            yield f"{one['query']!r}: {hits} hits and {errors} errors"


@check
def rank_before(session: Session, wanted: Any) -> Failures:
    for one in wanted:
        texts = ["\n".join(s.text for s in hit.snippets) for hit in ask(session, {"query": one["query"]}).hits]
        places = [next((place for place, text in enumerate(texts) if word in text), len(texts)) for word in (one["first"], one["second"])]
        if not places[0] <= places[1] or places[0] == len(texts):
            yield f"{one['query']!r}: {one['first']!r} is not before {one['second']!r} in {texts}"


@check
def candidates_include(session: Session, wanted: Any) -> Failures:
    pairs = _pairs(session)
    return [f"{pair} is not proposed; proposed: {sorted(map(sorted, pairs))}" for pair in wanted if frozenset(pair) not in pairs]


@check
def candidates_exclude(session: Session, wanted: Any) -> Failures:
    pairs = _pairs(session)
    return [f"{pair} is proposed" for pair in wanted if frozenset(pair) in pairs]


# -- what a person sees ------------------------------------------------------------------------------


@check
def doctor_mentions(session: Session, wanted: Any) -> Failures:
    said = "\n".join(outcome.output for outcome in session.outcomes if outcome.do == "doctor")
    return [f"doctor does not speak of {text!r}" for text in wanted if text not in said]


@check
def orphans_include(session: Session, wanted: Any) -> Failures:
    return [f"{path} is no orphan" for path in wanted if path not in Known(session).orphans()]


@check
def orphans_exclude(session: Session, wanted: Any) -> Failures:
    return [f"{path} is an orphan" for path in wanted if path in Known(session).orphans()]


@check
def report_mentions(session: Session, wanted: Any) -> Failures:
    said = _everything_said(session)
    return [f"nothing speaks of {text!r}" for text in wanted if text not in said]


@check
def output_contains_any(session: Session, wanted: Any) -> Failures:
    said = _everything_said(session)
    return [] if any(text in said for text in wanted) else [f"none of {wanted} in {said!r}"]


@check
def output_not_contains(session: Session, wanted: Any) -> Failures:
    said = _everything_said(session)
    return [f"{text!r} is in the output" for text in wanted if text in said]


@check
def output_or_file_contains(session: Session, wanted: Any) -> Failures:
    said = "\n".join([_everything_said(session), *(place.read_text("utf-8", "replace") for place in _notes_on_disk(session))])
    return [f"{text!r} is nowhere" for text in ([wanted] if isinstance(wanted, str) else wanted) if text not in said]


@check
def error_contains(session: Session, wanted: Any) -> Failures:
    said = "\n".join(outcome.error or "" for outcome in session.outcomes)
    return [f"no error names {text!r}: {said!r}" for text in wanted if text not in said]


@check
def error_contains_each(session: Session, wanted: Any) -> Failures:
    errors = [outcome.error for outcome in session.outcomes if outcome.error]
    return [f"an error does not name {text!r}: {error!r}" for error in errors or [""] for text in wanted if text not in error]


@check
def exit_code(session: Session, wanted: Any) -> Failures:
    codes = _codes(session)
    return [] if codes and codes[-1] == wanted else [f"the codes were {codes}"]


@check
def exit_code_not(session: Session, wanted: Any) -> Failures:
    codes = _codes(session)
    return [] if codes and codes[-1] != wanted else [f"the codes were {codes}"]


@check
def stdout_not_contains(session: Session, wanted: Any) -> Failures:
    said = b"".join(outcome.stdout for outcome in session.outcomes)
    return [f"{text!r} is in the output" for text in wanted if text.encode() in said]


@check
def stdout_max_bytes(session: Session, wanted: Any) -> Failures:
    return [f"{len(outcome.stdout)} bytes" for outcome in session.outcomes if len(outcome.stdout) > wanted]


@check
def stdout_is_utf8(session: Session, wanted: Any) -> Failures:
    return [repr(outcome.stdout) for outcome in session.outcomes if outcome.stdout.decode("utf-8", "replace").encode() != outcome.stdout]


@check
def no_crash(session: Session, wanted: Any) -> Failures:
    yield from no_traceback(session, wanted)
    yield from (f"{outcome.do} ended with {outcome.code}" for outcome in session.outcomes if not 0 <= (outcome.code or 0) <= 3)


@check
def no_traceback(session: Session, wanted: Any) -> Failures:
    return [f"{outcome.do}: {outcome.crash or outcome.output}" for outcome in session.outcomes if outcome.crash or _has_traceback(outcome)]


@check
def no_corruption(session: Session, wanted: Any) -> Failures:
    return Known(session).damage()


@check
def max_seconds(session: Session, wanted: Any) -> Failures:
    seconds = sum(outcome.seconds for outcome in session.outcomes)
    return [] if seconds <= wanted else [f"{seconds:.1f} s"]


# -- small change ------------------------------------------------------------------------------------


def _differences(what: str, expected: dict[str, Any], actual: dict[str, Any]) -> Iterator[str]:
    for key, value in expected.items():
        if actual.get(key) != value:
            yield f"{what}: {key} is {actual.get(key)!r}, not {value!r}"


def _missing(pairs: dict[str, tuple[list[str], Iterable[str]]]) -> Iterator[str]:
    return (f"{path} has no {item!r}" for path, (wanted, actual) in pairs.items() for item in wanted if item not in actual)


def _present(pairs: dict[str, tuple[list[str], Iterable[str]]]) -> Iterator[str]:
    return (f"{path} has {item!r}" for path, (unwanted, actual) in pairs.items() for item in unwanted if item in actual)


def _by_file(wanted: Any) -> Iterator[tuple[str, list[str]]]:
    if isinstance(wanted, dict):
        yield from wanted.items()
    else:
        yield from ((one["from"], [one["raw"]]) for one in wanted)


def _is_edge(wanted: dict[str, str], found: list[tuple[str, str, str, str]]) -> bool:
    return any((wanted["from"], wanted["to"]) == (source, target) and wanted["type"] in (kind, raw) for source, kind, raw, target in found)


def _notes_on_disk(session: Session) -> list[Path]:
    return sorted(place for place in session.vault.rglob("*") if place.suffix.lower() == ".md" and place.is_file() and ".brain" not in place.parts)


def _is_listed(session: Session, path: str) -> bool:
    """Whether a folder lists exactly this name: a case-insensitive disk answers to others too."""
    place = Path(os.path.normpath(session.vault / path))
    return place.parent.is_dir() and place.name in os.listdir(place.parent)


def _pairs(session: Session) -> set[frozenset[str]]:
    outcomes = [outcome for outcome in session.outcomes if outcome.do == "candidates"]
    return {frozenset((pair.left.path, pair.right.path)) for outcome in outcomes for pair in outcome.value or ()}


def _everything_said(session: Session) -> str:
    return "\n".join(outcome.output for outcome in session.outcomes)


def _codes(session: Session) -> list[int]:
    return [outcome.code for outcome in session.outcomes if outcome.code is not None]


def _has_traceback(outcome: Outcome) -> bool:
    return "Traceback (most recent call last)" in outcome.output
