"""Columns that are not used, of joins with a table as of a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from datastream.table.plan.expression_trees import fields_of, move_fields
from datastream.table.plan.relations import Relation
from datastream.table.plan.temporal_relations import LookupJoin, TemporalJoin

from .lookup_joins import reads_of

#: Columns before -> columns after.
Places = dict[int, int]
#: A relation that has exactly the wanted columns, and where each column is now.
Only = Callable[[Relation, list[int]], tuple[Relation, Places]]


def temporal_pruned(relation: TemporalJoin | LookupJoin, want: list[int], only: Only) -> tuple[Relation, Places]:
    """A join that has the wanted columns and may have others, and where each column is now.

    Args:
        relation: The join.
        want: Columns that are read.
        only: Prunes its inputs.
    """
    count = len(relation.left.columns)
    read = {*want, *(fields_of(relation.condition) if relation.condition is not None else ())}
    read |= reads_of(relation) if isinstance(relation, LookupJoin) else {relation.time, count + relation.versioned_at}
    read |= {0} if all(i >= count for i in read) else set()  # a row has to have something
    read |= {count} if all(i < count for i in read) else set()
    left, of_left = only(relation.left, sorted(i for i in read if i < count))
    right, of_right = only(relation.right, sorted(i - count for i in read if i >= count))
    width = len(left.columns)
    places = {**of_left, **{i + count: place + width for i, place in of_right.items()}}
    kept = sorted(read)
    columns = tuple(relation.columns[i] for i in kept)
    condition = None if relation.condition is None else move_fields(relation.condition, places)
    sides = replace(relation, left=left, right=right, columns=columns)
    if isinstance(sides, TemporalJoin):
        assert condition is not None
        at = places[count + sides.versioned_at] - width
        made: Relation = replace(sides, condition=condition, time=places[sides.time], versioned_at=at)
    else:
        keys = tuple(key if key.left is None else replace(key, left=places[key.left]) for key in sides.keys)
        before = None if sides.before is None else move_fields(sides.before, places)
        made = replace(sides, condition=condition, keys=keys, before=before)
    return made, {i: places[i] for i in kept}
