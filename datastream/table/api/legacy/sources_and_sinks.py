"""`CsvTableSource` and `CsvTableSink`, which older programs register under a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from datastream.errors import ValidationError
from datastream.old_names import warn_of_old
from datastream.table.api.table_descriptor import TableDescriptor
from datastream.table.catalogs.schema import Schema
from datastream.table.dsl.old_types import data_type
from datastream.table.types.logical_types import DataType

_INSTEAD = "TableDescriptor.for_connector('filesystem') with format('csv')"


class WriteMode:
    """What is done where the file of a sink is there already."""

    NO_OVERWRITE = 0
    OVERWRITE = 1


class CsvTableSource:
    """A file of CSV, or a folder of such files, to be read.

    Args:
        source_path: The file.
        field_names: Of the columns.
        field_types: Of the columns.
        field_delim: Between two fields.
        line_delim: Between two rows.
        quote_character: Around fields that hold delimiters. Default: none.
        ignore_first_line: Whether the first row of a file is skipped.
        ignore_comments: ``#``: rows that begin with it are skipped.
        lenient: Whether rows that cannot be read are left out.
        empty_column_as_null: Whether an empty field is NULL; it is so in any case, but for texts.
    """

    def __init__(
        self,
        source_path: str,
        field_names: Sequence[str],
        field_types: Sequence[DataType],
        field_delim: str | None = None,
        line_delim: str | None = None,
        quote_character: str | None = None,
        ignore_first_line: bool | None = None,
        ignore_comments: str | None = None,
        lenient: bool | None = None,
        empty_column_as_null: bool | None = None,
    ) -> None:
        warn_of_old("CsvTableSource", _INSTEAD)
        self._schema = _schema("CsvTableSource", field_names, field_types)
        self._options: dict[str, Any] = {
            "path": source_path,
            "field-delimiter": field_delim or ",",
            "line-delimiter": line_delim or "\n",
            "quote-character": quote_character or "",
            "ignore-first-line": bool(ignore_first_line),
            "allow-comments": ignore_comments is not None,
            "ignore-parse-errors": bool(lenient),
        }

    def table_descriptor(self) -> TableDescriptor:
        """The table as it is declared now."""
        return _descriptor(self._schema, self._options)


@dataclass(frozen=True)
class _Sink:
    """The settings of a `CsvTableSink`."""

    names: tuple[str, ...]
    types: tuple[Any, ...]
    options: tuple[tuple[str, Any], ...]


class CsvTableSink:
    """One file of CSV to be written.

    Args:
        field_names: Of the columns.
        field_types: Of the columns.
        path: The file.
        field_delimiter: Between two fields.
        num_files: The number of files; it is one in any case.
        write_mode: One of `WriteMode`. Default: a file that is there is an error.
    """

    def __init__(
        self,
        field_names: Sequence[str],
        field_types: Sequence[DataType],
        path: str,
        field_delimiter: str = ",",
        num_files: int = -1,
        write_mode: int | None = None,
    ) -> None:
        warn_of_old("CsvTableSink", _INSTEAD)
        if write_mode not in (None, WriteMode.NO_OVERWRITE, WriteMode.OVERWRITE):
            raise ValidationError("CsvTableSink: write_mode must be one of WriteMode")
        options = {
            "path": path,
            "field-delimiter": field_delimiter,
            "quote-character": "",
            "overwrite": write_mode == WriteMode.OVERWRITE,
        }
        self._given = _Sink(tuple(field_names), tuple(field_types), tuple(options.items()))

    def configure(self, field_names: Sequence[str], field_types: Sequence[DataType]) -> CsvTableSink:
        """The same with other columns."""
        made: CsvTableSink = CsvTableSink.__new__(CsvTableSink)
        made._given = replace(self._given, names=tuple(field_names), types=tuple(field_types))
        return made

    def table_descriptor(self) -> TableDescriptor:
        """The table as it is declared now."""
        schema = _schema("CsvTableSink", self._given.names, self._given.types)
        return _descriptor(schema, dict(self._given.options))


def _schema(of: str, names: Sequence[str], types: Sequence[Any]) -> Schema:
    if len(names) != len(types):
        raise ValidationError(f"{of}: {len(names)} names for {len(types)} types")
    kinds = [data_type(kind, f"{of}, column {name!r}") for name, kind in zip(names, types, strict=True)]
    return Schema.new_builder().from_fields(list(names), kinds).build()


def _descriptor(schema: Schema, options: dict[str, Any]) -> TableDescriptor:
    made = TableDescriptor.for_connector("legacy-csv").schema(schema)
    for key, value in options.items():
        made.option(key, value)
    return made.build()
