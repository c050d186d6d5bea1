"""As what Python values a schema's values are: of a type, or generic ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from datastream.formats.avro.nodes import Node, Primitive, Record, Union
from datastream.formats.avro.to_type import natural_type
from datastream.types import RowTypeInfo, TupleTypeInfo, TypeInformation


class Raw:
    """As what a field is read that is not needed: without the work for its logical types."""


RAW: Final = Raw()

#: A type, None for generic values (records as dicts), or RAW.
Kind = TypeInformation | None | Raw


class NaturalTypes:
    """The types of nodes in rows, each worked out once."""

    def __init__(self) -> None:
        # With the nodes, whose ids must stay theirs.
        self._known: dict[int, tuple[Node, TypeInformation]] = {}

    def of(self, node: Node) -> TypeInformation:
        """See `natural_type`."""
        if id(node) not in self._known:
            self._known[id(node)] = node, natural_type(node)
        return self._known[id(node)][1]


def element_kind(kind: Any) -> Any:
    """The kind of the elements of a list or array."""
    if isinstance(kind, TypeInformation):
        return getattr(kind, "elem_type", None) or getattr(kind, "element_type", None)
    return kind


def field_kinds(kind: Any, count: int) -> Sequence[Any]:
    """The kinds of a record's fields."""
    return kind.field_types if isinstance(kind, (RowTypeInfo, TupleTypeInfo)) else [passed(kind)] * count


def alike(union: Union) -> list[Record]:
    """The records of a union that have the same fields as another of its records.

    Their values are pairs (name, record), as the record alone does not tell which it is.
    """
    records = [branch for branch in union.branches if isinstance(branch, Record)]
    fields = [[field.name for field in record.fields] for record in records]
    return [record for record, names in zip(records, map(sorted, fields), strict=True) if _count(fields, names) > 1]


def _count(fields: list[list[str]], names: list[str]) -> int:
    return sum(sorted(other) == names for other in fields)


def passed(kind: Any) -> Any:
    return kind if kind is None or kind is RAW else None


def is_pickle(node: Node) -> bool:
    """Whether the bytes are a pickled object."""
    return isinstance(node, Primitive) and node.logical == "python-pickle"
