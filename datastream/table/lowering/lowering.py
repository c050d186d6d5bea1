"""The object that lowers the relations of a job, and the lowerings of their classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from datastream.errors import UnsupportedOperation
from datastream.graph import Hash
from datastream.graph.builder import Node
from datastream.graph.operators import Calc, Joining, Operator
from datastream.table.codegen.calc import RowCompiler
from datastream.table.codegen.inside_types import inside_key, inside_row
from datastream.table.plan.expressions import Expression, Field
from datastream.table.plan.relations import Column, Project, Relation, Scan, StreamScan
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import DataType, DoubleType, FloatType, MapType, MultisetType, is_nullable

from .context import Lowered, LoweringContext
from .options import lowering_options
from .orders import column_of
from .selectors import key_selector
from .uids import Uids

L = TypeVar("L", bound=Callable[..., Lowered])

_LOWERINGS: dict[type[Relation], Callable[[Lowering, Any, frozenset[int] | None], Lowered]] = {}


def lowers(*kinds: type[Relation]) -> Callable[[L], L]:
    """Register a function as the lowering of classes: it takes what `Lowering.lower` does, after the `Lowering`."""

    def register(lower: L) -> L:
        _LOWERINGS.update(dict.fromkeys(kinds, lower))
        return lower

    return register


class Lowering:
    """Makes operators. A relation that stands in a plan twice is made once.

    Args:
        context: Where streams, tables and functions are.
        uids: Of a plan that is kept: those of all operators that get one; see `Uids`.

    Attributes:
        context: See above.
        options: What the options ``table.*`` say.
        uids: Gives operators their uids.
    """

    def __init__(self, context: LoweringContext, uids: Sequence[str] | None = None) -> None:
        self.context = context
        self.options = lowering_options(context.config)
        self.uids = Uids(context.builder, uids)
        self._made: dict[tuple[int, frozenset[int] | None], tuple[Relation, Lowered]] = {}

    def lower(self, relation: Relation, upserted: frozenset[int] | None = None) -> Lowered:
        """Make the operators of a relation.

        Args:
            relation: Resolved.
            upserted: The rows are written by these columns, a key, so that the row that an update replaces need not be
                given where they are the same in both; None: it has to be.

        Raises:
            UnsupportedOperation: A part of it is not supported yet.
        """
        upserted = None if isinstance(relation, Scan | StreamScan) else upserted
        whole = self._made.get((id(relation), None))
        if whole is not None:
            return whole[1]
        key = id(relation), upserted
        if key not in self._made:
            with self.uids.inside(relation):
                lower = _LOWERINGS.get(type(relation))
                if lower is None:
                    raise not_yet(type(relation).__name__)
                self._made[key] = relation, lower(self, relation, upserted)
        return self._made[key][1]

    def lower_side(self, relation: Relation, name: str, upserted: frozenset[int] | None = None) -> Lowered:
        """Make the operators of one of two inputs, ``left`` or ``right``."""
        with self.uids.below(name):
            return self.lower(relation, upserted)

    def give(self, rows: Lowered) -> Relation:
        """A relation that is lowered already: to these rows."""
        given = StreamScan("", columns=rows.columns)
        self._made[id(given), None] = given, rows
        return given

    def made(self, relation: Relation) -> Lowered | None:
        """What a relation was lowered to; None: it is a part of the operators of another one, or was not lowered."""
        found = (made for (id_, _), (_, made) in self._made.items() if id_ == id(relation))
        return next(found, None)

    def changes(self, relation: Relation) -> bool:
        """Whether a relation updates or deletes its rows; one that is a part of others does if what it reads does."""
        made = self.made(relation)
        return any(map(self.changes, relation.inputs)) if made is None else made.updates

    def ttl_ms(self, hinted: int | None = None) -> int:
        """After which time without a change state is forgotten, in ms; 0: never.

        Args:
            hinted: What a hint says; None: what the options do.
        """
        if self.context.batch or hinted is None:
            return 0 if self.context.batch else self.options.ttl_ms
        return hinted

    # -- rows ----------------------------------------------------------------------------------------

    def compiler(self, below: Lowered) -> RowCompiler:
        """What compiles expressions over rows."""
        return self.compiler_over(below.columns, below.updates)

    def compiler_over(self, columns: Sequence[Column], updates: bool = False) -> RowCompiler:
        """What compiles expressions over columns; `updates`: the kind of the row comes first."""
        nullable = [is_nullable(column.type) for column in columns]
        zone, kinds = self.options.zone, types(columns)
        return RowCompiler(len(columns), updates, self.context.functions, zone, nullable, kinds)

    def calculate(self, below: Lowered, compiler: RowCompiler, columns: Sequence[Column], name: str) -> Lowered:
        """Make the columns that a compiler has the code of."""
        columns = tuple(columns)
        if compiler.passes:
            return Lowered(below.node, columns, below.updates)
        row = inside_row(types(columns), below.updates)
        return Lowered(in_place(below.node, Calc, name, code=compiler.code(), output_type=row), columns, below.updates)

    def select(self, below: Lowered, columns: Sequence[Column], places: Sequence[int] | None = None) -> Lowered:
        """Take some columns of rows; `places`: where they are; None: in front."""
        compiler = self.compiler(below)
        wanted = range(len(columns)) if places is None else places
        compiler.project([Field(i, each.name, type=each.type) for i, each in zip(wanted, columns, strict=True)])
        return self.calculate(below, compiler, columns, f"Calc({listed(columns)})")

    def add_columns(self, below: Lowered, wanted: Sequence[Expression]) -> tuple[Lowered, list[int]]:
        """The rows with expressions as columns, after the others where they are no columns; the place of each."""
        found = [column_of(each) for each in wanted]
        places = [place for place in found if place is not None]
        if len(places) == len(found):
            return below, places
        fields = [Field(i, column.name, type=column.type) for i, column in enumerate(below.columns)]
        columns = [*below.columns, *(Column(f"${i}", type_of(each)) for i, each in enumerate(wanted))]
        made = self.lower(Project(self.give(below), (*fields, *wanted), columns=tuple(columns)))
        return made, [len(fields) + i for i in range(len(wanted))]

    # -- operators by key ----------------------------------------------------------------------------

    def keyed(self, below: Lowered, keys: Sequence[int], kind: type[Operator], name: str, **fields: Any) -> Node:
        """An operator of rows by key.

        Args:
            below: The rows.
            keys: Indexes of the key's columns; empty: all rows are of one key.
            kind: Of the operator.
            name: Of the operator.
            fields: Of the operator.
        """
        key_types = [below.columns[key].type for key in keys]
        key = "key," if len(keys) == 1 else "*key," if keys else ""
        if any(map(may_be_pickled, key_types)):
            key = key.replace("key", "user_key(key)")
        if not keys:
            fields |= {"parallelism": 1, "non_parallel": True}
        node = partitioned(below, keys)
        return node.then(kind, name, key=key, fits=True, uid=self.uids.here(), **fields)

    def two_inputs(
        self,
        operator: type[Joining],
        name: str,
        left: Lowered,
        right: Lowered,
        keys: tuple[Sequence[Expression], Sequence[Expression]],
        columns: tuple[Column, ...],
        updates: bool,
        **fields: Any,
    ) -> Lowered:
        """An operator of the rows of two inputs by key; `updates`: its results have their kind in front."""
        inputs: list[Node] = []
        for side, wanted in zip((left, right), keys, strict=True):
            keyed, places = self.add_columns(side, wanted)
            # Numbers of different types may be equal, so keys travel as they are.
            selector = key_selector([place + side.updates for place in places])
            inputs.append(keyed.node.partitioned(Hash(selector)))
        alone = {} if keys[0] else {"parallelism": 1, "non_parallel": True}
        node = self.context.builder.add(
            operator,
            name,
            inputs,
            widths=(len(left.columns), len(right.columns)),
            uid=self.uids.here(),
            output_type=inside_row(types(columns), updates),
            fits=True,
            **alone,
            **fields,
        )
        return Lowered(node, columns, updates)


def partitioned(below: Lowered, keys: Sequence[int]) -> Node:
    """The rows by a key of columns, which travels beside them; without columns all are of one key."""
    kinds = [below.columns[key].type for key in keys]
    by = Hash(key_selector([place + below.updates for place in keys]), inside_key(kinds) if keys else None)
    return below.node.partitioned(by)


def by_columns(below: Lowered, places: Sequence[int]) -> Node:
    """The rows, those that are equal in some columns in one subtask."""
    selector = key_selector([place + below.updates for place in places])
    return below.node.partitioned(Hash(selector, inside_key([below.columns[place].type for place in places])))


def in_place(node: Node, kind: type[Operator], name: str, **fields: Any) -> Node:
    """An operator in the subtasks of the one before it, so that rows keep their order."""
    before = node.operator
    subtasks = {"parallelism": before.parallelism, "non_parallel": before.non_parallel}
    return node.then(kind, name, fits=True, **subtasks, **fields)


def without_replaced(lowering: Lowering, below: Lowered) -> Lowered:
    """Changes without the rows -U."""
    compiler = lowering.compiler(below)
    compiler.block(f"if {compiler.record}[0] != 1", "DropUpdateBefore")
    row = inside_row(types(below.columns), True)
    node = in_place(below.node, Calc, "DropUpdateBefore", code=compiler.code(), output_type=row)
    return replace(below, node=node)


def may_be_pickled(kind: DataType) -> bool:
    """Whether a value, such as NaN or a map, has no equality that all processes know."""
    return isinstance(kind, (FloatType, DoubleType, MapType, MultisetType)) or kind.type_name() in ("ARRAY", "ROW")


def types(columns: Sequence[Column]) -> list[DataType]:
    """The types of columns."""
    return [column.type for column in columns]


def listed(columns: Sequence[Column]) -> str:
    """Columns, as names of operators have them."""
    text = ", ".join(column.name for column in columns)
    return f"select=[{text if len(text) <= 100 else text[:97] + '...'}]"


def not_yet(what: str) -> UnsupportedOperation:
    """The error of what cannot be lowered."""
    return UnsupportedOperation(f"{what}: this operation of tables is not there yet")
