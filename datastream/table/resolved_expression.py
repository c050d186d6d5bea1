"""`ResolvedExpression`."""

from __future__ import annotations

from datastream.table.logical_types import DataType
from datastream.table.plan.expressions import Expression as Node
from datastream.table.sql_text import expression_sql


class ResolvedExpression:
    """An expression whose type is known.

    Attributes:
        node: Its tree.
    """

    def __init__(self, node: Node, kind: DataType) -> None:
        self.node, self._type = node, kind

    def get_output_data_type(self) -> DataType:
        """The type of its values."""
        return self._type

    def get_resolved_children(self) -> list[ResolvedExpression]:
        """What it is made of."""
        from datastream.table.plan.resolver import children

        return [ResolvedExpression(each, each.type) for each in children(self.node) if each.type is not None]

    def as_serializable_string(self) -> str:
        """As SQL."""
        return expression_sql(self.node)

    def as_summary_string(self) -> str:
        """For people."""
        return str(self.node)

    def __str__(self) -> str:
        return self.as_summary_string()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResolvedExpression) and self.node == other.node

    def __hash__(self) -> int:
        return hash(self.node)
