"""`ResolvedExpression`."""

from __future__ import annotations

from typing import Any

from datastream.table.dsl.expression import Expression, expression_of
from datastream.table.plan.expressions import Expression as Node
from datastream.table.sql.sql_text import expression_sql
from datastream.table.types.logical_types import DataType


class ResolvedExpression(Expression[Any]):
    """An expression whose type is known: a part of a schema."""

    __slots__ = ("_type",)

    def __init__(self, node: Node, kind: DataType) -> None:
        super().__init__(node)
        self._type = kind

    def get_output_data_type(self) -> DataType:
        """The type of its values."""
        return self._type

    def get_resolved_children(self) -> list[ResolvedExpression]:
        """What it is made of."""
        from datastream.table.plan.expression_trees import children

        return [ResolvedExpression(each, each.type) for each in children(self.node) if each.type is not None]

    def as_serializable_string(self) -> str:
        """As SQL."""
        return expression_sql(self.node)

    def as_summary_string(self) -> str:
        """For people."""
        return str(self.node)

    def _with(self, node: Node, *others: Any) -> Any:
        return expression_of(node, *others)  # its type is not known yet
