"""Tables whose rows are grouped, and whose `select` is still to come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError
from datastream.missing_names import MissingNames
from datastream.table.api import row_operations
from datastream.table.api.columns import with_windows
from datastream.table.api.query import Query, query_of
from datastream.table.api.window import GroupWindow, OverWindow
from datastream.table.dsl.expression import Expression
from datastream.table.plan import expressions as plan
from datastream.table.plan.relations import Relation
from datastream.table.planner import building, grouping
from datastream.table.planner.windows import properties_in

if TYPE_CHECKING:
    from datastream.table.api.table import Table

Expr = Expression[Any]


class GroupedTable(MissingNames):
    """Rows that are grouped by keys."""

    def __init__(self, table: Table, keys: Sequence[plan.Expression]) -> None:
        self._query, self._keys = query_of(table), list(keys)

    def select(self, *fields: Expr) -> Table:
        """One row for each group, of keys and aggregates."""
        query = self._query
        nodes = _with_keys(query.nodes(fields, "select"), self._keys)
        return _table(query, grouping.aggregate(query.relation, self._keys, nodes, query.functions))

    def aggregate(self, func: Any) -> AggregatedTable:
        """The row that an aggregate function makes of each group, after the keys; `select` is still to come.

        Args:
            func: What `udaf` returns: called with columns, or itself: then it is given whole rows.
        """
        return AggregatedTable(_table(self._query, row_operations.aggregated(self._query, self._keys, None, func)))

    def flat_aggregate(self, func: Any) -> FlatAggregateTable:
        """The rows that a table aggregate function makes of each group; `select` is still to come.

        Args:
            func: What `udtaf` returns: called with columns, or itself: then it is given whole rows.
        """
        return FlatAggregateTable(_table(self._query, row_operations.flat_aggregated(self._query, self._keys, func)))


class AggregatedTable(MissingNames):
    """What an aggregate function made of groups."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def select(self, *fields: Expr) -> Table:
        """The columns that are wanted of it."""
        return self._table.select(*fields)


class WindowAggregatedTable(AggregatedTable):
    """What an aggregate function made of groups in windows."""

    def __init__(self, query: Query, keys: Sequence[plan.Expression], window: GroupWindow, func: Any) -> None:
        super().__init__(_table(query, row_operations.aggregated(query, keys, window, func)))
        self._given = query, keys, window, func

    def select(self, *fields: Expr) -> Table:
        """The columns that are wanted of it, and ``col("w").start``, ``.end``, ``.rowtime``."""
        query, keys, window, func = self._given
        nodes = query_of(self._table).nodes(fields, "select")
        alias = str(window.planned.alias)
        asked = list(dict.fromkeys(call for node in nodes for call in properties_in(node, alias)))
        if not asked:
            return self._table.select(*fields)
        made = row_operations.aggregated(query, keys, window, func, asked)
        names: dict[plan.Expression, plan.Expression] = {}
        for call, name in zip(asked, made.names[len(made.names) - len(asked) :], strict=True):
            names[call] = plan.Name((name,))
        wanted = [row_operations.replaced(node, names) for node in nodes]
        return _table(query, building.project(made, wanted, query.functions))


class FlatAggregateTable(MissingNames):
    """What a table aggregate function made of groups."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def select(self, *fields: Expr) -> Table:
        """The columns that are wanted of it."""
        return self._table.select(*fields)


class GroupWindowedTable(MissingNames):
    """Rows in windows; `group_by` is still to come."""

    def __init__(self, table: Table, window: GroupWindow) -> None:
        self._table, self._window = table, window

    def group_by(self, *fields: Expr) -> WindowGroupedTable:
        """Group by the window, which has to be among the keys by its alias, and other keys."""
        nodes = query_of(self._table).nodes(fields, "group_by")
        alias = plan.Name((str(self._window.planned.alias),))
        if alias not in nodes:
            raise ValidationError(f"GroupBy must contain exactly one window alias: add col('{alias}')")
        return WindowGroupedTable(self._table, self._window, [node for node in nodes if node != alias])


class WindowGroupedTable(MissingNames):
    """Rows that are grouped by a window and keys."""

    def __init__(self, table: Table, window: GroupWindow, keys: Sequence[plan.Expression]) -> None:
        self._query, self._window, self._keys = query_of(table), window, list(keys)

    def select(self, *fields: Expr) -> Table:
        """One row for each group, of keys, aggregates, and ``col("w").start``, ``.end``, ``.rowtime``."""
        query, window = self._query, self._window.planned
        nodes = _with_keys(query.nodes(fields, "select"), self._keys)
        return _table(query, grouping.window_aggregate(query.relation, window, self._keys, nodes, query.functions))

    def aggregate(self, func: Any) -> AggregatedTable:
        """The row that an aggregate function makes of each group; `select` is still to come.

        Args:
            func: What `udaf` returns: called with columns, or itself: then it is given whole rows.
        """
        return WindowAggregatedTable(self._query, self._keys, self._window, func)


class OverWindowedTable(MissingNames):
    """Rows with windows around each of them."""

    def __init__(self, table: Table, windows: Sequence[OverWindow]) -> None:
        self._query = query_of(table)
        self._windows = {window.alias: window for window in windows}
        if len(self._windows) < len(windows):
            raise ValidationError("over_window: two windows have the same alias")

    def select(self, *fields: Expr) -> Table:
        """One row for each row, of columns and aggregates such as ``col("a").sum.over(col("w"))``."""
        query = self._query
        if query.session.streaming:
            for window in self._windows.values():
                self._check_order(window)
        return _table(query, query.project(with_windows(node, self._windows) for node in query.nodes(fields, "select")))

    def _check_order(self, window: OverWindow) -> None:
        """Refuse an order that is no time attribute, as Flink does in the Table API.

        Raises:
            ValidationError: It is none.
        """
        order = window.order.arg if isinstance(window.order, plan.Order) else window.order
        columns = self._query.relation.columns
        column = next((each for each in columns if plan.Name((each.name,)) == order), None)
        if column is None or column.time is None:
            raise ValidationError(
                f"Invalid function call: the OVER window '{window.alias}' is ordered by {order}, and in streaming mode "
                "its order must be a time attribute; SQL takes other columns too"
            )


def _table(query: Query, relation: Relation) -> Table:
    from datastream.table.api.table import Table

    return Table(relation, query.t_env)


def _with_keys(nodes: Sequence[plan.Expression], keys: Sequence[plan.Expression]) -> list[plan.Expression]:
    """Expressions with the keys in the place of their names: ``group_by(col("a").alias("k")).select(col("k"))``."""
    named: dict[plan.Expression, plan.Alias] = {
        plan.Name((key.name,)): key for key in keys if isinstance(key, plan.Alias)
    }
    bare: dict[plan.Expression, plan.Expression] = {name: key.arg for name, key in named.items()}
    return [named[node] if node in named else row_operations.replaced(node, bare) for node in nodes]
