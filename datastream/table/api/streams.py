"""Streams of the DataStream API as tables, and tables as streams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from datastream.api import DataStream
from datastream.api.step import node_of
from datastream.errors import ValidationError, cut
from datastream.functions import MapFunction, RuntimeContext
from datastream.table.api.changelog_mode import ChangelogMode
from datastream.table.api.columns import nodes_of
from datastream.table.api.stream_types import data_type_of, in_milliseconds, not_null_of
from datastream.table.catalogs.schema import Schema
from datastream.table.execution.definitions import check_key
from datastream.table.execution.jobs import lowered
from datastream.table.execution.session import Session
from datastream.table.execution.sinks import fitted, mismatch
from datastream.table.lowering.context import Lowered
from datastream.table.lowering.streams import to_records
from datastream.table.lowering.subtasks import in_subtasks_of
from datastream.table.plan.errors import nearest, unknown
from datastream.table.plan.expressions import Alias, Call, Cast, Expression, Field, Name
from datastream.table.plan.relations import Column, Project, Relation, StreamScan
from datastream.table.planner import building
from datastream.table.planner.tables import with_watermark
from datastream.table.sql.sql_text import parsed
from datastream.table.sql.statements import ColumnSpec, WatermarkSpec
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import (
    BigIntType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    SmallIntType,
    TimestampType,
    TinyIntType,
)
from datastream.types import (
    ListTypeInfo,
    ObjectArrayTypeInfo,
    Row,
    RowKind,
    RowTypeInfo,
    TupleTypeInfo,
    TypeInformation,
    Types,
)
from datastream.types.row import row_factory, values_of

#: Numbers from the narrowest to the widest: none is given to a field of a narrower one.
_RANKS: dict[type[DataType], int] = {
    kind: rank
    for rank, kind in enumerate(
        (TinyIntType, SmallIntType, IntType, BigIntType, DecimalType, FloatType, DoubleType), start=1
    )
}
_RANKS_OF_FIELDS = {
    Types.BYTE(): 1,
    Types.SHORT(): 2,
    Types.INT(): 3,
    Types.LONG(): 4,
    Types.FLOAT(): 6,
}
#: What stands for the timestamp of a record in a schema.
_RECORD_TIME = "rowtime"
#: The name of streams where a query does not fit them.
_SINK = "*anonymous_datastream_sink*"


def from_stream(session: Session, stream: DataStream, given: Sequence[Any]) -> Relation:
    """A table of a stream's records.

    Args:
        session: Which then knows the stream.
        stream: The stream.
        given: A schema, or columns as expressions; empty: the fields of the records.
    """
    if not isinstance(stream, DataStream):
        raise ValidationError(f"from_data_stream needs a DataStream, got {cut(stream)}")
    if node_of(stream).builder is not session.builder:
        raise ValidationError("from_data_stream: the stream is of another StreamExecutionEnvironment than the tables")
    if len(given) == 1 and isinstance(given[0], Schema):
        return _by_schema(session, stream, given[0], False)
    if not given:
        return _scan(session, stream, _columns(stream), False)
    return _by_fields(session, stream, nodes_of(given, (), "from_data_stream"))


def from_changelog(session: Session, stream: DataStream, schema: Schema | None, mode: ChangelogMode | None) -> Relation:
    """A table of a stream of rows with kinds."""
    if not isinstance(stream, DataStream) or node_of(stream).builder is not session.builder:
        raise ValidationError(f"from_changelog_stream needs a stream of the same environment, got {cut(stream)}")
    if not isinstance(node_of(stream).output_type, RowTypeInfo):
        raise ValidationError(
            "from_changelog_stream takes rows with kinds: declare the type of the records, such as "
            "output_type=Types.ROW_NAMED(['a'], [Types.INT()])"
        )
    upserts = mode is not None and mode.kinds == ChangelogMode.upsert().kinds
    if upserts and (schema is None or not schema.key):
        raise ValidationError(
            "from_changelog_stream: rows of ChangelogMode.upsert() replace each other by a primary key, and the schema "
            "has none: Schema.new_builder().primary_key('id').build(), or give rows of kind UPDATE_BEFORE too"
        )
    changes = mode is None or mode.kinds != ChangelogMode.insert_only().kinds
    if schema is not None:
        return _by_schema(session, stream, schema, changes, upserts)
    return _scan(session, stream, _columns(stream), changes)


def declared(stream: DataStream, relation: Relation, schema: Schema | None) -> Schema | None:
    """How the columns of a stream's table are declared, with those that its schema leaves out.

    None: it has no schema, or one that takes the fields of the records in another order, which is a query of them.
    """
    if schema is None:
        return None
    given = {column.name: column for column in schema.columns}
    fields = [column.name for column in _columns(stream)]
    if list(relation.names[: len(fields)]) != fields:
        return None
    columns = tuple(given.get(column.name) or ColumnSpec(column.name, column.type) for column in relation.columns)
    return replace(schema, columns=columns, key=None)


def to_stream(session: Session, relation: Relation) -> DataStream:
    """A stream of rows out of a table whose rows are all new.

    Raises:
        ValidationError: the query updates its rows.
    """
    made = lowered(session, relation, goal="stream")
    if made.updates:
        raise ValidationError(
            f"Table sink '{_SINK}' doesn't support consuming update changes, and the query updates "
            "its rows: use to_changelog_stream"
        )
    return _rows(session, made, relation)


def to_changelog(session: Session, relation: Relation, schema: Schema | None, mode: ChangelogMode | None) -> DataStream:
    """A stream of rows with kinds."""
    time = None
    if schema is not None:
        relation, time = _as_declared(session, relation, schema)
    made = lowered(session, relation, goal="stream")
    if made.updates and mode is not None and mode.kinds == ChangelogMode.insert_only().kinds:
        raise ValidationError("to_changelog_stream: the query updates its rows, and the mode allows insertions only")
    stream = _rows(session, made, relation, time)
    if made.updates and mode is not None and RowKind.UPDATE_BEFORE not in mode.kinds:
        kind = node_of(stream).output_type
        kept = stream.filter(lambda row: row.get_row_kind() is not RowKind.UPDATE_BEFORE)
        node_of(kept).change(output_type=kind)
        return kept
    return stream


def to_append(session: Session, relation: Relation, kind: TypeInformation) -> DataStream:
    """A stream of records of a type."""
    stream = to_stream(session, _of_type(session, relation, kind, "to_append_stream"))
    with in_subtasks_of(node_of(stream)):
        made = stream.map(_Shaped(kind), kind)
        node_of(made).change(tested_first=True)
        return made


def to_retract(session: Session, relation: Relation, kind: TypeInformation) -> DataStream:
    """A stream of pairs of a flag and a record of a type."""
    stream = to_changelog(session, _of_type(session, relation, kind, "to_retract_stream"), None, None)
    with in_subtasks_of(node_of(stream)):
        made = stream.map(_Flagged(kind), Types.TUPLE([Types.BOOLEAN(), kind]))
        node_of(made).change(tested_first=True)
        return made


@dataclass
class _Shaped(MapFunction):
    """Makes records of a type of rows."""

    kind: TypeInformation
    _make: Any = field(default=None, compare=False)

    def open(self, runtime_context: RuntimeContext) -> None:
        self._make = _shaper(self.kind)

    def map(self, value: Any) -> Any:
        return self._make(value)


@dataclass
class _Flagged(_Shaped):
    """Makes pairs of a flag and a record of rows with kinds, which records that are rows keep."""

    def map(self, value: Any) -> Any:
        kind, record = value.get_row_kind(), self._make(value)
        if isinstance(record, Row) and isinstance(self.kind, RowTypeInfo):
            record.set_row_kind(kind)
        return kind in (RowKind.INSERT, RowKind.UPDATE_AFTER), record


def _shaper(kind: TypeInformation) -> Callable[[Row], Any]:
    """A function: a row -> the record of a type."""
    if isinstance(kind, RowTypeInfo):
        return _renamer(kind) or (lambda row: row)
    if isinstance(kind, TupleTypeInfo):
        renamers = list(map(_renamer, kind.field_types))
        return lambda row: tuple(_renamed(values_of(row), renamers))
    renamer = _renamer(kind)
    return lambda row: _renamed([row[0]], [renamer])[0]


def _renamer(kind: TypeInformation) -> Callable[[Any], Any] | None:
    """A function that gives all rows in a value the names of a type, by place; None: it has none."""
    if isinstance(kind, RowTypeInfo):
        renamers, make = list(map(_renamer, kind.field_types)), row_factory(kind.field_names)
        if not any(renamers):
            return lambda row: make(values_of(row))
        return lambda row: make(_renamed(values_of(row), renamers))
    if isinstance(kind, ObjectArrayTypeInfo | ListTypeInfo):
        renamer = _renamer(kind.elem_type if isinstance(kind, ListTypeInfo) else kind.element_type)
        return None if renamer is None else lambda values: _renamed(values, [renamer] * len(values))
    return None


def _renamed(values: Sequence[Any], renamers: Sequence[Callable[[Any], Any] | None]) -> list[Any]:
    pairs = zip(values, renamers, strict=True)
    return [value if renamer is None or value is None else renamer(value) for value, renamer in pairs]


def _rows(session: Session, made: Lowered, relation: Relation, time: int | None = None) -> DataStream:
    """The rows of a query as records; their timestamps are the values of its only rowtime column.

    Args:
        session: Whose streams they are.
        made: The query.
        relation: The same as a relation.
        time: The column that becomes their timestamps, and is no field of them; None: there is none.
    """
    attributes = [place for place, column in enumerate(relation.columns) if column.time == "rowtime"]
    left_out = time is not None
    if time is None and len(attributes) == 1:
        time = attributes[0]
    return DataStream(session.env, to_records(made.node, relation.columns, made.updates, time, left_out))


def _of_type(session: Session, relation: Relation, kind: TypeInformation, call: str) -> Relation:
    """A relation whose columns have the values of a type's fields: a TIMESTAMP_LTZ the session's clock, and so on."""
    fields = kind.field_types if isinstance(kind, (RowTypeInfo, TupleTypeInfo)) else (kind,)
    if len(fields) != len(relation.columns):
        raise ValidationError(
            f"{call}: the type has {len(fields)} fields, and the table {len(relation.columns)} columns"
        )
    nodes: list[Expression] = []
    for place, (column, wanted) in enumerate(zip(relation.columns, fields, strict=True)):
        node: Expression = Field(place, column.name, type=column.type)
        if _RANKS.get(type(column.type), 0) > _RANKS_OF_FIELDS.get(wanted, len(_RANKS)):
            raise ValidationError(
                f"{call}: column {column.name} is of type {column.type}, which {wanted} cannot hold: declare a wider "
                "type, or cast the column"
            )
        become = _become(column.type, wanted)
        nodes.append(Alias(node if become is None else Cast(node, become), column.name))
    if not any(isinstance(node, Alias) and isinstance(node.arg, Cast) for node in nodes):
        return relation
    return building.project(relation, nodes, session.functions)


def _become(given: DataType, wanted: TypeInformation) -> DataType | None:
    """The type to which a column is cast for a field; None: its values are those of the field."""
    match given:
        case LocalZonedTimestampType(precision=precision) if wanted == Types.SQL_TIMESTAMP():
            return DataTypes.TIMESTAMP(precision)
        case TimestampType(precision=precision) if wanted == Types.INSTANT():
            return DataTypes.TIMESTAMP_LTZ(precision)
        case DecimalType() if wanted == Types.DOUBLE():
            return DataTypes.DOUBLE()
        case DecimalType() if wanted == Types.FLOAT():
            return DataTypes.FLOAT()
    return None


def _columns(stream: DataStream) -> list[Column]:
    """The columns of a stream by the type of its records."""
    kind = node_of(stream).output_type
    if isinstance(kind, RowTypeInfo):
        pairs = zip(kind.field_names, kind.field_types, strict=True)
        return [Column(name, data_type_of(each)) for name, each in pairs]
    if isinstance(kind, TupleTypeInfo):
        return [Column(f"f{i}", not_null_of(each)) for i, each in enumerate(kind.field_types)]
    if kind is None:
        raise ValidationError(
            f"{stream!r}: its records have no declared type, so a table of them has no columns: give output_type where "
            "they are made, such as Types.ROW_NAMED(...)"
        )
    return [Column("f0", not_null_of(kind))]


def _scan(session: Session, stream: DataStream, columns: Sequence[Column], changelog: bool) -> StreamScan:
    name = f"Unregistered_DataStream_{len(session.streams) + 1}"
    session.streams[name] = node_of(stream)
    return StreamScan(name, changelog, columns=tuple(columns))


def _by_fields(session: Session, stream: DataStream, fields: Sequence[Expression]) -> Relation:
    """A table with columns by expressions: by name where all are fields of the records, else by place."""
    known = [replace(column, type=in_milliseconds(column.type)) for column in _columns(stream)]
    wanted = [_wanted(each) for each in fields]
    by_name = {column.name: column for column in known}
    plain = [field for field, _, time in wanted if time is None]
    of_fields = isinstance(node_of(stream).output_type, (RowTypeInfo, TupleTypeInfo))
    named = of_fields and all(field in by_name for field in plain)
    if not named and len(plain) > len(known):
        raise ValidationError(f"from_data_stream: {len(plain)} columns of records that have {len(known)} fields")
    columns: list[Column] = []
    places = iter(known)
    renamed: list[str] = []
    for field_name, alias, time in wanted:
        if time == "proctime":
            continue
        if time == "rowtime":
            own = f"${field_name}" if field_name in by_name else field_name
            columns.append(Column(own, DataTypes.TIMESTAMP(3), "rowtime"))
        else:
            columns.append(by_name[field_name] if named else Column(field_name, next(places).type.nullable()))
        renamed.append(alias)
    relation: Relation = _scan(session, stream, columns, False)
    if tuple(renamed) != relation.names:
        relation = building.rename(relation, renamed)
    if all(time != "proctime" for _, _, time in wanted):
        return relation
    nodes: list[Expression] = []
    for _, alias, time in wanted:
        nodes.append(Alias(Call("PROCTIME"), alias) if time == "proctime" else Name((alias,)))
    return building.project(relation, nodes, session.functions)


def _wanted(node: Expression) -> tuple[str, str, str | None]:
    """A column as it is written: the field, the name, and which time attribute it becomes."""
    match node:
        case Name(parts=parts):
            return parts[0], parts[0], None
        case Alias(arg=arg, name=alias):
            field_name, _, time = _wanted(arg)
            return field_name, alias, time
        case Call(function="rowtime" | "proctime" as time, args=(arg,)):
            field_name, alias, _ = _wanted(arg)
            return field_name, alias, time
    raise ValidationError(f"from_data_stream takes columns such as col('a') or col('t').rowtime, got {node}")


def _by_schema(
    session: Session, stream: DataStream, schema: Schema, changelog: bool, upserts: bool = False
) -> Relation:
    """A table with the columns of a schema; what it does not declare comes from the records.

    With `upserts`, its rows replace each other by the schema's primary key.
    """
    declared = [column for column in schema.columns if column.expression is None and column.metadata is None]
    if declared:
        columns = [Column(column.name, column.type) for column in declared if column.type is not None]
        _check_fields(stream, columns)
        columns += _read_undeclared(stream, schema)
    else:
        columns = _columns(stream)
    for column in schema.columns:
        if column.metadata is None:
            continue
        if column.metadata != _RECORD_TIME or column.type is None:
            raise ValidationError(
                f"column_by_metadata('{column.name}'): records of a stream have the metadata 'rowtime' alone"
            )
        of_zone = isinstance(column.type, LocalZonedTimestampType)
        columns.append(Column(column.name, column.type if of_zone else DataTypes.TIMESTAMP_LTZ(3), "rowtime"))
    scan = _scan(session, stream, columns, changelog)
    if schema.key and set(schema.key) <= {column.name for column in columns}:
        scan = replace(scan, key=_places(schema.key, [column.name for column in columns]))
    if upserts:
        scan = replace(scan, upserts=_places(schema.key or (), [column.name for column in columns]))
    relation: Relation = scan
    computed: dict[str, Expression] = {}
    for column in schema.columns:
        if column.expression is not None:
            computed[column.name] = parsed(column.expression)
        elif column.metadata is not None and not isinstance(column.type, LocalZonedTimestampType):
            assert column.type is not None
            computed[column.name] = Cast(Name((column.name,)), column.type)
    if computed or len(declared) != len(relation.columns):
        order = (
            [column.name for column in schema.columns]
            if declared
            else [*(column.name for column in _columns(stream)), *(column.name for column in schema.columns)]
        )
        nodes = [Alias(computed[name], name) if name in computed else Name((name,)) for name in order]
        relation = building.project(relation, nodes, session.functions)
    return _with_watermark(session, relation, schema.watermark_spec)


def _with_watermark(session: Session, relation: Relation, mark: WatermarkSpec | None) -> Relation:
    """A stream's table whose event time is the column of its watermark alone, not each record's timestamp."""
    expression = None if mark is None else parsed(mark.expression)
    of_source = isinstance(expression, Call) and expression.function.upper() == "SOURCE_WATERMARK"
    columns = [replace(c, time=None) if c.time == "rowtime" else c for c in relation.columns]
    if mark is not None and of_source:
        columns = [replace(c, time="rowtime") if c.name == mark.column else c for c in columns]
    if tuple(columns) != relation.columns:
        fields = tuple(Field(i, c.name, type=c.type) for i, c in enumerate(relation.columns))
        relation = Project(relation, fields, implied=True, columns=tuple(columns))
    if mark is None or expression is None or of_source:
        return relation
    return with_watermark(relation, mark.column, expression, session.functions)


def _read_undeclared(stream: DataStream, schema: Schema) -> list[Column]:
    """The fields of a stream that a schema does not declare, for its computed columns."""
    if all(column.expression is None for column in schema.columns):
        return []
    known = {column.name for column in schema.columns}
    return [column for column in _columns(stream) if column.name not in known]


def _check_fields(stream: DataStream, columns: Sequence[Column]) -> None:
    """See that all are fields of a stream's records."""
    known = [column.name for column in _columns(stream)]
    for column in columns:
        if column.name not in known:
            near = nearest(column.name, known)
            raise ValidationError(
                f"Unable to find a field named '{column.name}' in the physical data type derived from the given type "
                f"information for schema declaration.{'' if near is None else f' Did you mean {near!r}?'} "
                f"Currently available fields are: [{', '.join(known)}]"
            )


