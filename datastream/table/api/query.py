"""`Query`: what a `Table` stands for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError
from datastream.table.api.columns import nodes_of
from datastream.table.catalogs.function_registry import FunctionRegistry
from datastream.table.dsl.base import functions_of, literal
from datastream.table.execution.session import Session, session_of
from datastream.table.plan.expressions import Call, Expression
from datastream.table.plan.relations import Relation
from datastream.table.planner import building
from datastream.table.types.row_type import RowType

if TYPE_CHECKING:
    from datastream.table.api.table import Table
    from datastream.table.api.table_environment import TableEnvironment


@dataclass(frozen=True)
class Query:
    """A relation, and where it belongs.

    Attributes:
        relation: What the table means.
        t_env: The table's environment.
    """

    relation: Relation
    t_env: TableEnvironment

    @property
    def session(self) -> Session:
        """The session of the environment."""
        return session_of(self.t_env)

    @property
    def functions(self) -> FunctionRegistry:
        """All functions of the session."""
        return self.session.functions

    def project(self, nodes: Iterable[Expression]) -> Relation:
        """One column for each expression."""
        return building.project(self.relation, list(nodes), self.functions)

    def nodes(self, fields: Iterable[Any], call: str) -> list[Expression]:
        """The trees of expressions, whose functions the session then knows.

        Args:
            fields: What a user gave.
            call: The method, for errors.
        """
        given = list(fields)
        if not given and call != "group_by":
            raise ValidationError(f"{call} needs expressions such as col('a')")
        nodes = nodes_of(given, self.relation.names, call, self.functions.is_of_users)
        self.functions.adopt(functions_of(given))
        return [part for node in nodes for part in self._flattened(node)]

    def _flattened(self, node: Expression) -> list[Expression]:
        """The fields of a row in the place of ``flatten``; any other expression itself."""
        if not isinstance(node, Call) or node.function != "flatten":
            return [node]
        kind = self.session.resolve(self.relation, node.args[0]).type
        if not isinstance(kind, RowType):
            return [node.args[0]]
        return [field_of(node.args[0], name) for name in kind.names]


def field_of(row: Expression, name: str) -> Expression:
    """A field of a row."""
    return Call("get", (row, literal(name)))


def query_of(table: Table) -> Query:
    """What a table stands for."""
    return table._query  # noqa: SLF001 - users see no plan
