"""Records of the DataStream API as rows of a table, and its rows as records."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.errors import ValidationError
from datastream.graph import Forward
from datastream.graph.builder import Node
from datastream.graph.operators import Calc, StampedCalc, TimedCalc
from datastream.graph.operators.relational import CodeLine, RowCode
from datastream.table.codegen.inside_types import inside_row
from datastream.table.codegen.names import Names
from datastream.table.codegen.user_calls import FromPython, ToRecord, stays
from datastream.table.plan.relations import Column, StreamScan
from datastream.table.types.logical_types import DecimalType, LocalZonedTimestampType, TimestampType
from datastream.table.types.row_type import RowField, RowType
from datastream.table.types.values import Origin
from datastream.types import Row, RowKind, RowTypeInfo, TupleTypeInfo, TypeInformation

from .selectors import RowTime
from .subtasks import in_subtasks_of


def stream_rows(stream: Node, scan: StreamScan, zone: str) -> Node:
    """The records of a stream as tuples, in the form that values have inside.

    Args:
        stream: Of rows, tuples, or single values.
        scan: The columns: by name where the stream has rows with these names, else by place. A rowtime column that is
            no field is the record's timestamp.
        zone: The session's time zone.

    Raises:
        ValidationError: A column is no field of the records.
    """
    kind = stream.output_type
    names = Names()
    record = names.variable("r")
    places, timed = _places(kind, scan.columns)
    lines = [CodeLine(0, line, scan.stream) for line in _fields(kind, record, names, scan.changelog)]
    texts = [f"{record}._row_kind.value"] if scan.changelog else []
    if isinstance(kind, RowTypeInfo) and not scan.changelog:
        inserted, refuse = names.bind(RowKind.INSERT), names.bind(_refuse_kind)
        lines.insert(0, CodeLine(0, f"if {record}._row_kind is not {inserted}: {refuse}({record})", scan.stream))
    for column, place in zip(scan.columns, places, strict=True):
        name = names.variable()
        value = _record_time(column) if place is None else f"{record}_f[{place}]"
        lines.append(CodeLine(0, f"{name} = {value}", column.name))
        known = stays(column.type) and _exact(kind) and not isinstance(column.type, DecimalType)  # whose digits are cut
        if place is not None and not known:
            convert = names.bind(FromPython(column.type, zone, f"the stream, as column '{column.name}'", Origin.STREAM))
            lines.append(CodeLine(0, f"{name} = None if {name} is None else {convert}({name})", column.name))
        texts.append(name)
    code = RowCode(record, tuple(lines), 0, f"({', '.join(texts)},)", dict(names.bound))
    row = inside_row([column.type for column in scan.columns], scan.changelog)
    operator = TimedCalc if timed else Calc
    subtasks = {}
    if scan.changelog and stream.partitioner == Forward():  # changes keep their order in the subtasks that they are in
        subtasks["parallelism"] = stream.operator.parallelism
    return stream.then(operator, f"StreamScan({scan.stream})", code=code, output_type=row, fits=True, **subtasks)


def to_records(rows: Node, columns: Sequence[Column], updates: bool, time: int | None, left_out: bool) -> Node:
    """The rows of a table as records of a stream.

    Args:
        rows: The rows.
        columns: Theirs.
        updates: Rows have their kind in front.
        time: The column whose values become the timestamps of the records; None: they stay as they are.
        left_out: The records are without that column.
    """
    names = Names()
    row = names.variable("r")
    lines: tuple[CodeLine, ...] = ()
    value = row
    if time is not None:
        place = time + (1 if updates else 0)
        time_of = names.bind(RowTime(place, columns[time].name).extract_timestamp)
        lines = (CodeLine(0, f"t = {time_of}({row}, 0)", columns[time].name),)
        if left_out:
            value = f"{row}[:{place}] + {row}[{place + 1}:]"
            columns = (*columns[:time], *columns[time + 1 :])
    kind = RowType([RowField(column.name, column.type) for column in columns])
    code = RowCode(row, lines, 0, f"{names.bind(ToRecord(kind, updates))}({value})", dict(names.bound))
    operator = Calc if time is None else StampedCalc
    with in_subtasks_of(rows):
        return rows.then(operator, "ToRecords", code=code, output_type=kind.to_type_info(), tested_first=True)


def _refuse_kind(row: Row) -> None:
    raise ValidationError(
        f"Conversion expects insert-only records but DataStream API record contains: {row.get_row_kind().name}. "
        "from_changelog_stream takes rows of all kinds"
    )


def _record_time(column: Column) -> str:
    """Text of a record's timestamp, which is in ms, in a column's precision."""
    precision = column.type.precision if isinstance(column.type, TimestampType | LocalZonedTimestampType) else 3
    cut = f" // {10 ** (3 - precision)} * {10 ** (3 - precision)}" if precision < 3 else ""
    return f"(None if t is None else t{cut} * 1000)"


def _places(kind: TypeInformation | None, columns: Sequence[Column]) -> tuple[list[int | None], bool]:
    """The index of each column among a record's fields; None: its timestamp."""
    width = len(kind.field_types) if isinstance(kind, (RowTypeInfo, TupleTypeInfo)) else 1
    known = kind.field_names if isinstance(kind, RowTypeInfo) else [f"f{i}" for i in range(width)]
    if all(column.name in known or column.time == "rowtime" for column in columns) and known:
        places = [known.index(column.name) if column.name in known else None for column in columns]
        return places, None in places
    physical = [column for column in columns if column.time is None]
    if len(columns) <= width:
        return list(range(len(columns))), False
    if len(physical) > width:
        raise ValidationError(
            f"the stream has records of {width} fields, and {len(physical)} columns are wanted of it: "
            f"{', '.join(column.name for column in physical)}"
        )
    numbers = iter(range(width))
    return [next(numbers) if column.time is None else None for column in columns], True


def _fields(kind: TypeInformation | None, record: str, names: Names, changelog: bool) -> list[str]:
    """Lines that put a record's fields in a variable."""
    if isinstance(kind, RowTypeInfo):
        return [f"{record}_f = {record}._values"]
    if isinstance(kind, TupleTypeInfo):
        return [f"{record}_f = {record}"]
    row = names.bind(Row)
    return [f"{record}_f = {record}._values if type({record}) is {row} else ({record},)"]


def _exact(kind: TypeInformation | None) -> bool:
    """Whether a field's values were tested against a type that is the column's."""
    return isinstance(kind, (RowTypeInfo, TupleTypeInfo))
