"""Columns that are not used are not read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from datastream.table.plan.expression_trees import fields_of, move_fields
from datastream.table.plan.expressions import Call, Field
from datastream.table.plan.relations import (
    Aggregate,
    Filter,
    Join,
    Match,
    PatternVariable,
    Predict,
    Project,
    Rank,
    Relation,
    Scan,
    SetOperation,
    Watermark,
    WindowAggregate,
    WindowTable,
)
from datastream.table.plan.temporal_relations import LookupJoin, TemporalJoin
from datastream.table.planner.projections import bare_aggregates

from .rebuild import with_inputs
from .temporal_pruning import temporal_pruned

#: Columns before -> columns after.
Places = dict[int, int]


def pruned(relation: Relation) -> Relation:
    """The same rows; below, columns that are not used are gone, down into the scans."""
    made, _ = _pruned(relation, range(len(relation.columns)))
    return made


def _pruned(relation: Relation, wanted: Iterable[int]) -> tuple[Relation, Places]:
    """A relation that has the wanted columns and may have others, and where each column is now."""
    want = sorted(set(wanted))
    match relation:
        case Scan():
            return _scan(relation, want)
        case Project():
            kept = [relation.expressions[i] for i in want]
            below, places = _pruned(relation.input, {f for each in kept for f in fields_of(each)})
            expressions = tuple(move_fields(each, places) for each in kept)
            columns = tuple(relation.columns[i] for i in want)
            return replace(relation, input=below, expressions=expressions, columns=columns), _places(want)
        case Filter():
            below, places = _pruned(relation.input, {*want, *fields_of(relation.condition)})
            made = replace(
                relation, input=below, condition=move_fields(relation.condition, places), columns=below.columns
            )
            return made, places
        case Watermark():
            below, places = _pruned(relation.input, {*want, relation.column, *fields_of(relation.expression)})
            index = places[relation.column]
            time = relation.columns[relation.column]
            columns = tuple(time if i == index else column for i, column in enumerate(below.columns))
            expression = move_fields(relation.expression, places)
            return replace(relation, input=below, column=index, expression=expression, columns=columns), places
        case Join():
            return _join(relation, want)
        case TemporalJoin() | LookupJoin():
            return temporal_pruned(relation, want, _only)
        case Aggregate():
            return _group(relation, want)
        case Rank(numbered=True) if len(relation.columns) - 1 not in want:
            return _pruned(replace(relation, numbered=False, columns=relation.columns[:-1]), want)
        case WindowTable():
            return _windows(relation, want)
        case WindowAggregate():
            return _aggregate(relation), {i: i for i in range(len(relation.columns))}
        case Match():
            return _match(relation), {i: i for i in range(len(relation.columns))}
        case Predict():
            return _predict(relation, want)
        case SetOperation(kind="union", all=True):
            left, _ = _only(relation.left, want)
            right, _ = _only(relation.right, want)
            return replace(relation, left=left, right=right, columns=tuple(relation.columns[i] for i in want)), _places(
                want
            )
    return with_inputs(relation, pruned), {i: i for i in range(len(relation.columns))}


def _scan(relation: Scan, want: list[int]) -> tuple[Relation, Places]:
    if not want:  # rows are counted, and a row has to have something
        want = [0] if relation.columns else []
    columns = tuple(relation.columns[i] for i in want)
    return replace(relation, wanted=tuple(column.name for column in columns), columns=columns), _places(want)


def _join(relation: Join, want: list[int]) -> tuple[Relation, Places]:
    count = len(relation.left.columns)
    read = {*want, *(() if relation.condition is None else fields_of(relation.condition))}
    read |= {0} if all(i >= count for i in read) else set()  # a row has to have something
    read |= {count} if all(i < count for i in read) else set()
    left, of_left = _only(relation.left, sorted(i for i in read if i < count))
    right, of_right = _only(relation.right, sorted(i - count for i in read if i >= count))
    width = len(left.columns)
    places = {**of_left, **{i + count: place + width for i, place in of_right.items()}}
    condition = None if relation.condition is None else move_fields(relation.condition, places)
    kept = sorted(i for i in read if i < len(relation.columns))
    columns = tuple(relation.columns[i] for i in kept)
    made = replace(relation, left=left, right=right, condition=condition, columns=columns)
    return made, {i: places[i] for i in kept}


def _predict(relation: Predict, want: list[int]) -> tuple[Relation, Places]:
    """With all that the model makes of a row."""
    count = len(relation.input.columns)
    below, places = _pruned(relation.input, {*relation.args, *(i for i in want if i < count)})
    width = len(below.columns)
    kept = {place: relation.columns[i] for i, place in places.items()}
    columns = tuple(kept.get(i, column) for i, column in enumerate(below.columns))
    made = replace(
        relation,
        input=below,
        args=tuple(places[i] for i in relation.args),
        columns=(*columns, *relation.columns[count:]),
    )
    return made, {**places, **{i: i - count + width for i in range(count, len(relation.columns))}}


def _group(relation: Aggregate, want: list[int]) -> tuple[Relation, Places]:
    """Without the aggregates that are not used: groups would change when only those do."""
    keys = len(relation.keys)
    kept = [i for i in range(len(relation.columns)) if i < keys or i in want]
    if not kept and relation.columns:  # a row has to have something
        kept = [0]
    calls = tuple(relation.calls[i - keys] for i in kept if i >= keys)
    columns = tuple(relation.columns[i] for i in kept)
    return _aggregate(replace(relation, calls=calls, columns=columns)), _places(kept)


def _of_columns(relation: Aggregate, below: Project) -> Aggregate:
    """Aggregates of what a projection of columns reads."""
    places = {i: each.index for i, each in enumerate(below.expressions) if isinstance(each, Field)}
    calls = tuple(call for call in (move_fields(each, places) for each in relation.calls) if isinstance(call, Call))
    return replace(relation, input=below.input, keys=tuple(places[i] for i in relation.keys), calls=calls)


def _aggregate(relation: Aggregate | WindowAggregate) -> Relation:
    kept: set[int] = set()
    if isinstance(relation, Aggregate) and isinstance(relation.input, Project) and relation.input.implied:
        relation = _of_columns(relation, relation.input)
        kept = bare_aggregates(relation.input)
    read = kept.union(relation.keys, *map(fields_of, relation.calls))
    if isinstance(relation, WindowAggregate):
        read |= {relation.window.time, *([] if relation.window.start is None else [relation.window.start])}
    below, places = _pruned(relation.input, read)
    calls = tuple(call for call in (move_fields(each, places) for each in relation.calls) if isinstance(call, Call))
    made = replace(relation, input=below, keys=tuple(places[i] for i in relation.keys), calls=calls)
    if isinstance(made, WindowAggregate):
        start = None if made.window.start is None else places[made.window.start]
        return replace(made, window=replace(made.window, time=places[made.window.time], start=start))
    return made


def _windows(relation: WindowTable, want: list[int]) -> tuple[Relation, Places]:
    """Without the columns of the rows that are not used; those of the window stay."""
    width = len(relation.input.columns)
    read = {i for i in want if i < width} | {relation.window.time, *relation.partition}
    below, places = _pruned(relation.input, read)
    added = range(width, len(relation.columns))
    kept = {old: places[old] for old in sorted(read)} | {old: len(below.columns) + i for i, old in enumerate(added)}
    named = {place: relation.columns[old] for old, place in kept.items()}
    columns = tuple(named.get(i, each) for i, each in enumerate(below.columns))
    made = replace(
        relation,
        input=below,
        window=replace(relation.window, time=places[relation.window.time]),
        partition=tuple(places[i] for i in relation.partition),
        columns=(*columns, *(relation.columns[i] for i in added)),
    )
    return made, kept


def _match(relation: Match) -> Match:
    conditions = (each.condition for each in relation.pattern if each.condition is not None)
    read = set(relation.partition).union(*map(fields_of, (*relation.order, *relation.measures, *conditions)))
    below, places = _pruned(relation.input, read)

    def placed(variable: PatternVariable) -> PatternVariable:
        condition = variable.condition
        return variable if condition is None else replace(variable, condition=move_fields(condition, places))

    return replace(
        relation,
        input=below,
        partition=tuple(places[i] for i in relation.partition),
        order=tuple(replace(each, arg=move_fields(each.arg, places)) for each in relation.order),
        pattern=tuple(map(placed, relation.pattern)),
        measures=tuple(move_fields(each, places) for each in relation.measures),
    )


def _only(relation: Relation, want: list[int]) -> tuple[Relation, Places]:
    """A relation that has exactly the wanted columns, in order."""
    below, places = _pruned(relation, want)
    at = [places[i] for i in want]
    if at == list(range(len(below.columns))):
        return below, places
    fields = tuple(Field(i, below.columns[i].name, type=below.columns[i].type) for i in at)
    return Project(below, fields, columns=tuple(below.columns[i] for i in at)), _places(want)


def _places(want: list[int]) -> Places:
    return {old: new for new, old in enumerate(want)}
