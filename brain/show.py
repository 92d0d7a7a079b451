"""Values → what a terminal shows and what `--json` prints. Returns text; the commands print it.

The JSON shapes are the values' own fields, in their order, except where a function says otherwise. Note
text is data: control characters never reach a terminal.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a command that shows counts needs none of these
    from brain.core.finding import Finding
    from brain.core.plan import Receipt
    from brain.core.recall import Answer, Hit
    from brain.doctor.excluded import Excluded
    from brain.doctor.state import Status
    from brain.graph.sandbox import Table
    from brain.models.spend import Estimate
    from brain.recall.listing import Branch, Tree
    from brain.recall.note_view import LinkView
    from brain.stages.report import RunReport
    from brain.sync.report import SyncReport

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
INDENT = "    "


def clean(text: str) -> str:
    """Returns the text without characters that could command a terminal, and without halves of characters."""
    return _CONTROL.sub("\ufffd", text)


def shown_text(text: str) -> str:
    """Returns a whole text for a terminal: its lines as they are, control characters aside, ending in a newline."""
    text = clean(text.replace("\r\n", "\n").removeprefix("\ufeff"))
    return text if text.endswith("\n") else f"{text}\n"


def plain(value: Any) -> Any:
    """Returns a value as what JSON knows: dataclasses become objects, tuples lists."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return value


def as_json(value: Any) -> str:
    """Returns a value as one JSON document, fields in their order."""
    return escaped(json.dumps(plain(value), ensure_ascii=False, indent=2))


def escaped(document: str) -> str:
    """Returns a JSON text that says the same with every control character as an escape."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", document)


def answer_json(answer: Answer) -> dict[str, Any]:
    """`{hits: [{path, title, …, score, snippets: [{text, line, heading}], parts}], signals, notices, why_empty, filtered_out}`."""
    found: dict[str, Any] = plain(answer)
    return found


def report_json(report: SyncReport) -> dict[str, Any]:
    """`{notes, added, changed, removed, moved: [[from, to]], skipped: {path: why}, embedded, …}`."""
    found: dict[str, Any] = plain(report)
    return found


def run_json(report: RunReport) -> dict[str, Any]:
    """`{stage, run, dry_run, found, waiting, left_out, notices, applied: [{item, because, paths}], held, failed}`."""
    return {
        "stage": report.stage, "run": report.run, "dry_run": report.dry_run, "found": report.found, "waiting": report.waiting,
        "left_out": report.left_out, "notices": list(report.notices),
        "applied": [receipt_json(r) for r in report.applied], "held": [receipt_json(r) for r in report.held],
        "failed": [receipt_json(r) for r in report.failed],
    }  # fmt: skip


def receipt_json(receipt: Receipt) -> dict[str, Any]:
    """`{outcome, because, paths, item?, why?}`; outcome is applied, held, refused or conflict."""
    from brain.core.plan import Applied, Conflict, Held, Refused

    found: dict[str, Any] = {"outcome": type(receipt).__name__.lower(), "because": receipt.plan.because}
    match receipt:
        case Applied(item=item, patches=patches):
            found |= {"item": item, "paths": [patch.path for patch in patches]}
        case Held(item=item, why=why):
            found |= {"item": item, "why": why}
        case Refused(why=why):
            found |= {"why": why}
        case Conflict(path=path):
            found |= {"why": f"{path} changed meanwhile", "paths": [path]}
    return found


def links_json(note: Any, links: Sequence[LinkView], backlinks: Sequence[LinkView]) -> dict[str, Any]:
    """`{path, links: [{from, line, raw, target, anchor, status, to, relation, type, reason, place, candidates}], backlinks}`."""
    return {"path": note.path, "links": [_link_json(x) for x in links], "backlinks": [_link_json(x) for x in backlinks]}


def table_json(table: Table) -> dict[str, Any]:
    """`{columns, rows: [[…]], truncated}`."""
    return {"columns": list(table.columns), "rows": [list(row) for row in table.rows], "truncated": table.truncated}


def table_csv(table: Table) -> str:
    """Returns rows as CSV with a header; a value that is no word or number is JSON."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(clean, table.columns))
    writer.writerows([[_cell(value) for value in row] for row in table.rows])
    return out.getvalue()


