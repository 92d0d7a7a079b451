"""What a case is answered: the index, search, candidates, and everything a person would read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.cases.checks import Failures, check
from tests.cases.known import Known
from tests.cases.of_files import notes_on_disk
from tests.cases.steps import Outcome, Session, ask


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
    said = "\n".join([_everything_said(session), *(place.read_text("utf-8", "replace") for place in notes_on_disk(session))])
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


def _pairs(session: Session) -> set[frozenset[str]]:
    outcomes = [outcome for outcome in session.outcomes if outcome.do == "candidates"]
    return {frozenset((pair.left.path, pair.right.path)) for outcome in outcomes for pair in outcome.value or ()}


def _everything_said(session: Session) -> str:
    return "\n".join(outcome.output for outcome in session.outcomes)


def _codes(session: Session) -> list[int]:
    return [outcome.code for outcome in session.outcomes if outcome.code is not None]


def _has_traceback(outcome: Outcome) -> bool:
    return "Traceback (most recent call last)" in outcome.output
