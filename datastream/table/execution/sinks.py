"""Writing a query into a table: which column goes where, and of which type."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from datastream.errors import ValidationError
from datastream.table.config.table_config import NOT_NULL_ENFORCER
from datastream.table.execution.session import Session
from datastream.table.execution.target import Target
from datastream.table.functions.enforcing import NOT_NULL
from datastream.table.functions.implicit_casts import fits
from datastream.table.plan.errors import unknown, wrong
from datastream.table.plan.expressions import Alias, Call, Cast, Expression, Field, Literal, Position
from datastream.table.plan.relations import Relation
from datastream.table.planner import building
from datastream.table.sql.statements import ColumnSpec
from datastream.table.types.logical_types import CharType, is_nullable
from datastream.table.types.type_text import summary


def written_relation(session: Session, target: Target) -> Relation:
    """The rows with the table's columns: the physical ones, then metadata that is written.

    Raises:
        ValidationError: the columns are not as many, or their types do not fit.
    """
    if target.table.is_view:
        raise ValidationError(f"{target.name.as_summary_string()} is a view: rows can be written into tables only")
    written = [c for c in target.table.schema.columns if c.type is not None and not (c.metadata and c.virtual)]
    fixed = {name: value for name, value in target.partition.items() if value is not None}
    for name in target.partition:
        if name not in target.table.partition_keys:
            raise ValidationError(
                f"Static partition column '{name}' should be in the partition keys list "
                f"[{', '.join(target.table.partition_keys)}] for table '{target.name.as_summary_string()}'."
            )
    names = [column.name for column in written]
    asked = list(target.columns or ())
    for name in (*fixed, *asked):
        if name not in names:
            position = target.position(asked.index(name)) if name in asked else None
            _check_writable(target, name, position)
            raise unknown(f"column of the sink {target.name.as_summary_string()} named", name, names, position)
    for place, name in enumerate(asked):
        if name in asked[:place]:
            said = f"{target.name.as_summary_string()}: target column '{name}' is assigned more than once"
            raise wrong(said, target.position(place))
    given = list(target.columns) if target.columns is not None else [c.name for c in written if c.name not in fixed]
    if len(given) != len(target.relation.columns):
        raise _mismatch(target, written, "Different number of columns.")
    places = {name: place for place, name in enumerate(given)}
    ordered = [c for c in written if c.metadata is None] + [c for c in written if c.metadata is not None]
    made = [_column(target, written, column, places.get(column.name), fixed.get(column.name)) for column in ordered]
    return _with_metadata(session, target, building.project(target.relation, made, session.functions), ordered)


def _with_metadata(session: Session, target: Target, relation: Relation, written: Sequence[ColumnSpec]) -> Relation:
    """The rows with the metadata columns in the types that the connector takes."""
    taken = [session.metadata_type(target.table, column) for column in written]
    if not any(taken):
        return relation
    made: list[Expression] = []
    for place, (column, kind) in enumerate(zip(relation.columns, taken, strict=True)):
        field: Expression = Field(place, column.name, type=column.type)
        made.append(field if kind is None else Alias(Cast(field, kind), column.name))
    return building.project(relation, made, session.functions)


def _check_writable(target: Target, name: str, position: Position | None) -> None:
    for column in target.table.schema.columns:
        if column.name == name:
            kind = "computed" if column.type is None else "a metadata column that is VIRTUAL"
            said = f"{target.name.as_summary_string()}: column '{name}' is {kind}, so it cannot be written"
            raise wrong(said, position)


def enforced(session: Session, target: Target, relation: Relation) -> Relation:
    """The rows of a table, in which no NULL gets into a column that is NOT NULL.

    `NOT_NULL_ENFORCER` says whether such a row is an error or is dropped.

    Args:
        session: Where the settings are.
        target: The table.
        relation: What `written_relation` returns.
    """
    kinds = {column.name: column.type for column in target.table.schema.columns}
    checked = []
    for place, column in enumerate(relation.columns):
        kind = kinds[column.name]
        if kind is not None and not is_nullable(kind) and is_nullable(column.type):
            checked.append(place)
    if not checked:
        return relation
    fields: list[Expression] = [Field(i, each.name, type=each.type) for i, each in enumerate(relation.columns)]
    if session.config.get(NOT_NULL_ENFORCER, "error").lower() == "drop":
        for place in checked:
            relation = building.filter(relation, Call("IS NOT NULL", (fields[place],)), session.functions)
        return relation
    for place in checked:
        name = relation.columns[place].name
        what = f"Column '{name}' of {target.name.as_summary_string()}"
        text = Literal(what, type=CharType(len(what), False))
        fields[place] = Alias(Call(NOT_NULL, (fields[place], text)), name)
    return building.project(relation, fields, session.functions)


def _column(
    target: Target, written: Sequence[ColumnSpec], column: ColumnSpec, place: int | None, fixed: str | None
) -> Expression:
    assert column.type is not None
    if place is None:
        if fixed is None and not is_nullable(column.type):
            said = f"{target.name.as_summary_string()}: column '{column.name}' may not be NULL, so it has to be written"
            raise wrong(said, target.position())
        text = Literal(fixed, type=CharType(max(len(fixed), 1), False)) if fixed is not None else None
        value: Expression = Literal(None, type=column.type.nullable()) if text is None else Cast(text, column.type)
        return Alias(value, column.name)
    return fitted(target.relation, place, column, lambda cause: _mismatch(target, written, cause))


def fitted(given: Relation, place: int, column: ColumnSpec, refuse: Callable[[str], ValidationError]) -> Expression:
    """A column of a query with the name and the type of a sink's.

    Args:
        given: The query.
        place: Which column it is.
        column: That of the sink.
        refuse: Gives the error, of a cause.

    Raises:
        ValidationError: The type does not fit.
    """
    assert column.type is not None
    source = given.columns[place]
    value: Expression = Field(place, source.name, type=source.type)
    if source.type.nullable() != column.type.nullable():
        if not fits(source.type, column.type):
            raise refuse(f"Incompatible types for sink column '{column.name}' at position {place + 1}.")
        value = Cast(value, column.type.nullable())
    return Alias(value, column.name)


def _mismatch(target: Target, written: Sequence[ColumnSpec], cause: str) -> ValidationError:
    return wrong(mismatch(target.name.as_summary_string(), target.relation, written, cause), target.position())


def mismatch(sink: str, given: Relation, written: Sequence[ColumnSpec], cause: str) -> str:
    """What is said of a query whose columns do not fit those of a sink."""
    query = ", ".join(f"{column.name}: {summary(column.type)}" for column in given.columns)
    wanted = ", ".join(f"{column.name}: {summary(column.type)}" for column in written if column.type is not None)
    return (
        f"Column types of query result and sink for '{sink}' do not match.\n"
        f"Cause: {cause}\n\nQuery schema: [{query}]\nSink schema:  [{wanted}]"
    )
