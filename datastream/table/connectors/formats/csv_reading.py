"""Lines of CSV into tuples of the wanted columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from datastream.codegen import SourceText
from datastream.errors import FormatError, cut
from datastream.formats.csv.columns import Quoted
from datastream.formats.csv.options import CsvOptions
from datastream.formats.csv.splitting import Splitter
from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType
from datastream.table.types.logical_types import (
    ArrayType,
    BinaryType,
    CharType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    VarBinaryType,
    VarCharType,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.type_traits import traits_of
from datastream.types.java_text import narrowed

from .format import Decoder, Layout, unreadable
from .numbers import BITS, INTS, LONGS, decimal_bounds, fitted, range_of, read_decimal, read_float, read_whole

#: Types of which an empty field is a value, as in Flink: no bytes, no elements.
_EMPTY = (BinaryType, VarBinaryType, ArrayType)


class CsvDecoder(Decoder):
    """Reads messages of one line; made by `CsvFormat`.

    Attributes:
        dialect: How the lines are written.
    """

    def __init__(self, layout: Layout, wanted: Sequence[str], options: Mapping[str, Any], dialect: CsvOptions) -> None:
        self._of = layout.of
        self._layout, self._wanted, self.dialect = layout, tuple(wanted), dialect
        self.drops_errors = options["ignore-parse-errors"]

    @cached_property
    def _splitter(self) -> Splitter:
        texts = any(isinstance(column.type, CharType | VarCharType) for column in self._layout.columns)
        return Splitter(self.dialect, self.dialect.null if texts else None)

    @cached_property
    def _readers(self) -> dict[str, Callable[[str], Any]]:
        drops = self.drops_errors
        return {name: reader_of(self._layout.type_of(name), self.dialect, drops) for name in self._wanted}

    @cached_property
    def _fast(self) -> Callable[[list[list[str]]], list[Any]]:
        code = SourceText(Quoted=Quoted, null=self.dialect.null)
        names = self._layout.names
        with code.function("def read(rows)"):
            code.lines("found = []", "add = found.append")
            places = {name: f"v{i}" for i, name in enumerate(names) if name in self._wanted}
            with code.block("for fields in rows"):
                if len(names) == 1:  # a blank line is an empty field
                    code.line("fields = fields or ['']")
                code.line(f"{', '.join(places.get(name, '_') for name in names)}, = fields")
                for name in places:
                    self._column(code, self._layout.type_of(name), places[name], name)
                values = [places[name] for name in self._wanted]
                code.line(f"add(({', '.join(values)}{',' if len(values) == 1 else ''}))")
            code.line("return found")
        return code.compiled("read", "reader of CSV")

    def _column(self, code: SourceText, kind: DataType, value: str, name: str) -> None:
        literal = self.dialect.null is not None
        if isinstance(kind, CharType | VarCharType):
            if literal:
                with code.block(f"if {value} == null and type({value}) is not Quoted"):
                    code.line(f"{value} = None")
            return
        empty = "" if isinstance(kind, _EMPTY) else f"not {value}"
        null = f"{value} == null" if literal else ""
        with code.block(f"if {' or '.join(filter(None, (empty, null))) or 'False'}"):
            code.line(f"{value} = None")
        with code.block("else"):
            if type(kind) in BITS:
                least, most = range_of(kind)
                code.line(f"{value} = int({value})")
                with code.block(f"if not {least} <= {value} <= {most}"):
                    code.line("raise ValueError")
            elif isinstance(kind, DoubleType | FloatType):
                code.line(f"{value} = float({value})")
                with code.block(f"if {value} - {value}"):  # NaN and infinite, which have more forms in Python
                    code.line("raise ValueError")
                if isinstance(kind, FloatType):
                    code.line(f"{value} = {code.bind(narrowed)}({value})")
            else:
                code.line(f"{value} = {code.bind(self._readers[name])}({value})")

    def rows(self, messages: Sequence[bytes]) -> list[Any]:
        texts = list(map(bytes.decode, messages))
        joined = "".join(texts)
        rows = self._splitter.messages(texts, joined)
        found = None if len(rows) != len(texts) else self.fast(joined, rows)  # there may be comments
        return list(map(self.row, messages)) if found is None else found

    def fast(self, text: str, rows: list[list[str]]) -> list[Any] | None:
        """The tuples of the fields of lines, blank ones left out; None: one of them has to be read alone.

        Args:
            text: All lines.
            rows: Their fields.
        """
        if ("_" in text or not text.isascii()) and not self._texts_only:  # digits that Python reads and Java does not
            return None
        try:
            return self._fast(rows if [] not in rows or len(self._layout.columns) == 1 else [r for r in rows if r])
        except (ValueError, ArithmeticError, LookupError):
            return None

    @cached_property
    def _texts_only(self) -> bool:
        kinds = [self._layout.type_of(name) for name in self._wanted]
        return not any(type(kind) in BITS or _is_number(kind) for kind in kinds)

    def row(self, data: bytes) -> tuple[Any, ...] | None:
        try:
            text = data.decode()
            rows = self._splitter.messages([text], text)
        except UnicodeDecodeError as error:
            raise unreadable(self._of, f"the line is not UTF-8: {error.reason}; it is {cut(data)}") from None
        except FormatError as error:
            raise unreadable(self._of, f"{error}; the line is {cut(data)}") from None
        if not rows or (not rows[0] and len(self._layout.columns) > 1):
            return None
        return self.fields(rows[0], data)

    def fields(self, fields: Sequence[str], line: bytes) -> tuple[Any, ...]:
        """The tuple of the fields of a line.

        Raises:
            FormatError: there are too many or too few, or one has a wrong value.
        """
        names = self._layout.names
        fields = fields or ([""] if len(names) == 1 else [])
        if len(fields) != len(names) and not (self.drops_errors and 0 < len(fields) < len(names)):
            reason = f"expected {len(names)} fields, found {len(fields)}"
            raise unreadable(self._of, f"{reason}; the line is {cut(line)}")
        texts = dict(zip(names, fields, strict=False))
        return tuple([self._field(name, texts.get(name), line) for name in self._wanted])

    def _field(self, name: str, text: str | None, line: bytes) -> Any:
        kind = self._layout.type_of(name)
        if text is None or (text == self.dialect.null and type(text) is not Quoted):
            return None
        if isinstance(kind, CharType | VarCharType):
            return str(text)
        if not text and not isinstance(kind, _EMPTY):
            return None
        try:
            return self._readers[name](text)
        except (ValueError, ArithmeticError, LookupError) as error:
            if self.drops_errors:
                return None
            hint = f" ({error})" if str(error).startswith("write it") else ""
            reason = f"column {name}: expected a value of {kind}{hint}, found {cut(text)}"
            raise unreadable(self._of, f"{reason}; the line is {cut(line)}") from None


def _is_number(kind: DataType) -> bool:
    return isinstance(kind, FloatType | DoubleType | DecimalType | DayTimeIntervalType | YearMonthIntervalType)


def reader_of(kind: DataType, dialect: CsvOptions, drops_errors: bool = False) -> Callable[[str], Any]:
    """A function: text -> the value. It raises ValueError, LookupError or ArithmeticError.

    Args:
        kind: The type. Texts of others than those of `_EMPTY` are not empty.
        dialect: How the lines are written.
        drops_errors: Whether parts of arrays and rows that cannot be read are NULL.

    Raises:
        ValueError: there are no such values in CSV.
    """
    match kind:
        case FloatType():
            return lambda text: narrowed(read_float(text))
        case DoubleType():
            return read_float
        case _ if type(kind) in BITS:
            least, most = range_of(kind)
            return lambda text: read_whole(text, least, most)
        case DecimalType():
            unit, limit = decimal_bounds(kind.precision, kind.scale)
            return lambda text: fitted(read_decimal(text), unit, limit)
        case YearMonthIntervalType():
            return lambda text: read_whole(text, *INTS)
        case DayTimeIntervalType():
            return lambda text: read_whole(text, *LONGS) * 1000
        case ArrayType():
            element = _nullable(kind.element_type, dialect, drops_errors)
            return lambda text: tuple(map(element, _parts(text, dialect))) if text else ()
        case RowType():
            readers = [_nullable(field.data_type, dialect, drops_errors) for field in kind]
            if drops_errors:
                return lambda text: tuple([r(p) for r, p in zip(readers, _filled(text, dialect, len(readers)))])  # noqa: B905
            return lambda text: tuple([r(p) for r, p in zip(readers, _parts(text, dialect), strict=True)])
    found = traits_of(kind).csv_reader()
    if found is None:
        raise ValueError(f"there are no values of {kind} in CSV")
    return found


def _nullable(kind: DataType, dialect: CsvOptions, drops_errors: bool) -> Callable[[str | None], Any]:
    read, null = reader_of(kind, dialect, drops_errors), dialect.null
    is_text = isinstance(kind, CharType | VarCharType)

    def nullable(text: str | None) -> Any:
        if text is None or text == null or (not text and not is_text):
            return None
        try:
            return read(text)
        except (ValueError, ArithmeticError, LookupError):
            if drops_errors:
                return None
            raise

    return nullable


def _filled(text: str, dialect: CsvOptions, length: int) -> list[str | None]:
    """The parts of a row; None for those that are not there."""
    parts = _parts(text, dialect)
    return [*parts, *[None] * (length - len(parts))]


def _parts(text: str, dialect: CsvOptions) -> list[str]:
    return text.split(dialect.array_delimiter) if dialect.array_delimiter else [text]
