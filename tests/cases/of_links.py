"""What the links of a case lead to: links as written, edges, backlinks, embeds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.cases.checks import Failures, check, differences
from tests.cases.known import Known
from tests.cases.steps import Session


@check
def links(session: Session, wanted: Any) -> Failures:
    known = Known(session)
    for expected in wanted:
        found = [link for link in known.links(expected["from"]) if link["raw"] in (expected["raw"], f"!{expected['raw']}")]
        if not found:
            yield f"{expected['from']} has no link {expected['raw']}"
        for link in found:
            actual = known.described(link)
            yield from differences(expected["raw"], {k: v for k, v in expected.items() if k not in ("from", "raw")}, actual)


@check
def links_count(session: Session, wanted: Any) -> Failures:
    yield from differences("links", wanted, {path: len(Known(session).links(path)) for path in wanted})


@check
def links_resolved_count(session: Session, wanted: Any) -> Failures:
    yield from differences("resolved links", wanted, {path: len(Known(session).resolved(path)) for path in wanted})


@check
def links_targets_after(session: Session, wanted: Any) -> Failures:
    for path, expected in wanted.items():
        actual = [link["target_path"] for link in Known(session).resolved(path)]
        yield from differences(path, {"targets": expected}, {"targets": actual})


@check
def not_links(session: Session, wanted: Any) -> Failures:
    raws = {link["raw"] for link in Known(session).all_links()}
    return [f"{raw} counts as a link" for raw in wanted if raw in raws]


@check
def broken(session: Session, wanted: Any) -> Failures:
    actual = sorted((link["path"], link["raw"]) for link in Known(session).all_links() if link["status"] == "broken")
    yield from differences("broken links", {"are": sorted((one["from"], one["raw"]) for one in wanted)}, {"are": actual})


@check
def ambiguous(session: Session, wanted: Any) -> Failures:
    actual = {(link["path"], link["raw"]) for link in Known(session).all_links() if link["status"] == "ambiguous"}
    return [f"{one['from']} {one['raw']} is not reported as ambiguous" for one in wanted if (one["from"], one["raw"]) not in actual]


@check
def backlinks(session: Session, wanted: Any) -> Failures:
    everything = [link for link in Known(session).all_links() if link["note_status"] != "superseded"]  # a note that forwards is no reference
    for path, expected in wanted.items():
        actual = sorted({link["path"] for link in everything if link["target_path"] == path and link["path"] != path})
        yield from differences(path, {"backlinks": sorted(expected)}, {"backlinks": actual})


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


def _by_file(wanted: Any) -> Iterator[tuple[str, list[str]]]:
    if isinstance(wanted, dict):
        yield from wanted.items()
    else:
        yield from ((one["from"], [one["raw"]]) for one in wanted)


def _is_edge(wanted: dict[str, str], found: list[tuple[str, str, str, str]]) -> bool:
    return any((wanted["from"], wanted["to"]) == (source, target) and wanted["type"] in (kind, raw) for source, kind, raw, target in found)
