"""Process table functions in the Table API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError, cut
from datastream.table.dsl.base import functions_of, literal
from datastream.table.dsl.expression import Expression
from datastream.table.dsl.udf import ProcessTableFunction, UserDefinedFunctionWrapper, wrapped
from datastream.table.execution.session import session_of
from datastream.table.plan.expressions import Argument
from datastream.table.planner.process_arguments import Given, GivenTable
from datastream.table.planner.process_tables import process_table

if TYPE_CHECKING:
    from datastream.table.api.table import Table
    from datastream.table.api.table_environment import TableEnvironment


@dataclass(frozen=True)
class NamedTable:
    """A table as an argument by name; see `Table.as_argument`.

    Attributes:
        table: The table.
        partition: The names of the columns that it is partitioned by.
        name: Of the parameter; None: it is given by its place.
    """

    table: Table
    partition: tuple[str, ...] = ()
    name: str | None = None


class PartitionedTable:
    """A table by partitions, as `Table.partition_by` returns it. Only process table functions take it.

    Args:
        table: The table.
        partition: The names of columns.
    """

    def __init__(self, table: Table, partition: tuple[str, ...]) -> None:
        self._table, self._partition = table, partition

    def process(self, function: Any, *arguments: Any) -> Table:
        """What a process table function makes of the table; see `Table.process`."""
        from datastream.table.api.query import query_of

        return process(query_of(self._table).t_env, function, (self, *arguments))

    def as_argument(self, name: str | None = None) -> NamedTable:
        """The table as an argument of a process table function.

        Args:
            name: Of its parameter. Default: the argument is given by its place.
        """
        return NamedTable(self._table, self._partition, name)


def process(t_env: TableEnvironment, function: Any, arguments: Sequence[Any]) -> Table:
    """What a process table function makes of its arguments.

    Args:
        t_env: The environment of the tables.
        function: A `ProcessTableFunction`, what `udptf` returns, or the name of a registered one.
        arguments: Tables, partitioned tables, expressions and constants of Python.

    Raises:
        ValidationError: It is no such function, or an argument is wrong.
    """
    from datastream.table.api.table import Table

    functions = session_of(t_env).functions
    if isinstance(function, str):
        name = function
    elif isinstance(function, ProcessTableFunction | UserDefinedFunctionWrapper):
        called = wrapped(function).inline()
        functions.adopt({called.name: called})
        name = called.name
    else:
        raise ValidationError(f"process needs a ProcessTableFunction, or the name of one, got {cut(function)}")
    given = [_given(each, t_env) for each in arguments]
    functions.adopt(functions_of([each for each in arguments if isinstance(each, Expression)]))
    return Table(process_table(name, given, functions), t_env)


def _given(argument: Any, t_env: TableEnvironment) -> Given:
    from datastream.table.api.query import query_of
    from datastream.table.api.table import Table

    if isinstance(argument, PartitionedTable):
        argument = argument.as_argument()
    if isinstance(argument, Table):
        argument = NamedTable(argument)
    if isinstance(argument, NamedTable):
        query = query_of(argument.table)
        if query.t_env is not t_env:
            raise ValidationError("Only tables from the same TableEnvironment can be processed together.")
        return Given(GivenTable(query.relation, argument.partition), argument.name)
    if isinstance(argument, Expression):
        node = argument.node
        return Given(node.arg, node.name) if isinstance(node, Argument) else Given(node)
    return Given(literal(argument))
