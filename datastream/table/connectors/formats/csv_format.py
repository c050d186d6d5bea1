"""The format ``csv``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from datastream.errors import ValidationError
from datastream.formats import SerializationSchema
from datastream.formats.csv.options import CsvOptions
from datastream.table.connectors.options import Option
from datastream.table.types.logical_types import ArrayType, DataType, MapType, MultisetType
from datastream.table.types.row_type import RowType

from .csv_reading import CsvDecoder, reader_of
from .csv_writing import CsvEncoder
from .format import Decoder, Layout, TableFormat


class CsvFormat(TableFormat):
    """A row is a line; its fields are the columns, in order.

    An empty field is NULL, save in a column of text without a null literal, where it is empty text.
    """

    name = "csv"
    options = (
        Option("field-delimiter", default=",", doc="Between two fields: one character."),
        Option("quote-character", default='"', doc="Around fields that hold special characters."),
        Option("disable-quote-character", "boolean", False, doc="Whether no field is quoted."),
        Option("escape-character", doc="Before a character that is meant as itself. Default: none."),
        Option("allow-comments", "boolean", False, doc="Whether lines that begin with # are skipped."),
        Option("ignore-parse-errors", "boolean", False, doc="A wrong value is NULL; what is no line is dropped."),
        Option("array-element-delimiter", default=";", doc="Between elements of arrays and fields of rows."),
        Option("null-literal", doc="The text of NULL. Default: none."),
        Option("write-bigdecimal-in-scientific-notation", "boolean", True, doc="Whether decimals have exponents."),
    )

    def decoder(self, layout: Layout, wanted: Sequence[str], options: Mapping[str, Any]) -> Decoder:
        return CsvDecoder(layout, wanted, options, _dialect(layout, options))

    def encoder(self, layout: Layout, options: Mapping[str, Any]) -> SerializationSchema:
        return CsvEncoder(layout, options, _dialect(layout, options))


def _dialect(layout: Layout, options: Mapping[str, Any]) -> CsvOptions:
    if not layout.columns:
        raise ValidationError(f"{layout.of}: a line of CSV has one column or more")
    for column in layout.columns:
        _check(column.type, column.name, layout.of)
    delimiter = options["field-delimiter"]
    try:
        dialect = CsvOptions(
            delimiter="\t" if delimiter == "\\t" else delimiter,
            quote=None if options["disable-quote-character"] else options["quote-character"],
            escape=options["escape-character"],
            null=options["null-literal"],
            array_delimiter=options["array-element-delimiter"],
            comments=options["allow-comments"],
        )
        for column in layout.columns:
            reader_of(column.type, dialect)
    except ValueError as error:
        raise ValidationError(f"{layout.of}: {error}") from None
    return dialect


def _check(kind: DataType, place: str, of: str, depth: int = 0) -> None:
    if isinstance(kind, MapType | MultisetType) or (isinstance(kind, ArrayType | RowType) and depth):
        raise ValidationError(f"{of}: column {place}: {kind} has no form in CSV")
    if isinstance(kind, ArrayType):
        _check(kind.element_type, place, of, depth + 1)
    if isinstance(kind, RowType):
        for field in kind:
            _check(field.data_type, f"{place}.{field.name}", of, depth + 1)
