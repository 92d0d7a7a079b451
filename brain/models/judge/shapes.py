"""The shapes of replies. The envelope is strict; each item in it is read by itself, so that one bad item costs one.

An item that breaks its shape is refused and counted; an envelope that breaks its shape refuses the reply.
The schema that the model sees is the strict one of both.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, WithJsonSchema, create_model

from brain.core.vocabulary import RELATIONS

Item = TypeVar("Item", bound="Strict")
_SAYS_NOTHING = ("title", "description", "default")
NONE, UNSURE = "none", "unsure"


class Strict(BaseModel):
    """No other keys, and no value that only looks like one of the wanted type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, json_schema_serialization_defaults_required=True)


def items_of(item: type[Strict]) -> Any:
    """Returns the type of a list whose items are read later, with the schema of the item."""
    schema = {"type": "array", "items": item.model_json_schema(mode="serialization")}
    return Annotated[list[Any], WithJsonSchema(_plain(schema))]


def shape_for(name: str, ticket: str, **fields: Any) -> type[Strict]:
    """Returns the type of the reply to one request: `request` is its ticket and nothing else."""
    wanted: dict[str, Any] = {"request": (Literal[ticket], ...), **{field: (kind, ...) for field, kind in fields.items()}}
    made: type[Strict] = create_model(name, __base__=Strict, **wanted)
    return made


def schema_of(shape: type[BaseModel]) -> str:
    """Returns the JSON Schema of a shape as text, the same for equal shapes."""
    return json.dumps(_plain(shape.model_json_schema(mode="serialization")), ensure_ascii=False)


def read_items(item: type[Item], written: Iterable[Any], refuse: Callable[[str], None], *, items_max: int) -> Iterator[Item]:
    """Yields the items that have their shape; `refuse` is told why the others have not, and what the limit left out."""
    for place, value in enumerate(written):
        if place >= items_max:
            refuse("too-many")
            continue
        try:
            yield item.model_validate(value)
        except (ValidationError, RecursionError):
            refuse("item-shape")


def _plain(schema: Any) -> Any:
    """Takes titles, descriptions and defaults out of a schema: they cost tokens and say nothing."""
    if isinstance(schema, dict):
        return {key: _plain(value) for key, value in schema.items() if key not in _SAYS_NOTHING or isinstance(value, dict)}
    return [_plain(value) for value in schema] if isinstance(schema, list) else schema


RelationWord = Annotated[str, WithJsonSchema({"type": "string", "enum": [*RELATIONS, NONE, UNSURE]})]
"""A relation, or that there is none, or that the model cannot tell; the words are checked where they are read."""
