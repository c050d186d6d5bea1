"""`Table`: a query, built step by step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import MethodType
from typing import TYPE_CHECKING, Any

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.missing_names import MissingNames
from datastream.old_names import warn_of_old
from datastream.table.api import row_operations
from datastream.table.api.grouped_tables import (
    AggregatedTable,
    FlatAggregateTable,
    GroupedTable,
    GroupWindowedTable,
    OverWindowedTable,
    WindowGroupedTable,
)
from datastream.table.api.legacy.environment import old_method
from datastream.table.api.process_tables import NamedTable, PartitionedTable, process
from datastream.table.api.query import Query
from datastream.table.api.table_descriptor import TableDescriptor
from datastream.table.api.window import GroupWindow, OverWindow
from datastream.table.catalogs.function_registry import FunctionRegistry
from datastream.table.catalogs.resolved_schema import ResolvedSchema
from datastream.table.catalogs.table_schema import TableSchema
from datastream.table.dsl.base import functions_of
from datastream.table.dsl.expression import Expression
from datastream.table.dsl.expressions import col
from datastream.table.dsl.text_expressions import checked_expression, names_in
from datastream.table.execution.explain_detail import ExplainDetail
from datastream.table.plan import expressions as plan
from datastream.table.plan.relations import Relation, Sort
from datastream.table.planner import building, grouping
from datastream.table.planner.scope import Scope
from datastream.table.planner.subqueries import Subqueries
from datastream.table.results.table_result import TableResult
from datastream.table.types.data_types import DataTypes

if TYPE_CHECKING:
    import pandas

    from datastream.table.api.table_environment import TableEnvironment
    from datastream.table.api.table_pipeline import TablePipeline
    from datastream.table.catalogs.schema import Schema

__all__ = [
    "AggregatedTable",
    "FlatAggregateTable",
    "GroupWindowedTable",
    "GroupedTable",
    "OverWindowedTable",
    "PartitionedTable",
    "Table",
    "WindowGroupedTable",
]

Expr = Expression[Any]


class Table(MissingNames):
    """A query. Its methods give other queries; nothing runs before `execute`, `execute_insert` or `to_pandas`.

    Its columns are attributes, which are expressions: ``table.select(table.a)``; a method of the same name goes first.
    """

    _remedies = {
        "as_": "did you mean alias?",
        "show": "print the rows with execute().print()",
        "collect": "take the rows with execute().collect()",
        "print": "print the rows with execute().print()",
        "count": "count rows with select(lit(1).count)",
        "with_column": "did you mean add_or_replace_columns(expression.alias(name))?",
    }

    def __init__(self, relation: Relation, t_env: TableEnvironment, declared: Schema | None = None) -> None:
        """
        Args:
            relation: What it means.
            t_env: Where it belongs.
            declared: Of a table as it is in a catalog: how its columns are declared.
        """
        self._query, self._declared = Query(relation, t_env), declared
        self._name: str | None = None

    @property
    def __relation__(self) -> Relation:
        """What the table means; see `Expression.in_`."""
        return self._relation

    # -- columns -----------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # which Python and its tools ask for, of tables that are not complete yet too
            raise AttributeError(f"'Table' object has no attribute '{name}'", name=name, obj=self)
        if name in self._relation.names:
            return col(name)
        method = old_method("Table", name)
        if method is not None:
            return MethodType(method, self)
        names = ", ".join(self._relation.names)
        text = f"The current table has no column named '{name}', available columns: [{names}]"
        raise AttributeError(text + self._advice(name), name=name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._relation.names]

    def select(self, *fields: Expr) -> Table:
        """One column for each expression; with an aggregate among them one row of all rows."""
        return self._select(self._query.nodes(fields, "select"))

    def alias(self, field: str, *fields: str) -> Table:
        """The same with other names of the columns, from left to right."""
        names = [field, *fields]
        if len(names) == 1 and isinstance(field, str) and "," in field and len(self._relation.names) > 1:
            warn_of_old('Table.alias("a, b")', 'alias("a", "b")')
            names = names_in(field)
        for name in names:
            if not isinstance(name, str):
                raise ValidationError(f"alias needs names, got {cut(name)}")
        return self._with(building.rename(self._relation, names))

    def add_columns(self, *fields: Expr) -> Table:
        """With more columns at the end.

        Raises:
            ValidationError: a column of the name is there.
        """
        nodes = self._query.nodes(fields, "add_columns")
        return self._select([plan.Star(), *nodes])

    def add_or_replace_columns(self, *fields: Expr) -> Table:
        """With more columns at the end, or in the place of those that have the name."""
        nodes = self._query.nodes(fields, "add_or_replace_columns")
        new = {_name(node): node for node in nodes if _name(node) is not None}
        kept = [new.pop(name, plan.Name((name,))) for name in self._relation.names]
        added = [node for node in nodes if _name(node) is None or _name(node) in new]
        return self._select([*kept, *added])

    def rename_columns(self, *fields: Expr) -> Table:
        """With other names of some columns: ``col("a").alias("b")``."""
        new: dict[str, str] = {}
        for node in self._query.nodes(fields, "rename_columns"):
            if not isinstance(node, plan.Alias) or not isinstance(node.arg, plan.Name):
                raise ValidationError(f"rename_columns needs columns with new names, col('a').alias('b'), got {node}")
            self._check(node.arg.parts[0])
            new[node.arg.parts[0]] = node.name
        return self._with(building.rename(self._relation, [new.get(name, name) for name in self._relation.names]))

    def drop_columns(self, *fields: Expr) -> Table:
        """Without some columns."""
        dropped = set()
        for node in self._query.nodes(fields, "drop_columns"):
            if not isinstance(node, plan.Name):
                raise ValidationError(f"drop_columns needs columns such as col('a'), got {node}")
            self._check(node.parts[0])
            dropped.add(node.parts[0])
        kept = [plan.Name((name,)) for name in self._relation.names if name not in dropped]
        return self._select(kept)

    # -- rows --------------------------------------------------------------------------------------

    def filter(self, predicate: Expr) -> Table:
        """The rows for which a condition is TRUE."""
        (node,) = self._query.nodes([predicate], "filter")
        scope = Scope.of(self._relation)
        queries = Subqueries(lambda relation, _: relation, self._functions, self._relation, scope)
        rest, made = queries.where(node), queries.relation
        return self._with(made if rest is None else building.filter(made, rest, self._functions, scope=queries.scope))

    def where(self, predicate: Expr) -> Table:
        """The same as `filter`."""
        return self.filter(predicate)

    def distinct(self) -> Table:
        """Each row once."""
        keys = [plan.Name((name,)) for name in self._relation.names]
        return self._with(grouping.aggregate(self._relation, keys, keys, self._functions))

    def order_by(self, *fields: Expr) -> Table:
        """In order: ``col("a").desc``, ``col("b")``. NULL is greater than all, other than in SQL."""
        nodes = self._query.nodes(fields, "order_by")
        orders = [node if isinstance(node, plan.Order) else plan.Order(node) for node in nodes]
        placed = [replace(order, nulls_first=not order.ascending) for order in orders]
        return self._with(building.sort(self._relation, placed, self._functions))

    def offset(self, offset: int) -> Table:
        """Without the first rows."""
        return self._with(building.limit(self._relation, _count("offset", offset), None))

    def fetch(self, fetch: int) -> Table:
        """Only the first rows."""
        relation, offset = _without_offset(self._relation)
        return self._with(building.limit(relation, offset, _count("fetch", fetch)))

    def limit(self, fetch: int, offset: int = 0) -> Table:
        """Only this number of rows, after an offset."""
        return self._with(building.limit(self._relation, _count("limit", offset), _count("limit", fetch)))

    # -- other tables ------------------------------------------------------------------------------

    def join(self, right: Table, join_predicate: Expr | None = None) -> Table:
        """The pairs of rows for which a condition is TRUE; without one all pairs."""
        return self._join(right, "inner", join_predicate)

    def left_outer_join(self, right: Table, join_predicate: Expr | None = None) -> Table:
        """The same as `join`, with rows of the left side that no row fits."""
        return self._join(right, "left", join_predicate)

    def right_outer_join(self, right: Table, join_predicate: Expr) -> Table:
        """The same as `join`, with rows of the right side that no row fits."""
        return self._join(right, "right", join_predicate)

    def full_outer_join(self, right: Table, join_predicate: Expr) -> Table:
        """The same as `join`, with rows of both sides that no row fits."""
        return self._join(right, "full", join_predicate)

    def join_lateral(self, table_function_call: Any, join_predicate: Expr | None = None) -> Table:
        """Each row with those that a table function makes of it: ``f(col("a")).alias("x", "y")``."""
        return self._with(row_operations.lateral(self._query, table_function_call, "inner", join_predicate))

    def left_outer_join_lateral(self, table_function_call: Any, join_predicate: Expr | None = None) -> Table:
        """The same as `join_lateral`, with rows of which the function makes none."""
        return self._with(row_operations.lateral(self._query, table_function_call, "left", join_predicate))

    def minus(self, right: Table) -> Table:
        """The rows that another table has not, each once."""
        return self._combined(right, "minus", False)

    def minus_all(self, right: Table) -> Table:
        """The rows of which another table has fewer, so often."""
        return self._combined(right, "minus", True)

    def union(self, right: Table) -> Table:
        """The rows of both tables, each once."""
        return self._combined(right, "union", False)

    def union_all(self, right: Table) -> Table:
        """The rows of both tables."""
        return self._combined(right, "union", True)

    def intersect(self, right: Table) -> Table:
        """The rows that both tables have, each once."""
        return self._combined(right, "intersect", False)

    def intersect_all(self, right: Table) -> Table:
        """The rows that both tables have, as often as both have them."""
        return self._combined(right, "intersect", True)

    # -- groups ------------------------------------------------------------------------------------

    def group_by(self, *fields: Expr) -> GroupedTable:
        """Groups of rows by keys."""
        return GroupedTable(self, self._query.nodes(fields, "group_by"))

    def window(self, window: GroupWindow) -> GroupWindowedTable:
        """Groups of rows by a window; `group_by` is still to come."""
        if not isinstance(window, GroupWindow):
            raise ValidationError(
                f"window needs a window such as Tumble.over(...).on(...).alias('w'), got {cut(window)}"
            )
        return GroupWindowedTable(self, window)

    def over_window(self, *over_windows: OverWindow) -> OverWindowedTable:
        """Windows of rows around each row; `select` is still to come."""
        for window in over_windows:
            if not isinstance(window, OverWindow):
                raise ValidationError(
                    f"over_window needs a window such as Over.order_by(...).alias('w'), got {cut(window)}"
                )
        return OverWindowedTable(self, over_windows)

    # -- functions of rows -------------------------------------------------------------------------

    def map(self, func: Any) -> Table:
        """What a scalar function makes of each row; the fields of a row that it returns are the columns.

        Args:
            func: What `udf` returns: called with columns, or itself: then it is given the whole row.
        """
        return self._with(row_operations.mapped(self._query, func))

    def flat_map(self, func: Any) -> Table:
        """The rows that a table function makes of each row.

        Args:
            func: What `udtf` returns: called with columns, or itself: then it is given the whole row.
        """
        return self._with(row_operations.flat_mapped(self._query, func))

    def aggregate(self, func: Any) -> AggregatedTable:
        """One row that an aggregate function makes of all rows; `select` is still to come."""
        return GroupedTable(self, []).aggregate(func)

    def flat_aggregate(self, func: Any) -> FlatAggregateTable:
        """The rows that a table aggregate function makes of all rows; `select` is still to come."""
        return GroupedTable(self, []).flat_aggregate(func)

    # -- functions of tables -----------------------------------------------------------------------

    def partition_by(self, *fields: Expr) -> PartitionedTable:
        """The table by partitions, for a process table function: ``partition_by(col("k")).process(f)``."""
        names = []
        for node in self._query.nodes(fields, "partition_by"):
            if not isinstance(node, plan.Name):
                raise ValidationError(f"partition_by needs columns such as col('a'), got {node}")
            self._check(node.parts[0])
            names.append(node.parts[0])
        return PartitionedTable(self, tuple(names))

    def process(self, function: Any, *arguments: Any) -> Table:
        """What a process table function makes of the table.

        Args:
            function: A `ProcessTableFunction`, what `udptf` returns, or the name of a registered one.
            arguments: After the table: constants, tables, and arguments by name: ``lit(3).as_argument("threshold")``.
        """
        return process(self._query.t_env, function, (self, *arguments))

    def as_argument(self, name: str) -> NamedTable:
        """The table as an argument of a process table function, by its parameter's name."""
        return NamedTable(self, (), name)

    # -- what comes of it --------------------------------------------------------------------------

    def execute(self) -> TableResult:
        """Run the query: its rows come to this process."""
        from datastream.table.execution.jobs import run_query

        return run_query(self._query.session, self._relation)

    def to_pandas(self) -> pandas.DataFrame:
        """Run the query to its end and give its rows; of changes, what is left of them.

        Times have the unit of their type's digits, and TIMESTAMP_LTZ has the session's time zone. An ARRAY is an array
        of NumPy, a ROW a dict, a MAP a list of pairs. What nanoseconds cannot hold is in µs.
        """
        from datastream.table.api.pandas_tables import frame_of

        return frame_of(self.execute(), self._query.session.config.zone)

    def execute_insert(self, table_path_or_descriptor: str | TableDescriptor, overwrite: bool = False) -> TableResult:
        """Start a job that writes the rows into a table.

        Args:
            table_path_or_descriptor: The table.
            overwrite: What is in it goes away.
        """
        return self.insert_into(table_path_or_descriptor, overwrite).execute()

    def insert_into(self, table_path_or_descriptor: str | TableDescriptor, overwrite: bool = False) -> TablePipeline:
        """A pipeline that writes the rows into a table; it runs with `execute`, or in a `StatementSet`."""
        from datastream.table.api.table_pipeline import pipeline_into

        pipeline = pipeline_into(self._query, table_path_or_descriptor, overwrite)
        self._query.session.unexecuted.append(pipeline.target)
        return pipeline

    def get_schema(self) -> TableSchema:
        """Names and types of the columns."""
        return self.get_resolved_schema().to_table_schema()

    def get_resolved_schema(self) -> ResolvedSchema:
        """The columns."""
        if self._declared is not None:
            return ResolvedSchema.of_table(self._declared, self._relation)
        return ResolvedSchema.of_relation(self._relation)

    def print_schema(self) -> None:
        """Print the columns."""
        print(self.get_resolved_schema())

    def explain(self, *extra_details: ExplainDetail) -> str:
        """The plan as text."""
        from datastream.table.execution.explaining import explained

        return explained(self._query.session, [self._relation], extra_details)

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Print the plan."""
        print(self.explain(*extra_details))

    def _repr_html_(self) -> str:
        """The columns and the plan, for a notebook. Nothing runs."""
        from datastream.table.plan.explain import logical_plan
        from datastream.table.results.html import html_schema

        return html_schema(self.get_resolved_schema(), logical_plan(self._relation))

    def to_changelog(self, *arguments: Expr) -> Table:
        """The kind of each row as a column."""
        raise UnsupportedOperation(
            "to_changelog: use StreamTableEnvironment.to_changelog_stream, whose rows have kinds"
        )

    def from_changelog(self, *arguments: Expr) -> Table:
        """A changelog out of a column with kinds."""
        raise UnsupportedOperation("from_changelog: use StreamTableEnvironment.from_changelog_stream")

    def __str__(self) -> str:
        """A name by which SQL finds the table: ``t_env.sql_query(f"SELECT * FROM {table}")``."""
        if self._name is None:
            self._name = self._query.session.name_relation(self._relation)
        return self._name

    def __repr__(self) -> str:
        return f"Table({', '.join(f'{column.name} {column.type}' for column in self._relation.columns)})"

    # -- the inside --------------------------------------------------------------------------------

    @property
    def _relation(self) -> Relation:
        return self._query.relation

    @property
    def _functions(self) -> FunctionRegistry:
        return self._query.functions

    def _with(self, relation: Relation) -> Table:
        return Table(relation, self._query.t_env)

    def _select(self, nodes: Iterable[plan.Expression]) -> Table:
        return self._with(self._query.project(nodes))

    def _join(self, right: Table, kind: str, predicate: Expr | None) -> Table:
        self._same_environment(right, "join")
        condition = None
        if predicate is not None:
            condition = checked_expression(predicate, "join", self._functions.is_of_users).node
            self._functions.adopt(functions_of([predicate]))
        elif kind != "inner":
            condition = plan.Literal(True, type=DataTypes.BOOLEAN(False))
        return self._with(building.join(self._relation, right._relation, kind, condition, self._functions))

    def _combined(self, right: Table, kind: str, all: bool) -> Table:
        self._same_environment(right, kind)
        if kind == "union" and not all:
            return self._with(building.union(self._relation, right._relation, self._functions))
        return self._with(building.set_operation(self._relation, right._relation, kind, all))

    def _same_environment(self, right: Table, call: str) -> None:
        if not isinstance(right, Table):
            raise ValidationError(f"{call} needs another table, got {cut(right)}")
        if right._query.t_env is not self._query.t_env:
            raise ValidationError("Only tables from the same TableEnvironment can be joined.")

    def _check(self, name: str) -> None:
        from datastream.table.plan.errors import unknown

        if name not in self._relation.names:
            raise unknown("column", name, self._relation.names)


def _name(node: plan.Expression) -> str | None:
    if isinstance(node, plan.Alias):
        return node.name
    return node.parts[-1] if isinstance(node, plan.Name) else None


def _count(call: str, number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValidationError(f"{call} needs a number of rows from 0, got {cut(number)}")
    return number


def _without_offset(relation: Relation) -> tuple[Relation, int]:
    """A relation without the offset that was set last, and that one: ``offset(5).fetch(10)`` is one limit."""
    if isinstance(relation, Sort) and relation.limit is None and relation.offset:
        below = replace(relation, offset=0) if relation.order else relation.input
        return below, relation.offset
    return relation, 0


def declared_of(table: Table) -> Schema | None:
    """How the columns of a table are declared; None: they are a query's."""
    return table._declared  # noqa: SLF001 - users see the columns
