"""Which columns an update must leave as they are, so that the row that it replaces need not be given."""

from __future__ import annotations

from datastream.table.functions.entry import Entry
from datastream.table.plan.expressions import Call, Expression, Field
from datastream.table.plan.lookup import FunctionLookup
from datastream.table.plan.relations import Filter, Project, Relation
from datastream.table.plan.resolver import walk


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
