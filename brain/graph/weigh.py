"""The view of decay in the graph: one statement for all nodes, one for all relations, in one transaction.

The only queries of the product that write by formula; `project` makes the same weights row by row from the same base.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

from brain.core import decay
from brain.graph.engine import Graph
from brain.graph.queries import FOLDER, WRITING_ROOM

ROOM = FOLDER / WRITING_ROOM


def weigh_graph(graph: Graph, now: datetime) -> None:
    """Brings every weight to `now`. Raises: GraphError; nothing is then changed."""
    moment = now.astimezone(UTC).replace(tzinfo=None)  # the engine drops a zone instead of converting it (0.11.3)
    with graph.transaction():
        weigh_nodes(graph, moment)
        weigh_edges(graph, moment)


def weigh_nodes(graph: Graph, moment: datetime) -> None:
    """Weighs all notes and atoms at a naive UTC instant."""
    graph.execute(
        statement("weigh-nodes"), {"now": moment, "stretch": decay.IMPORTANCE_STRETCH, "floor": decay.FLOOR_PER_IMPORTANCE}
    )


def weigh_edges(graph: Graph, moment: datetime) -> None:
    """Weighs all typed relations at a naive UTC instant."""
    values = {"half_life": decay.EDGE_HALF_LIFE_DAYS, "spine": decay.SPINE, "least": decay.EDGE_FADED_WEIGHT}
    graph.execute(statement("weigh-edges"), {"now": moment, **values})


@cache
def statement(name: str) -> str:
    """Returns the text of one of these queries without its header: comments are for a reader."""
    lines = (ROOM / f"{name}.cypher").read_text("utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("//"))
