"""Ways up and down in a graph of parents: what is above and below a note, and where parents go round in a ring. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def above(parents: Mapping[str, Sequence[str]], path: str) -> set[str]:
    """Returns every note that one is part of, at any distance; itself too when it stands in a ring."""
    found: set[str] = set()
    pending = list(parents.get(path, ()))
    while pending:
        at = pending.pop()
        if at not in found:
            found.add(at)
            pending.extend(parents.get(at, ()))
    return found


def children_of(parents: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Returns the parts of each note, sorted."""
    found: dict[str, list[str]] = {}
    for child in sorted(parents):
        for parent in parents[child]:
            found.setdefault(parent, []).append(child)
    return found


def below(children: Mapping[str, Sequence[str]], path: str, *, without: frozenset[str] = frozenset()) -> set[str]:
    """Returns what hangs off a note at any distance; notes in `without` and what hangs off them alone are left out."""
    found: set[str] = set()
    pending = list(children.get(path, ()))
    while pending:
        at = pending.pop()
        if at not in found and at not in without:
            found.add(at)
            pending.extend(children.get(at, ()))
    return found - {path}


def rings_of(parents: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Returns the groups of notes that are part of each other, each sorted, by first path."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[tuple[str, ...]] = []
    for root in sorted(parents):
        if root in index:
            continue
        pending: list[tuple[str, Iterator[str]]] = []
        _open(root, index, low, stack, on_stack, pending, parents)
        while pending:
            at, rest = pending[-1]
            following = next(rest, None)
            if following is None:
                pending.pop()
                if pending:
                    low[pending[-1][0]] = min(low[pending[-1][0]], low[at])
                if low[at] == index[at] and len(group := _closed(at, stack, on_stack)) > 1:
                    found.append(tuple(sorted(group)))
            elif following not in index:
                _open(following, index, low, stack, on_stack, pending, parents)
            elif following in on_stack:
                low[at] = min(low[at], index[following])
    return sorted(found)


def shortest_ring(parents: Mapping[str, Sequence[str]], group: Sequence[str]) -> list[str]:
    """Returns the shortest way from the first note of a group that are part of each other back to it."""
    start, inside = group[0], set(group)
    came: dict[str, str] = {}
    level = [start]
    while level:
        following: list[str] = []
        for at in level:
            for parent in parents.get(at, ()):
                if parent == start:
                    way = [at]
                    while way[-1] != start:
                        way.append(came[way[-1]])
                    return way[::-1]
                if parent in inside and parent not in came:
                    came[parent] = at
                    following.append(parent)
        level = following
    raise AssertionError("notes that are part of each other have a way back")


def _open(
    path: str, index: dict[str, int], low: dict[str, int], stack: list[str], on_stack: set[str],
    pending: list[tuple[str, Iterator[str]]], parents: Mapping[str, Sequence[str]],
) -> None:  # fmt: skip
    index[path] = low[path] = len(index)
    stack.append(path)
    on_stack.add(path)
    pending.append((path, iter(parents.get(path, ()))))


def _closed(path: str, stack: list[str], on_stack: set[str]) -> list[str]:
    at = stack.index(path)
    group = stack[at:]
    del stack[at:]
    on_stack.difference_update(group)
    return group
