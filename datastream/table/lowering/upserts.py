"""Which columns an update must leave as they are, so that the row that it replaces need not be given."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.table.functions.entry import Entry
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.expression_trees import walk
from datastream.table.plan.expressions import Call, Expression, Field
from datastream.table.plan.relations import Filter, Project, Relation, Watermark


def read_by(relation: Relation, upserted: frozenset[int] | None, functions: FunctionLookup) -> frozenset[int] | None:
    """The columns of a relation's input that must stay the same in an update.

    Args:
        relation: A step over single rows.
        upserted: The columns of its own that must.
        functions: Finds functions.

    Returns:
        None: the replaced row is needed whatever stays, as a function may give several rows, or another one.
    """
    if upserted is None:
        return None
    if isinstance(relation, Project):
        return _read([relation.expressions[i] for i in upserted], functions)
    if isinstance(relation, Filter):
        read = _read([relation.condition], functions)
        return None if read is None else upserted | read
    return None


def needs_replaced(relation: Relation, functions: FunctionLookup, key: Sequence[int | None]) -> bool:
    """Whether a relation above changes has to know the replaced rows: it filters by more than what stays the same.

    Args:
        relation: It.
        functions: Finds functions.
        key: The columns that stay.
    """
    stays: frozenset[int] | None = frozenset(each for each in key if each is not None)
    while isinstance(relation, Project | Filter | Watermark):
        if stays is None or (isinstance(relation, Filter) and not _reads_only(relation.condition, stays, functions)):
            return True
        stays = stays if isinstance(relation, Watermark) else read_by(relation, stays, functions)
        relation = relation.input
    return False


def _reads_only(condition: Expression, columns: frozenset[int], functions: FunctionLookup) -> bool:
    read = _read([condition], functions)
    return read is not None and read <= columns


def _read(expressions: list[Expression], functions: FunctionLookup) -> frozenset[int] | None:
    found = set()
    for part in (part for each in expressions for part in walk(each)):
        if isinstance(part, Field):
            found.add(part.index)
        elif isinstance(part, Call):
            entry = functions.find(part.function)
            if not isinstance(entry, Entry) or not entry.deterministic:
                return None
    return frozenset(found)
