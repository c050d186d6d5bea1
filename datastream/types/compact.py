"""Blocks of typed records in a form that is written and read several times faster than pickles.

MessagePack by msgspec, with no class names and no field names inside: both sides know the type. Only for records
whose type was tested, since a form that trusts its type would bend what does not fit.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import msgspec

from datastream.codegen import SourceText
from datastream.errors import FormatError
from datastream.time import Instant
from datastream.types.arrays import BasicArrayTypeInfo, ObjectArrayTypeInfo, PrimitiveArrayTypeInfo
from datastream.types.basic import BasicType, BasicTypeInfo
from datastream.types.list_and_map import ListTypeInfo, MapTypeInfo
from datastream.types.pickles import dumps_records, loads
from datastream.types.received import received, received_or_null
from datastream.types.row import Row, inserted_values, row_factory, values_of
from datastream.types.row_kind import RowKind
from datastream.types.row_type import RowTypeInfo
from datastream.types.sql_time import DateTypeInfo, LocalTimeKind, LocalTimeTypeInfo, TimestampTypeInfo, TimeTypeInfo
from datastream.types.table_row import TableArray, TableRow, TableValue
from datastream.types.tuple_type import TupleTypeInfo
from datastream.types.type_information import TypeInformation
from datastream.types.value_expressions import ValueExpressions

#: First byte of a compact block; that of a pickle is 0x80.
MARK = b"M"

_INSERT = RowKind.INSERT
_BASIC: dict[BasicType, Any] = {
    BasicType.STRING: str,
    BasicType.CHAR: str,
    BasicType.BOOLEAN: bool,
    BasicType.BYTE: int,
    BasicType.SHORT: int,
    BasicType.INT: int,
    BasicType.LONG: int,
    BasicType.BIG_INT: int,
    BasicType.FLOAT: float,
    BasicType.DOUBLE: float,
    BasicType.BIG_DEC: Decimal,
    BasicType.INSTANT: Instant,
    BasicType.VOID: None,
}


class _NoForm(Exception):
    """A type, or a value, has no compact form."""


class CompactBlocks:
    """Writes and reads blocks of one type. A block that has no compact form is pickled: readers see which it is."""

    def __init__(self, kind: TypeInformation, nullable: bool = False) -> None:
        """
        Args:
            kind: The type of the records.
            nullable: A record may be None.

        Raises:
            _NoForm: the type has no compact form; see `compact_blocks`.
        """
        annotation, revive = _annotation(kind), _revive(kind, nullable)
        if nullable and annotation is not None:
            annotation |= None
        self._encode = msgspec.msgpack.Encoder(enc_hook=_values_of, decimal_format="string").encode
        self._decode = msgspec.msgpack.Decoder(list[annotation]).decode  # type: ignore[valid-type]
        self._row = kind if isinstance(kind, RowTypeInfo) else None
        self._revive = revive
        self._received = received_or_null(kind) if nullable else received(kind)

    def dumps(self, records: list[Any]) -> bytes:
        """One block.

        Raises:
            NotPicklableError: the first record that cannot be written at all.
        """
        try:
            if self._row is not None:
                names = self._row.field_names
                unnamed = names if self._row.named else None  # a row without names is as good where the type has none
                values = inserted_values(records, names, unnamed)
                if len(values) == len(records):
                    return MARK + self._encode(values)
            else:
                return MARK + self._encode(records)
        except (_NoForm, TypeError, ValueError, OverflowError, AttributeError, RecursionError):
            pass  # a large int, a lone surrogate, None for a row, a record that was changed since it was tested
        return dumps_records(records)

    def loads(self, data: bytes | memoryview) -> list[Any]:
        """The records of a block.

        Raises:
            FormatError: a function has put values of other types into a record after it was tested.
        """
        if data[:1] != MARK:
            pickled: list[Any] = loads(data)
            return pickled if self._received is None else list(map(self._received, pickled))
        try:
            records: list[Any] = self._decode(memoryview(data)[1:])
        except msgspec.ValidationError as error:
            raise FormatError(
                f"a record was changed after its type was tested: {error}; make a new record in a map instead"
            ) from error
        revive = self._revive
        return records if revive is None else revive(records)


def compact_blocks(kind: TypeInformation | None, nullable: bool = False) -> CompactBlocks | None:
    """What writes and reads blocks of a type, or None where pickles are all there is.

    Args:
        kind: The type of the records.
        nullable: A record may be None.
    """
    if kind is None:
        return None
    try:
        return CompactBlocks(kind, nullable)
    except (_NoForm, SyntaxError, RecursionError, MemoryError):  # the last three: types that nest a hundred deep
        return None


def _values_of(value: Any) -> Any:
    """Rows inside records."""
    if type(value) is Row and value.get_row_kind() is _INSERT:
        return values_of(value)
    raise _NoForm


def _annotation(kind: TypeInformation) -> Any:
    """The type as msgspec knows it."""
    match kind:
        case BasicTypeInfo(basic):
            return _BASIC[basic]
        case DateTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_DATE):
            return date
        case TimeTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_TIME):
            return time
        case TimestampTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_DATE_TIME):
            return datetime
        case PrimitiveArrayTypeInfo(element):
            return bytes if element == BasicTypeInfo(BasicType.BYTE) else list[_annotation(element)]  # type: ignore[misc]
        case BasicArrayTypeInfo(element) | ObjectArrayTypeInfo(element) | ListTypeInfo(element):
            return list[_nullable(element)]  # type: ignore[misc]
        case MapTypeInfo(key, value):
            if _annotation(key) not in (str, int):
                raise _NoForm
            return dict[_annotation(key), _nullable(value)]  # type: ignore[misc]
        case TupleTypeInfo(fields) if fields:
            return tuple[*map(_inside, fields)]  # type: ignore[misc]
        case RowTypeInfo(fields) if fields:
            return tuple[*map(_nullable, fields)]  # type: ignore[misc]
        case TableRow(fields) if fields:
            return tuple[*map(_nullable, fields)]  # type: ignore[misc]
        case TableArray(element):
            return tuple[_nullable(element), ...]  # type: ignore[misc]
        case TableValue(inner):
            return _annotation(inner)
    raise _NoForm


def _inside(kind: TypeInformation) -> Any:
    if isinstance(kind, RowTypeInfo) and not kind.named:
        raise _NoForm  # such a row may still have names of its own
    return _annotation(kind)


def _nullable(kind: TypeInformation) -> Any:
    found = _inside(kind)
    return None if found is None else found | None


def _revive(kind: TypeInformation, nullable: bool) -> Callable[[list[Any]], list[Any]] | None:
    """What turns a decoded block into records, where they are not the same; a generated function."""
    code = SourceText(new=object.__new__, Row=Row, INSERT=_INSERT)
    forms = _Forms(code)
    with code.function("def revive(block)"):
        if isinstance(kind, RowTypeInfo):  # the common case, without a call a record
            code.lines("out = []", "add = out.append")
            with code.block("for v in block"):
                code.lines("r = new(Row)", f"r._fields = {code.bind(kind.field_names)}")
                code.lines(f"r._values = {forms.row_values(kind, 'v')}", "r._row_kind = INSERT", "add(r)")
            code.line("return out")
        else:
            made = forms.of(kind, "v")
            if made == "v":
                return None
            code.line(f"return [{'None if v is None else ' if nullable else ''}{made} for v in block]")
    return code.compiled("revive", "reader of compact blocks")


class _Forms(ValueExpressions):
    """Expressions that turn decoded values into those of a type."""

    def _row(self, kind: RowTypeInfo, value: str) -> str:
        return f"{self._code.bind(row_factory(kind.field_names))}({self.row_values(kind, value)})"

    def row_values(self, kind: RowTypeInfo, value: str) -> str:
        """A list of the values of a row's fields."""
        return self._list(kind.field_types, value) or f"list({value})"
