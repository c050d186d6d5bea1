"""`CsvSchema`: the columns and the dialect of CSV files."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.types import BasicType, BasicTypeInfo, RowTypeInfo, TypeInformation, Types

from .options import CsvOptions

_NUMBERS = frozenset(
    {
        BasicType.BYTE,
        BasicType.SHORT,
        BasicType.INT,
        BasicType.LONG,
        BasicType.FLOAT,
        BasicType.DOUBLE,
        BasicType.BIG_INT,
        BasicType.BIG_DEC,
    }
)


@dataclass(frozen=True)
class CsvColumn:
    """A column.

    Attributes:
        name: Its name.
        kind: The type of its values.
        separator: Between the elements of an array; None: the schema's.
    """

    name: str
    kind: TypeInformation
    separator: str | None = None


@dataclass(frozen=True, repr=False)
class CsvSchema:
    """The columns of CSV files, and how they are written. Make one with `builder`.

    Attributes:
        columns: From left to right.
        options: The dialect.
        use_header: Whether a file's first record names its columns.
        strict_headers: Whether those names must be the schema's, in its order.
        reorder_columns: Whether columns are found by the names of a header, not by their order.
        skip_first_data_row: Whether the first record (after the header) is skipped.
        any_property_name: What columns after the last are called. If it is set such are skipped, else they are
            errors.
    """

    columns: tuple[CsvColumn, ...]
    options: CsvOptions = field(default_factory=CsvOptions)
    use_header: bool = False
    strict_headers: bool = False
    reorder_columns: bool = False
    skip_first_data_row: bool = False
    any_property_name: str | None = None

    @staticmethod
    def builder() -> CsvSchemaBuilder:
        """Return a builder without columns."""
        return CsvSchemaBuilder()

    @property
    def row_type(self) -> RowTypeInfo:
        """The type of the records."""
        return Types.ROW_NAMED([c.name for c in self.columns], [c.kind for c in self.columns])

    def dialects(self) -> list[CsvOptions]:
        """The dialect of each column: they differ in the array separator."""
        return [
            self.options if c.separator is None else replace(self.options, array_delimiter=c.separator)
            for c in self.columns
        ]

    def size(self) -> int:
        """Return the number of columns."""
        return len(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        columns = ", ".join(f"{c.name}: {c.kind!r}" for c in self.columns)
        flags = ("use_header", "strict_headers", "reorder_columns", "skip_first_data_row")
        return "".join(["CsvSchema(", columns, *(f", {flag}" for flag in flags if getattr(self, flag)), ")"])


class CsvSchemaBuilder:
    """Builds a `CsvSchema`. Each method but `build` and `size` returns the builder."""

    def __init__(self) -> None:
        self._columns: list[CsvColumn] = []
        self._options: dict[str, Any] = {}
        self._flags: dict[str, Any] = {}

    def build(self) -> CsvSchema:
        """Make the schema.

        Raises:
            ValidationError: it has no columns, or two of one name; two special characters are the same, or the null
                value holds one.
        """
        if not self._columns:
            raise ValidationError("CsvSchema: add a column first")
        options = CsvOptions(**self._options)
        if not options.line_end:
            raise ValidationError("CsvSchema: lines need a separator")
        schema = CsvSchema(tuple(self._columns), options, **self._flags)
        _ = schema.row_type, schema.dialects()  # two columns of one name, wrong array separators
        return schema

    def add_array_column(
        self, name: str, separator: str = ";", element_type: TypeInformation | None = None
    ) -> CsvSchemaBuilder:
        """Add a column of lists.

        Args:
            name: Its name.
            separator: Between two elements. Default: a semicolon.
            element_type: The type of the elements, a single value's. Default: ``Types.STRING()``.
        """
        kind = Types.STRING() if element_type is None else _type_of(element_type)
        return self._add(CsvColumn(name, Types.LIST(kind), separator or None))

    def add_boolean_column(self, name: str) -> CsvSchemaBuilder:
        """Add a column of booleans, written as true and false."""
        return self._add(CsvColumn(name, Types.BOOLEAN()))

    def add_number_column(self, name: str, number_type: TypeInformation | None = None) -> CsvSchemaBuilder:
        """Add a column of numbers.

        Args:
            name: Its name.
            number_type: The type of the numbers, such as ``Types.INT()``. Default: ``Types.LONG()``.

        Raises:
            ValidationError: it is not a type of numbers.
        """
        kind = Types.LONG() if number_type is None else _type_of(number_type)
        if not isinstance(kind, BasicTypeInfo) or kind.basic_type not in _NUMBERS:
            raise ValidationError(f"CsvSchema: column {name!r}: expected a type of numbers, got {kind!r}")
        return self._add(CsvColumn(name, kind))

    def add_string_column(self, name: str) -> CsvSchemaBuilder:
        """Add a column of text."""
        return self._add(CsvColumn(name, Types.STRING()))

    def add_columns_from(self, schema: CsvSchema) -> CsvSchemaBuilder:
        """Add all columns of a schema."""
        self._columns += schema.columns
        return self

    def clear_columns(self) -> CsvSchemaBuilder:
        """Take all columns away."""
        self._columns = []
        return self

    def set_allow_comments(self, allow: bool = True) -> CsvSchemaBuilder:
        """Set whether lines that begin with # are skipped when reading. Default: no."""
        return self._set(comments=allow)

    def set_any_property_name(self, name: str) -> CsvSchemaBuilder:
        """Allow more columns than the schema has. They are skipped. Default: they are errors."""
        self._flags["any_property_name"] = name
        return self

    def disable_array_element_separator(self) -> CsvSchemaBuilder:
        """Have no global array separator: arrays without one of their own hold one element at most."""
        return self._set(array_delimiter="")

    def remove_array_element_separator(self, index: int) -> CsvSchemaBuilder:
        """Take the separator of the array column at a position away: the global one counts.

        Raises:
            ValidationError: there is no such column.
        """
        if not 0 <= index < len(self._columns):
            raise ValidationError(f"CsvSchema: no column {index}: there are {len(self._columns)}")
        self._columns[index] = replace(self._columns[index], separator=None)
        return self

    def set_array_element_separator(self, separator: str) -> CsvSchemaBuilder:
        """Set the global array separator, of columns without one of their own. Default: a semicolon."""
        return self._set(array_delimiter=separator)

    def set_column_separator(self, char: str) -> CsvSchemaBuilder:
        """Set the text between two fields: one character. Default: a comma."""
        return self._set(delimiter=char)

    def disable_escape_char(self) -> CsvSchemaBuilder:
        """Have no escape character, which is the default."""
        return self._set(escape=None)

    def set_escape_char(self, char: str) -> CsvSchemaBuilder:
        """Set the character that escapes a special character. Default: none."""
        return self._set(escape=char)

    def set_line_separator(self, separator: str) -> CsvSchemaBuilder:
        r"""Set what ends a written line: ``\n`` (default), ``\r`` or ``\r\n``. Reading takes all of them."""
        return self._set(line_end=separator)

    def set_null_value(self, null_value: str) -> CsvSchemaBuilder:
        """Set the text of None. Default: none; see `CsvRowSerializationSchema.Builder.set_null_literal`."""
        return self._set(null=null_value)

    def disable_quote_char(self) -> CsvSchemaBuilder:
        """Quote nothing: a quote is a character as any other."""
        return self._set(quote=None)

    def set_quote_char(self, char: str) -> CsvSchemaBuilder:
        """Set the quotes around fields that hold special characters. Default: a double quote."""
        return self._set(quote=char)

    def set_reorder_columns(self, reorder: bool = True) -> CsvSchemaBuilder:
        """Set whether columns are found by the names of a header. Default: by their order."""
        return self._flag(reorder_columns=reorder)

    def set_skip_first_data_row(self, skip: bool = True) -> CsvSchemaBuilder:
        """Set whether the first record of a file, after the header, is skipped when reading. Default: no."""
        return self._flag(skip_first_data_row=skip)

    def set_strict_headers(self, strict: bool = True) -> CsvSchemaBuilder:
        """Set whether the names of a header must be the schema's. Default: they are not looked at."""
        return self._flag(strict_headers=strict)

    def set_use_header(self, use: bool = True) -> CsvSchemaBuilder:
        """Set whether a file's first record names its columns. Default: no."""
        return self._flag(use_header=use)

    def size(self) -> int:
        """Return the number of columns so far."""
        return len(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def _add(self, column: CsvColumn) -> CsvSchemaBuilder:
        self._columns.append(column)
        return self

    def _set(self, **options: Any) -> CsvSchemaBuilder:
        self._options.update(options)
        return self

    def _flag(self, **flags: bool) -> CsvSchemaBuilder:
        self._flags.update(flags)
        return self


def _type_of(given: Any) -> TypeInformation:
    """A type, also of what can give one, such as a data type of the Table API."""
    convert = getattr(given, "to_type_info", None)
    kind = given if convert is None else convert()
    if not isinstance(kind, TypeInformation):
        raise ValidationError(f"CsvSchema: expected a type such as Types.INT(), got {cut(given)}")
    return kind