def table_text(table: Table, width: int) -> str:
    """Returns rows as a table that fits `width` columns of a terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns:
        grid.add_column(Text(clean(column)), overflow="fold")
    for row in table.rows:
        grid.add_row(*(Text(_cell(value)) for value in row))
    console = Console(file=io.StringIO(), width=width, no_color=True, highlight=False, emoji=False)
    console.print(grid)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()).strip("\n") + "\n"


def answer_text(answer: Answer, *, explain: bool) -> str:
    """Returns hits with their snippets, best first; or why there are none."""
    if not answer.hits:
        return clean(answer.why_empty or "Nothing found.") + "\n"
    return "\n".join(_hit_text(number, hit, explain=explain) for number, hit in enumerate(answer.hits, start=1))


def findings_text(findings: Sequence[Finding], *, of_one_code_max: int = 0) -> str:
    """Returns findings grouped by severity, each with its cure; at most so many of one code (0: all), and how many more."""
    if not findings:
        return "Nothing to put right.\n"
    lines: list[str] = []
    for finding in _first_of_each(findings, of_one_code_max):
        if isinstance(finding, str):
            lines.append(finding)
            continue
        where = f"{finding.path}:{finding.line}" if finding.line else finding.path
        lines.append(f"{finding.severity:<7} {finding.code:<18} {clean(where)}".rstrip())
        lines.append(f"{INDENT}{clean(finding.message)}")
        lines.append(f"{INDENT}-> {clean(finding.cure)}")
    counts = {severity: sum(f.severity == severity for f in findings) for severity in ("error", "warning", "info")}
    lines.append(", ".join(f"{count} {plural(name, count)}" for name, count in counts.items() if count))
    return "\n".join(lines) + "\n"


def _first_of_each(findings: Sequence[Finding], count_max: int) -> Iterator[Finding | str]:
    """Yields the findings, and in place of those of one code and level that are too many, the sentence that counts them."""
    for (_, code), group in groupby(findings, key=lambda finding: (finding.severity, finding.code)):
        of_code = list(group)
        shown = count_max or len(of_code)
        yield from of_code[:shown]
        if len(of_code) > shown:
            yield f"{INDENT}and {len(of_code) - shown} more: brain doctor --code {code}"


def tree_text(tree: Tree) -> str:
    """Returns the tree with lines for branches, and how many notes stand outside it."""
    lines: list[str] = []
    for branch in tree.branches:
        lines.append(_branch_line(branch))
        _grow(lines, branch, "")
    if tree.outside:
        lines.append(f"{tree.outside} notes stand outside the tree (no part_of to or from them).")
    if tree.hidden:
        lines.append(f"{tree.hidden} {plural('note', tree.hidden)} of the tree left out by --kind or --min-weight.")
    return "\n".join(lines or ["The tree is empty: no note says part_of."]) + "\n"


def links_text(note: Any, links: Sequence[LinkView], backlinks: Sequence[LinkView]) -> str:
    """Returns the links of a note and those that lead to it."""
    lines = [clean(note.path), "  links:"]
    lines.extend(f"    {x.line:>4}  {clean(x.raw)} -> {clean(_end(x))}{_relation(x)}" for x in links)
    lines.append("  linked from:")
    lines.extend(f"    {clean(x.path)}:{x.line}  {clean(x.raw)}{_relation(x)}" for x in backlinks)
    return "\n".join(lines) + "\n"


def estimate_json(found: Estimate | None) -> dict[str, Any]:
    """`{model, calls, tokens_sent, tokens_max, characters}`; `model` tells whether one is chosen."""
    keys = ("calls", "tokens_sent", "tokens_max", "characters")
    return {"model": found is not None, **{key: getattr(found, key) if found else 0 for key in keys}}


def estimate_text(found: Estimate | None) -> str:
    """Returns what asking would cost, in one line."""
    if found is None:
        return "No language model is chosen: rules alone judge, and nothing is asked.\n"
    calls = f"{found.calls} {plural('call', found.calls)}"
    return f"{calls}, about {found.tokens_sent:,} tokens sent, {found.tokens_max:,} at most with the replies; nothing was asked\n"


def status_text(status: Status) -> str:
    """Returns the state of a vault in a dozen lines."""
    lines = [
        f"vault      {clean(status.root)}", f"owner      {clean(status.owner or 'not set (brain setup --name NAME)')}",
        f"engine     {status.engine}", f"embedding  {status.embed_model or 'off'}",
        f"index      {status.index}" + (f" ({status.changed_files} files changed)" if status.changed_files else ""),
    ]  # fmt: skip
    if status.counts:
        counts = status.counts
        lines += [
            f"notes      {counts.notes} ({', '.join(f'{count} {kind}' for kind, count in list(counts.kinds.items())[:6])})",
            f"links      {', '.join(f'{count} {name}' for name, count in counts.links.items()) or 'none'}",
            f"edges      {counts.edges} typed, {counts.atoms} atoms",
            f"vectors    {counts.vectors} of {counts.chunks} pieces of text",
        ]
    if status.excluded:
        count = sum(status.excluded.values())
        reasons = ", ".join(f"{why} ({number})" for why, number in status.excluded.items())
        lines.append(f"left out   {'' if status.excluded_is_complete else 'at least '}{count}: {clean(reasons)}; brain status --excluded lists them")
    if status.memory:
        from brain.show_forgetting import memory_lines

        lines += memory_lines(status.memory)
    lines += [f"held       {status.held}", f"last run   {status.last_run or 'none'}"]
    return "\n".join(lines) + "\n"


def excluded_text(excluded: Excluded) -> str:
    """Returns a line for each Markdown file that is not a note, with the reason."""
    lines = [f"{clean(path)}: {clean(why)}" for path, why in excluded.files.items()]
    if not excluded.is_complete:
        lines.append("… and more: the look ended at limits.excluded_entries_max")
    return "\n".join(lines or ["Every Markdown file of this folder is a note."]) + "\n"


def _hit_text(number: int, hit: Hit, *, explain: bool) -> str:
    words = [*([] if hit.status == "active" else [hit.status]), *(["faded"] if hit.faded else [])]
    state = f" [{', '.join(words)}]" if words else ""
    lines = [f"{number:>2}. {clean(hit.title)}{state}  {clean(hit.path)}  {hit.score:.3f}"]
    if hit.via:
        lines.append(f"{INDENT}linked with {clean(hit.via)}")
    if hit.successor:
        lines.append(f"{INDENT}replaced by {clean(hit.successor)}")
    for snippet in hit.snippets:
        heading = f" ({clean(snippet.heading)})" if snippet.heading else ""
        lines.append(f"{INDENT}{snippet.line}{heading}: {clean(' '.join(snippet.text.split()))}")
    if explain:
        lines.append(INDENT + "  ".join(f"{name} {value + 0.0:.3f}" for name, value in hit.parts.items()))
    return "\n".join(lines) + "\n"


def _grow(lines: list[str], branch: Branch, indent: str) -> None:
    rail = "│   " if branch.children or branch.cut else "    "
    lines.extend(f"{indent}{rail}({atom.kind}) {clean(' '.join(atom.text.split()))}" for atom in branch.atoms)
    for number, child in enumerate(branch.children, start=1):
        is_last = number == len(branch.children) and not branch.cut
        lines.append(f"{indent}{'└── ' if is_last else '├── '}{_branch_line(child)}")
        _grow(lines, child, indent + ("    " if is_last else "│   "))
    if branch.cut:
        lines.append(f"{indent}└── … {branch.cut} more below")


def _branch_line(branch: Branch) -> str:
    return f"{clean(branch.title)} [{branch.kind}] imp {branch.importance:.2f}{' faded' if branch.faded else ''}"


def _link_json(link: LinkView) -> dict[str, Any]:
    return {
        "from": link.path, "line": link.line, "raw": link.raw, "target": link.target, "anchor": link.anchor, "status": link.status,
        "to": link.other, "relation": link.relation, "type": link.type, "reason": link.reason, "place": link.place,
        "candidates": list(link.candidates),
    }  # fmt: skip


def _end(link: LinkView) -> str:
    if link.status == "ambiguous":
        return f"ambiguous: {', '.join(link.candidates)}"
    return link.other or link.status


def _relation(link: LinkView) -> str:
    return f"  ({clean(link.type or link.relation)})" if link.relation else ""


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def plural(word: str, count: int) -> str:
    """Returns a noun for a count of things."""
    return word if count == 1 or word == "info" else f"{word}s"