def _places(key: Sequence[str], names: Sequence[str]) -> tuple[int, ...]:
    for name in key:
        if name not in names:
            raise ValidationError(f"from_changelog_stream, primary key: {unknown('column', name, names)}")
    return tuple(map(names.index, key))


def _as_declared(session: Session, relation: Relation, schema: Schema) -> tuple[Relation, int | None]:
    """A relation with the columns of a schema, by place; and which of them becomes the timestamps of the records.

    Raises:
        ValidationError: They are not as many, or their types do not fit.
    """
    check_key(schema)
    written = [c for c in schema.columns if c.type is not None and not (c.metadata and c.virtual)]
    times = [c for c in written if c.metadata is not None]
    for column in times:
        if column.metadata != _RECORD_TIME or len(times) > 1:
            raise ValidationError(
                f"target_schema: column_by_metadata('{column.name}'): records of a stream have the metadata 'rowtime' "
                "alone, once"
            )
    if len(times) == len(written):
        written = [*(ColumnSpec(c.name, c.type) for c in _without_time(relation, times)), *times]

    def refuse(cause: str) -> ValidationError:
        return ValidationError(mismatch(_SINK, relation, written, cause))

    if len(written) != len(relation.columns):
        raise refuse("Different number of columns.")
    nodes = [fitted(relation, place, column, refuse) for place, column in enumerate(written)]
    time = written.index(times[0]) if times else None
    return building.project(relation, nodes, session.functions) if nodes else relation, time


def _without_time(relation: Relation, times: Sequence[ColumnSpec]) -> Sequence[Column]:
    """The columns of a relation that a schema without any leaves: not the last one, if it becomes the timestamps."""
    columns = relation.columns
    last = columns[-1].type if columns else None
    of_time = isinstance(last, LocalZonedTimestampType) and last.precision == 3
    return columns[:-1] if times and of_time else columns
