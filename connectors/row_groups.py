"""Row groups of Parquet files that hold no row for which a predicate is true, by their statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.io import Predicate


def may_hold(group: Any, predicates: Sequence[Predicate]) -> bool:
    """Whether a row group may have rows for which all predicates are true.

    Args:
        group: Its metadata, of pyarrow.
        predicates: On columns of the file by their names; values as pyarrow returns them.
    """
    if not predicates:
        return True
    columns = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
    return all(_may_pass(columns.get(each.column), each) for each in predicates)


def _may_pass(column: Any, predicate: Predicate) -> bool:
    found = column.statistics if column is not None and column.is_stats_set else None
    if found is None:
        return True
    nulls = found.null_count if found.has_null_count else None
    if predicate.operator == "IS NULL":
        return nulls != 0
    if nulls is not None and nulls == column.num_values:
        return False
    if not found.has_min_max or isinstance(found.min, float):  # NaN is in no range
        return True
    try:
        return predicate.may_pass(found.min, found.max)
    except TypeError:  # the file's values are of another type
        return True
