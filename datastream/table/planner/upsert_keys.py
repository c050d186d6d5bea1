"""Keys of relations: columns that no two rows have alike, and by which the changes of a row come in order.

The rules are those of Flink's ``FlinkRelMdUniqueKeys`` and ``FlinkRelMdUpsertKeys``; besides, constants are looked at,
and one end of a window stands for the window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product

from datastream.table.functions.enforcing import NOT_NULL
from datastream.table.plan.expression_trees import conjuncts
from datastream.table.plan.expressions import Alias, Call, Cast, Expression, Field, Literal
from datastream.table.plan.relations import (
    Aggregate,
    Filter,
    Join,
    OverAggregate,
    Project,
    Rank,
    Relation,
    Scan,
    SetOperation,
    Sort,
    StreamScan,
    Values,
    Watermark,
    Window,
    WindowAggregate,
)
from datastream.table.plan.temporal_relations import LookupJoin, SnapshotJoin, TemporalJoin
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import (
    BigIntType,
    BinaryType,
    CharType,
    DataType,
    IntType,
    SmallIntType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)
from datastream.table.types.type_traits import traits_of

from .windowed import equal_fields

#: A key: indexes of columns.
Key = frozenset[int]
#: All that are known of a relation.
Keys = frozenset[Key]

#: The names of the columns of a table's primary key.
PrimaryKey = Callable[[Scan], Sequence[str]]

_NONE: Keys = frozenset()
_WHOLE = (TinyIntType, SmallIntType, IntType, BigIntType)


def unique_keys(relation: Relation, primary_key: PrimaryKey) -> Keys:
    """The keys that no two rows have alike at any time."""
    return _keys(relation, primary_key, in_order=False)


def upsert_keys(relation: Relation, primary_key: PrimaryKey, reduced: bool = False) -> Keys:
    """The unique keys by which all changes of a row come in order, as they were not sent by other columns before.

    Args:
        relation: The rows.
        primary_key: Of tables.
        reduced: Take a grouping by a key and other columns for one by the key alone, as Flink groups then. Here the
            other columns decide with it who groups a row, so that changes of a key may not be in order.
    """
    return _keys(relation, primary_key, in_order=True, reduced=reduced)


def _keys(relation: Relation, primary_key: PrimaryKey, in_order: bool, reduced: bool = False) -> Keys:
    width = len(relation.columns)

    def keys_of(input: Relation) -> Keys:
        return _keys(input, primary_key, in_order, reduced)

    match relation:
        case Scan():
            return _named(relation, primary_key(relation))
        case StreamScan(key=key):
            return frozenset({frozenset(key)}) if key else _NONE
        case Values(rows=rows):
            return _of_values(rows, width)
        case Filter(input=input, condition=condition):
            empty = {_null_column(each) for each in conjuncts(condition)}
            return frozenset(key - empty for key in keys_of(input))
        case Watermark(input=input) | Sort(input=input):
            return keys_of(input)
        case Project(input=input, expressions=expressions):
            return _projected(keys_of(input), expressions)
        case Aggregate(input=input, keys=keys):
            groups = frozenset(place for place, column in enumerate(keys) if not _is_constant(input, column))
            known = unique_keys(input, primary_key) if reduced else _NONE
            within = (key for key in known if key <= set(keys))
            return frozenset({groups, *(frozenset(map(keys.index, key)) for key in within)})
        case WindowAggregate(keys=keys, properties=properties, window=window):
            all_keys = frozenset(range(len(keys)))
            return frozenset(
                all_keys | of_window for of_window in _windows(window, properties, width - len(properties))
            )
        case Rank(input=input, partition=partition, first=first, last=last, numbered=numbered):
            by = frozenset(partition)
            found = {key for key in keys_of(input) if not in_order or by <= key}
            found |= {by | {width - 1}} if numbered else set()
            return frozenset(found | ({by} if first == last == 1 else set()))
        case OverAggregate(input=input, partition=partition):
            by = frozenset(partition)
            return frozenset(key for key in keys_of(input) if not in_order or by <= key)
        case SetOperation(all=False):
            return frozenset({frozenset(range(width))})
        case Join() | SnapshotJoin() | TemporalJoin():
            return _joined(relation, primary_key, in_order, reduced)
        case LookupJoin(left=left):
            return keys_of(left) if _finds_one(relation, primary_key) else _NONE
    return _NONE


def _is_constant(relation: Relation, column: int) -> bool:
    """Whether a column has one value in all rows."""
    match relation:
        case Project(input=input, expressions=expressions):
            each = expressions[column]
            while isinstance(each, Alias | Cast):
                each = each.arg
            return isinstance(each, Literal) or (isinstance(each, Field) and _is_constant(input, each.index))
        case Filter(input=input, condition=condition):
            return column in map(_null_column, conjuncts(condition)) or _is_constant(input, column)
        case Watermark(input=input):
            return _is_constant(input, column)
    return False


def _null_column(condition: Expression) -> int | None:
    """The column that a condition wants to be NULL."""
    if isinstance(condition, Call) and condition.function == "isNull" and isinstance(condition.args[0], Field):
        return condition.args[0].index
    return None


def _windows(window: Window, properties: Sequence[str], first: int) -> Keys:
    """Columns that distinguish the windows of a group.

    Args:
        window: What windows they are.
        properties: Those of the columns from the first one on.
        first: The first column of a property.
    """
    at: dict[str, list[int]] = {}
    for place, name in enumerate(properties, first):
        at.setdefault(name, []).append(place)
    starts, ends = at.get("start", []), [*at.get("end", []), *at.get("rowtime", [])]
    if window.kind == "session" and window.start is not None:  # those of several keys, which may begin together
        return frozenset(frozenset(pair) for pair in product(starts, ends))
    alone = ends if window.kind == "cumulate" else [*starts, *ends]  # which all begin together
    return frozenset(frozenset({place}) for place in alone)


def _named(relation: Relation, names: Sequence[str]) -> Keys:
    if not names or not set(names) <= set(relation.names):
        return _NONE
    return frozenset({frozenset(map(relation.names.index, names))})


def _of_values(rows: Sequence[Sequence[object]], width: int) -> Keys:
    if len(rows) < 2:
        return frozenset({frozenset()})
    return frozenset(frozenset({i}) for i in range(width) if len({repr(row[i]) for row in rows}) == len(rows))


def _projected(keys: Keys, expressions: Iterable[Expression]) -> Keys:
    places: dict[int, list[int]] = {}
    for place, each in enumerate(expressions):
        index = _same_as(each)
        if index is not None:
            places.setdefault(index, []).append(place)
    return frozenset(
        frozenset(chosen)
        for key in keys
        if all(column in places for column in key)
        for chosen in product(*(places[column] for column in key))
    )


def _same_as(expression: Expression) -> int | None:
    """The column that an expression distinguishes as it does itself; None: there is none."""
    if isinstance(expression, Field):
        return expression.index
    if isinstance(expression, Alias):
        return _same_as(expression.arg)
    if isinstance(expression, Call) and expression.function == NOT_NULL:
        return _same_as(expression.args[0])
    if isinstance(expression, Cast) and _keeps_apart(type_of(expression.arg).nullable(), expression.to.nullable()):
        return _same_as(expression.arg)
    return None


def _keeps_apart(source: DataType, to: DataType) -> bool:
    """Whether a cast gives different values for different values."""
    if source == to:
        return True
    if isinstance(source, _WHOLE) and isinstance(to, _WHOLE):
        return _WHOLE.index(type(source)) <= _WHOLE.index(type(to))
    if isinstance(to, VarCharType):
        if isinstance(source, CharType | VarCharType):
            return source.length <= to.length
        characters = traits_of(source).characters
        return characters is not None and to.length >= characters
    if isinstance(to, VarBinaryType) and isinstance(source, BinaryType | VarBinaryType):
        return source.length <= to.length
    return False


def _joined(
    relation: Join | SnapshotJoin | TemporalJoin, primary_key: PrimaryKey, in_order: bool, reduced: bool
) -> Keys:
    width = len(relation.left.columns)
    pairs = [] if relation.condition is None else map(_paired, conjuncts(relation.condition))
    equal = [(a, b - width) for a, b in filter(None, pairs) if a < width <= b]
    by_left, by_right = frozenset(a for a, _ in equal), frozenset(b for _, b in equal)
    left, right = (_keys(side, primary_key, in_order, reduced) for side in (relation.left, relation.right))
    if in_order:  # rows are sent by the columns that are joined: who changes another one may overtake himself
        left = frozenset(key for key in left if by_left <= key)
        right = frozenset(key for key in right if by_right <= key)
    if relation.kind in ("semi", "anti"):
        return left
    right = frozenset(frozenset(column + width for column in key) for key in right)
    found = {one | other for one in left for other in right}
    left_once = _is_unique(relation.left, by_left, primary_key)
    right_once = _is_unique(relation.right, by_right, primary_key)
    if right_once and relation.kind in ("inner", "left"):
        found |= left
    if left_once and relation.kind in ("inner", "right"):
        found |= right
    return frozenset(found)


def _paired(condition: Expression) -> tuple[int, int] | None:
    """The columns that a condition of a join wants to be the same; NULL may equal NULL."""
    if isinstance(condition, Call) and condition.function == "isNotDistinctFrom":
        condition = Call("equals", condition.args)
    return equal_fields(condition)


def _finds_one(join: LookupJoin, primary_key: PrimaryKey) -> bool:
    """Whether at most one row is found for a row."""
    scan: Relation = join.right
    while isinstance(scan, Project | Filter):
        scan = scan.input
    key = primary_key(scan) if isinstance(scan, Scan) else ()
    return bool(key) and set(key) <= {each.column for each in join.keys}


def _is_unique(relation: Relation, columns: Key, primary_key: PrimaryKey) -> bool:
    return any(key <= columns for key in unique_keys(relation, primary_key))
