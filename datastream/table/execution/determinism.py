"""``table.optimizer.non-deterministic-update.strategy``: values of chance in rows that are updated or deleted later.

A row is taken back by a change that equals it, or has its key. Where a column is computed by a function that is not
deterministic, the change has another value there, and the row is not found. The rules are those of Flink's
``StreamNonDeterministicUpdatePlanVisitor``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from datastream.table.catalogs.errors import TableException
from datastream.table.config.table_config import NON_DETERMINISTIC_UPDATE
from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.expression_trees import conjuncts, replace_fields, walk
from datastream.table.plan.expressions import Call, Expression, Field
from datastream.table.plan.relations import (
    Aggregate,
    Correlate,
    Filter,
    FromChangelog,
    Join,
    OverAggregate,
    Predict,
    ProcessTable,
    Project,
    Rank,
    Relation,
    RowFunction,
    Scan,
    SetOperation,
    ToChangelog,
    WindowAggregate,
    WindowTable,
)
from datastream.table.plan.temporal_relations import LookupJoin, TemporalJoin
from datastream.table.planner.upsert_keys import PrimaryKey, upsert_keys
from datastream.table.planner.windowed import equal_fields

if TYPE_CHECKING:
    from datastream.table.lowering.lowering import Lowering

#: Columns whose values have to be the same each time.
Required = frozenset[int]

_NONE: Required = frozenset()


@dataclass(frozen=True)
class Determinism:
    """Tests the relations of a plan.

    Attributes:
        changes: Whether a relation of the plan updates or deletes its rows.
        forward: Whether the rows of a `Rank` replace each other by a key, so that it knows which one a change is of.
        primary_key: Of tables.
        metadata: The columns of a table that are of its connector's metadata.
        functions: Finds functions.
    """

    changes: Callable[[Relation], bool]
    forward: Callable[[Rank], bool]
    primary_key: PrimaryKey
    metadata: Callable[[Scan], Collection[str]]
    functions: FunctionLookup

    def check(self, relation: Relation, key: Iterable[int] | None = None) -> None:
        """Raise an error where an operator, or what rows are written to, may not find the row that a change is of.

        Args:
            relation: What is written.
            key: The columns by which written rows are found; None: all.

        Raises:
            TableException: Such a column is one of chance; the message names columns and function.
        """
        self._check(relation, frozenset(range(len(relation.columns)) if key is None else key))

    def _check(self, relation: Relation, required: Required) -> None:
        self._visit(relation, self._without_key(relation, required) if self.changes(relation) else _NONE)

    def _visit(self, relation: Relation, required: Required) -> None:
        match relation:
            case Scan():
                self._check_metadata(relation, required)
            case Project(input=input, expressions=expressions):
                self._check_columns(relation, required, {i: expressions[i] for i in required})
                self._check(input, _read(expressions[i] for i in required) if required else _NONE)
            case Filter(input=input, condition=condition):
                if required:
                    self._check_condition(_as_read(condition, input))
                self._check(input, required)
            case Correlate(input=input, call=call, condition=condition):
                width = len(input.columns)
                if condition is not None and required:
                    self._check_condition(condition)
                self._check_columns(relation, required, {i: call for i in required if i >= width})
                self._check(input, _below(required, width))
            case WindowTable(input=input):
                self._check(input, _below(required, len(input.columns)))
            case OverAggregate(input=input, partition=partition, order=order, calls=calls):
                width = len(input.columns)
                args = [each for i, call in enumerate(calls) if width + i in required for each in call.args]
                read = _read([*args, *order]) | frozenset(partition)
                self._check(input, _below(required, width) | read)
            case Rank(input=input, partition=partition, order=order) if self.changes(input):
                width = len(input.columns)
                if self.forward(relation):
                    self._check(input, _below(required, width) - frozenset(partition) - _read(order))
                else:
                    self._check_all(input)
            case Join() | TemporalJoin():
                self._check_join(relation, required)
            case LookupJoin(left=left):
                self._check_lookup(relation, required)
                self._check(left, _below(required, len(left.columns)))
            case SetOperation(left=left, right=right, kind="union", all=True):
                for each in (left, right):
                    self._check(each, required)
            case Aggregate(input=input, calls=calls, keys=keys) | WindowAggregate(input=input, calls=calls, keys=keys):
                made = dict(enumerate(calls, len(keys)))
                self._check_columns(relation, frozenset(made) if self.changes(input) else required, made)
                self._check_all(input)
            case RowFunction() | SetOperation() | Rank():
                for each in relation.inputs:
                    self._check_all(each)
            case ProcessTable() | ToChangelog() | FromChangelog() | Predict():
                for each in relation.inputs:
                    self._check(each, _NONE)
            case _:
                for each in relation.inputs:
                    self._check(each, required)

    def _check_join(self, join: Join | TemporalJoin, required: Required) -> None:
        width = len(join.left.columns)
        conditions = [] if join.condition is None else conjuncts(join.condition)
        outer = join.kind not in ("inner", "semi")
        if outer or self.changes(join.left) or self.changes(join.right):
            for each in conditions:
                self._check_condition(each)
        pairs = [pair for pair in map(equal_fields, conditions) if pair is not None and pair[0] < width <= pair[1]]
        sides = (
            (join.left, frozenset(a for a, _ in pairs), _below(required, width)),
            (join.right, frozenset(b - width for _, b in pairs), frozenset(i - width for i in required if i >= width)),
        )
        for side, by, wanted in sides:
            keyed = any(by <= key for key in upsert_keys(side, self.primary_key))
            if keyed:
                self._check(side, wanted)
            else:
                self._check_all(side)

    def _check_lookup(self, join: LookupJoin, required: Required) -> None:
        """What is found for a row may be another one when the row goes."""
        if not required or not self.changes(join.left):
            return
        for condition in (join.before, join.condition):
            if condition is not None:
                self._check_condition(condition)
        width = len(join.left.columns)
        names = [column.name for column in join.right.columns]
        keys = {each.column for each in join.keys}
        for place in sorted(required):
            if place >= width and names[place - width] not in keys:
                _refuse_columns(join, [(place, "FOR SYSTEM_TIME AS OF PROCTIME()")])

    def _check_all(self, relation: Relation) -> None:
        self._check(relation, frozenset(range(len(relation.columns))))

    def _without_key(self, relation: Relation, required: Required) -> Required:
        """Without the columns of a key: changes are found by it. None are left if there are no others."""
        keys = upsert_keys(relation, self.primary_key) if required else frozenset()
        if any(required <= key for key in keys):
            return _NONE
        return min((required - key for key in keys), key=lambda left: (len(left), sorted(left)), default=required)

    def _check_columns(self, relation: Relation, required: Required, made: Mapping[int, Expression]) -> None:
        wild = [(i, name) for i in sorted(required & set(made)) if (name := self._wild(made[i])) is not None]
        if wild:
            _refuse_columns(relation, wild)

    def _check_metadata(self, scan: Scan, required: Required) -> None:
        """What a connector says of a message is another thing in the message of a later change."""
        metadata = self.metadata(scan) if required else ()
        wild = [scan.names[i] for i in sorted(required) if scan.names[i] in metadata]
        if wild:
            raise TableException(
                f"The metadata column(s): '{', '.join(wild)}' in cdc source may cause wrong result or error on "
                "downstream operators, please consider removing these columns or use a non-cdc source that only has "
                f"insert messages: {'.'.join(scan.path)}"
            )

    def _check_condition(self, condition: Expression) -> None:
        name = self._wild(condition)
        if name is not None:
            raise TableException(
                f"There exists non deterministic function: '{name}' in condition: '{condition}' which may cause wrong "
                "result in update pipeline."
            )

    def _wild(self, expression: Expression) -> str | None:
        """The name of a function in an expression that is not deterministic; None: there is none."""
        for part in walk(expression):
            found = self.functions.find(part.function) if isinstance(part, Call) else None
            if isinstance(found, Entry):
                if not found.deterministic:
                    return found.sql[0]
            elif found is not None and not isinstance(found, AggregateEntry) and not found.deterministic:
                return found.name.rpartition(".")[2]
        return None


def determinism(into: Lowering, primary_key: PrimaryKey) -> Determinism | None:
    """What tests the plans of a job; None: they are not tested.

    Args:
        into: What has made the operators of the plans.
        primary_key: Of tables.
    """
    context = into.context
    if context.batch or str(context.config.get(NON_DETERMINISTIC_UPDATE, "ignore")).lower() != "try_resolve":
        return None
    from datastream.table.lowering.rank import only_forward

    def forward(rank: Rank) -> bool:
        return only_forward(rank, context.only_adds) is not None

    return Determinism(into.changes, forward, primary_key, context.metadata_columns, context.functions)


def _read(expressions: Iterable[Expression]) -> Required:
    """The columns that expressions read."""
    return frozenset(part.index for each in expressions for part in walk(each) if isinstance(part, Field))


def _as_read(condition: Expression, input: Relation) -> Expression:
    """A condition over a projection, as one over what that reads."""
    return replace_fields(condition, input.expressions) if isinstance(input, Project) else condition


def _below(required: Required, width: int) -> Required:
    return frozenset(i for i in required if i < width)


def _refuse_columns(relation: Relation, columns: Sequence[tuple[int, str]]) -> NoReturn:
    listed = ", ".join(f"{relation.names[i]}(generated by non-deterministic function: {name} )" for i, name in columns)
    raise TableException(
        f"The column(s): {listed} can not satisfy the determinism requirement for correctly processing update message"
        "('UB'/'UA'/'D' in changelogMode, not 'I' only), this usually happens when input node has no upsertKey or "
        "current node outputs non-deterministic update messages. Please consider removing these non-deterministic "
        "columns or making them deterministic by using deterministic functions, or SET "
        "'table.optimizer.non-deterministic-update.strategy' = 'IGNORE'."
    )
