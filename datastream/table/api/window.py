"""Windows: `Tumble`, `Slide` and `Session` of groups, `Over` of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.table.dsl.base import names_of
from datastream.table.dsl.expression import Expression
from datastream.table.dsl.text_expressions import checked_expression
from datastream.table.plan import expressions as plan
from datastream.table.planner.windows import GroupWindow as PlannedWindow

Expr = Expression[Any]


@dataclass(frozen=True)
class GroupWindow:
    """A window of groups, to be given to `Table.window`.

    Attributes:
        planned: The window.
    """

    planned: PlannedWindow


@dataclass(frozen=True)
class WindowOnTime:
    """A window with its time attribute; `alias` is still to come."""

    _window: PlannedWindow

    def alias(self, alias: str) -> GroupWindow:
        """Give it the name by which `group_by` and `select` refer to it."""
        return GroupWindow(replace(self._window, alias=_alias(alias)))


@dataclass(frozen=True)
class WindowWithSize:
    """A window with its size; `on` is still to come."""

    _kind: str
    _size: plan.Expression
    _slide: plan.Expression | None = None

    def on(self, time_field: Expr) -> WindowOnTime:
        """Set the time attribute."""
        time = checked_expression(time_field, "on").node
        return WindowOnTime(PlannedWindow(self._kind, time, self._size, self._slide))


@dataclass(frozen=True)
class SlideWithSize:
    """A sliding window with its size; `every` is still to come."""

    _size: plan.Expression

    def every(self, slide: Expr) -> WindowWithSize:
        """Set the time from a start to the next."""
        return WindowWithSize("hop", self._size, checked_expression(slide, "every").node)


class Tumble:
    """Windows of one length, one after the other."""

    @classmethod
    def over(cls, size: Expr) -> WindowWithSize:
        """Set the length, such as ``lit(10).minutes``."""
        return WindowWithSize("tumble", checked_expression(size, "Tumble.over").node)


class Slide:
    """Windows of one length that start more often than that."""

    @classmethod
    def over(cls, size: Expr) -> SlideWithSize:
        """Set the length, such as ``lit(10).minutes``."""
        return SlideWithSize(checked_expression(size, "Slide.over").node)


class Session:
    """Windows that end where nothing comes for a time."""

    @classmethod
    def with_gap(cls, gap: Expr) -> WindowWithSize:
        """Set that time, such as ``lit(10).minutes``."""
        return WindowWithSize("session", checked_expression(gap, "Session.with_gap").node)


@dataclass(frozen=True)
class OverWindow:
    """A window of rows around each row, to be given to `Table.over_window`.

    Attributes:
        alias: Its name.
        partition: By what rows are apart.
        order: The time attribute, or what else orders the rows.
        start: What its first row is.
        end: What its last row is; None: the current row.
    """

    alias: str
    partition: tuple[plan.Expression, ...]
    order: plan.Expression
    start: plan.Expression
    end: plan.Expression | None = None

    def applied(self, call: plan.Call) -> plan.Over:
        """An aggregate over the window."""
        order = self.order if isinstance(self.order, plan.Order) else plan.Order(self.order)
        rows = any(_is_rows(bound) for bound in (self.start, self.end) if bound is not None)
        rows |= call.function in ("LAG", "LEAD")  # as in Flink, which compares rows of one time in SQL alone
        frame = ("ROWS" if rows else "RANGE", _bound(self.start), plan.Literal(0) if self.end is None else self._last())
        return plan.Over(call, self.partition, (order,), frame)

    def _last(self) -> plan.Expression | None:
        assert self.end is not None
        return _bound(self.end)


@dataclass(frozen=True)
class OverWindowPreceding:
    """An OVER window with its first row."""

    _window: OverWindow

    def following(self, following: Expr) -> OverWindowPreceding:
        """Set its last row: ``CURRENT_ROW`` or ``CURRENT_RANGE``."""
        end = checked_expression(following, "following").node
        return OverWindowPreceding(replace(self._window, end=end))

    def alias(self, alias: str) -> OverWindow:
        """Give it the name by which `Expression.over` refers to it."""
        return replace(self._window, alias=_alias(alias))


@dataclass(frozen=True)
class OverWindowOrdered:
    """An OVER window with its order."""

    _partition: tuple[plan.Expression, ...]
    _order: plan.Expression

    def preceding(self, preceding: Expr) -> OverWindowPreceding:
        """Set its first row: ``UNBOUNDED_ROW``, ``row_interval(5)``, ``UNBOUNDED_RANGE`` or ``lit(10).minutes``."""
        start = checked_expression(preceding, "preceding").node
        return OverWindowPreceding(OverWindow("", self._partition, self._order, start))

    def alias(self, alias: str) -> OverWindow:
        """Give it its name; it begins with the first row of the partition."""
        return OverWindow(_alias(alias), self._partition, self._order, plan.Call("unboundedRange"))


@dataclass(frozen=True)
class OverWindowPartitioned:
    """An OVER window with its partitions; `order_by` is still to come."""

    _partition: tuple[plan.Expression, ...]

    def order_by(self, order_by: Expr) -> OverWindowOrdered:
        """Set the order: a time attribute, or in batch mode any column."""
        return OverWindowOrdered(self._partition, checked_expression(order_by, "order_by").node)


class Over:
    """Windows of the rows around each row."""

    @classmethod
    def order_by(cls, order_by: Expr) -> OverWindowOrdered:
        """Set the order: a time attribute, or in batch mode any column."""
        return OverWindowOrdered((), checked_expression(order_by, "Over.order_by").node)

    @classmethod
    def partition_by(cls, *partition_by: Expr) -> OverWindowPartitioned:
        """Set by what rows are apart."""
        nodes: list[plan.Expression] = []
        given: tuple[Any, ...] = partition_by
        for each in given:
            if isinstance(each, str):
                from datastream.table.dsl.text_expressions import text_expressions

                nodes += [key.node for key in text_expressions(each, "Over.partition_by")]
            else:
                nodes.append(checked_expression(each, "Over.partition_by").node)
        return OverWindowPartitioned(tuple(nodes))


def _alias(alias: Any) -> str:
    if isinstance(alias, str) and not alias:
        raise ValidationError(f"a window needs a name, got {cut(alias)}")
    return names_of([alias], "alias")[0]


def _is_rows(bound: plan.Expression) -> bool:
    from datastream.table.types.logical_types import BigIntType, IntType

    if isinstance(bound, plan.Call):
        return bound.function in ("unboundedRow", "currentRow")
    return isinstance(bound.type, (BigIntType, IntType))


def _bound(bound: plan.Expression) -> plan.Expression | None:
    if isinstance(bound, plan.Call) and bound.function in ("unboundedRow", "unboundedRange"):
        return None
    if isinstance(bound, plan.Call) and bound.function in ("currentRow", "currentRange"):
        return plan.Literal(0)
    return bound
