"""Formats of whole files: ``parquet``, ``orc`` and ``avro``, read and written by the engine's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from datastream.connectors.files import FileFormat, FilePart
from datastream.connectors.files.columnar_format import ColumnarRowFormat
from datastream.errors import FormatError, ValidationError
from datastream.formats import BulkWriterFactory
from datastream.formats.columnar.factories import ColumnarFactory
from datastream.io import Predicate
from datastream.table.codegen.user_calls import ToPython
from datastream.table.connectors.options import Option
from datastream.table.functions.types import WHOLE
from datastream.table.types.logical_types import DataType, DateType, VarCharType
from datastream.table.types.row_type import RowField, RowType

from .avro_schemas import avro_schema, row_of
from .engine_rows import Conversion, inside_tuples, python_tuples, rows_of, tuples_of
from .format import Layout

#: Format -> the options that it has in a WITH clause, without its name in front; ``*``: those of its writer.
BULK_OPTIONS: dict[str, tuple[Option, ...]] = {
    "parquet": (
        Option("utc-timezone", "boolean", False, doc="Whether points in time are wall clock times in UTC."),
        Option("*", doc="Of the writer: compression, block.size, page.size and others."),
    ),
    "orc": (Option("*", doc="Of the writer: compress and others."),),
    "avro": (
        Option("codec", default="snappy", doc="Of the blocks: null, deflate, bzip2, xz, snappy, zstandard."),
        Option("timestamp_mapping.legacy", "boolean", True, doc="See the format of messages."),
    ),
}


def leaves_out(form: str, kind: DataType) -> bool:
    """Whether rows are left out, by the statistics of a file, for predicates on a column of a type."""
    return form == "parquet" and isinstance(kind, (*WHOLE, VarCharType, DateType))


def bulk_reader(
    form: str,
    layout: Layout,
    wanted: Sequence[str],
    options: Mapping[str, Any],
    predicates: Sequence[Predicate] = (),
) -> FileFormat:
    """What reads files as tuples of the wanted columns.

    Args:
        form: The format.
        layout: The columns.
        wanted: Names of those that are read.
        options: Of the format.
        predicates: Of those that `leaves_out` approves of: rows for which one is not true may be left out.

    Raises:
        ValidationError: a column's type has no form in the format.
    """
    names = list(wanted) or list(layout.names[:1])  # the number of rows is wanted all the same
    kind = _row_type(form, layout, names)
    try:
        engine = _engine_reader(form, layout, kind, options)
        if predicates and isinstance(engine, ColumnarRowFormat):
            engine = engine.with_predicates([python_values(each, layout.type_of(each.column)) for each in predicates])
        if isinstance(engine, ColumnarRowFormat):
            return _BulkFiles(engine.with_tuples(), Conversion(inside_tuples, kind), bool(wanted))
        return _BulkFiles(engine, Conversion(tuples_of, kind), bool(wanted))
    except (FormatError, ValidationError) as error:
        raise ValidationError(f"{layout.of}: {error}") from None


def python_values(predicate: Predicate, kind: DataType) -> Predicate:
    """A predicate on a column of a type, with values as pyarrow returns them."""
    convert = ToPython(kind)
    return replace(predicate, values=tuple(map(convert, predicate.values)))


def bulk_writer(form: str, layout: Layout, options: Mapping[str, Any]) -> tuple[BulkWriterFactory, Any]:
    """What writes files, and what makes a block of its records of tuples.

    Raises:
        ValidationError: a column's type has no form in the format, or an option is wrong.
    """
    kind = _row_type(form, layout, layout.names)
    try:
        factory = _engine_writer(form, layout, kind, options)
        if isinstance(factory, ColumnarFactory):
            return factory.taking_tuples(), Conversion(python_tuples, kind)
        return factory, Conversion(rows_of, kind)
    except (FormatError, ValidationError) as error:
        raise ValidationError(f"{layout.of}: {error}") from None


def _row_type(form: str, layout: Layout, names: Sequence[str]) -> RowType:
    if form == "avro":
        return row_of(layout, names)
    return RowType([RowField(name, layout.type_of(name)) for name in names])


def _engine_reader(form: str, layout: Layout, kind: RowType, options: Mapping[str, Any]) -> FileFormat:
    info = kind.to_type_info()
    if form == "parquet":
        from datastream.connectors.files import ParquetColumnarRowInputFormat

        parquet: FileFormat = ParquetColumnarRowInputFormat(info, is_utc_timestamp=options.get("utc-timezone", False))
        return parquet
    if form == "orc":
        from datastream.connectors.files import OrcColumnarRowInputFormat

        orc: FileFormat = OrcColumnarRowInputFormat(info)
        return orc
    from datastream.connectors.files import AvroFormat

    avro: FileFormat = AvroFormat(avro_schema(layout, kind.names, options["timestamp_mapping.legacy"]), rows=True)
    return avro


def _engine_writer(form: str, layout: Layout, kind: RowType, options: Mapping[str, Any]) -> BulkWriterFactory:
    info = kind.to_type_info()
    given = {f"{form}.{name}": str(value) for name, value in options.items() if name != "utc-timezone"}
    if form == "parquet":
        from datastream.formats.parquet import ParquetBulkWriters

        return ParquetBulkWriters.for_row_type(info, given, options.get("utc-timezone", False))
    if form == "orc":
        from datastream.formats.orc import OrcBulkWriters

        return OrcBulkWriters.for_row_type(info, given)
    from datastream.formats.avro import AvroBulkWriters

    return AvroBulkWriters.for_row(
        avro_schema(layout, kind.names, options["timestamp_mapping.legacy"]), options["codec"]
    )


class _BulkFiles(FileFormat):
    def __init__(self, inner: FileFormat, tuples: Conversion, wanted: bool) -> None:
        self._inner, self._tuples, self._wanted = inner, tuples, wanted
        self.splittable = inner.splittable

    def read(self, part: FilePart) -> Iterator[list[Any]]:
        for block in self._inner.read(part):
            yield self._tuples(block) if self._wanted else [()] * len(block)
