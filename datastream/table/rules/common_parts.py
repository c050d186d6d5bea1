"""Equal parts of plans are one relation, so that their operators are made once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import count
from typing import Any

from datastream.table.functions.entry import AggregateEntry
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.expression_trees import walk
from datastream.table.plan.expressions import Call, Expression
from datastream.table.plan.relations import Predict, ProcessTable, Relation, Scan

from .rebuild import with_inputs


def with_common_parts(relations: Sequence[Relation], functions: FunctionLookup, scans: bool = True) -> list[Relation]:
    """The same plans, in which relations that are equal are the same object.

    Relations that call models, process table functions or functions that are not deterministic stay apart, and so do
    those above them.

    Args:
        relations: The plans of one job.
        functions: Those that they may call.
        scans: Equal scans are the same object even if what reads them differs.
    """
    parts = _Parts(functions, scans)
    return [parts.one(each) for each in relations]


class _Parts:
    def __init__(self, functions: FunctionLookup, scans: bool) -> None:
        self._functions, self._scans = functions, scans
        self._numbers = count()
        #: Class, and numbers of the inputs -> relations that differ, with their numbers.
        self._found: dict[tuple[Any, ...], list[tuple[Relation, int]]] = {}
        #: id of a relation -> it, the one that takes its place, and a number that equal relations share.
        self._seen: dict[int, tuple[Relation, Relation, int]] = {}

    def one(self, relation: Relation) -> Relation:
        """The relation that takes the place of all that are equal to this one."""
        if id(relation) not in self._seen:
            place, number = self._place(with_inputs(relation, self.one))
            self._seen[id(relation)] = relation, place, number
            self._seen[id(place)] = place, place, number
        return self._seen[id(relation)][1]

    def _place(self, made: Relation) -> tuple[Relation, int]:
        if self._stays_apart(made):
            return made, next(self._numbers)
        below = tuple(self._seen[id(each)][2] for each in made.inputs)
        alike = self._found.setdefault((type(made), *below), [])
        for first, number in alike:
            if _equal(first, made):
                return (made if isinstance(made, Scan) and not self._scans else first), number
        alike.append((made, next(self._numbers)))
        return alike[-1]

    def _stays_apart(self, relation: Relation) -> bool:
        if isinstance(relation, Predict | ProcessTable):
            return True
        found = (self._functions.find(call.function) for call in _calls(_own(relation)))
        return not all(each is None or isinstance(each, AggregateEntry) or each.deterministic for each in found)


def _own(relation: Relation) -> tuple[Any, ...]:
    """What a relation is, without its inputs."""
    values = (getattr(relation, each.name) for each in fields(relation))
    return tuple(value for value in values if not isinstance(value, Relation))


def _equal(one: Relation, other: Relation) -> bool:
    """Whether relations over the same inputs are equal; constants such as 0.0 and -0.0 differ in their text only."""
    mine, others = _own(one), _own(other)
    return mine == others and repr(mine) == repr(others)


def _calls(value: Any) -> Iterator[Call]:
    """The calls in a value of a relation."""
    if isinstance(value, Expression):
        yield from (part for part in walk(value) if isinstance(part, Call))
    elif isinstance(value, tuple):
        for each in value:
            yield from _calls(each)
    elif is_dataclass(value):
        for each in fields(value):
            yield from _calls(getattr(value, each.name))
