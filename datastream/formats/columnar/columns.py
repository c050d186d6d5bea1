"""Columns of a file as columns of the declared types, where nothing is lost on the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from datastream.errors import REPR_LIMIT, FormatError, cut

#: From a column of the file's type to one of the declared type.
Fit = Callable[[Any], Any]

_QUARTER_US = 900_000_000  # time zones change at quarters of an hour
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class Times:
    """How points in time become timestamps without a zone, and the reverse.

    Attributes:
        utc: Take a point in time as it is in UTC; else in this machine's time zone.
        bare_is_utc: A timestamp without a zone in the file is a point in time in UTC (Parquet's INT96).
    """

    utc: bool = True
    bare_is_utc: bool = False


def fitting(found: Any, wanted: Any, times: Times, any_case: bool, path: str) -> Fit:
    """What makes a column of type `wanted` of one of type `found`.

    Raises:
        FormatError: it could lose something, or the types have nothing in common.
    """
    shifts = times.bare_is_utc and not times.utc and (pa.types.is_nested(found) or pa.types.is_timestamp(found))
    if found.equals(wanted) and not shifts:
        return _same
    if isinstance(found, pa.BaseExtensionType):
        inner = fitting(found.storage_type, wanted, times, any_case, path)
        return lambda column: inner(column.storage)
    if pa.types.is_dictionary(found):
        inner = fitting(found.value_type, wanted, times, any_case, path)
        return lambda column: inner(column.dictionary_decode())
    if pa.types.is_null(found):
        return lambda column: pa.nulls(len(column), wanted)
    if pa.types.is_struct(wanted) and pa.types.is_struct(found):
        return _struct(found, wanted, times, any_case, path)
    if pa.types.is_map(wanted) and pa.types.is_map(found):
        return _map(found, wanted, times, any_case, path)
    if pa.types.is_list(wanted) and (pa.types.is_list(found) or _is_other_list(found)):
        return _list(found, wanted, times, any_case, path)
    if pa.types.is_timestamp(wanted) and pa.types.is_timestamp(found):
        return _timestamp(found, wanted, times, path)
    if not _widens(found, wanted):
        raise FormatError(
            f"column {path}: the file holds {_text(found)}, which does not become {_text(wanted)} without loss; "
            "declare the column as what the file holds"
        )
    return _cast(wanted, path)


def position_of(names: list[str], name: str, any_case: bool, path: str) -> int | None:
    """Where a column of this name is, or None.

    Raises:
        FormatError: there are several.
    """
    wanted = name.lower() if any_case else name
    found = [i for i, other in enumerate(names) if (other.lower() if any_case else other) == wanted]
    if len(found) > 1:
        raise FormatError(f"column {path}: the file has several: {[names[i] for i in found]}")
    return found[0] if found else None


def _text(kind: Any) -> str:
    text = str(kind)
    return text if len(text) <= REPR_LIMIT else text[: REPR_LIMIT - 3] + "..."


def _same(column: Any) -> Any:
    return column


def _cast(wanted: Any, path: str) -> Fit:
    def fit(column: Any) -> Any:
        try:
            return column.cast(wanted)
        except pa.ArrowInvalid as error:
            raise FormatError(f"column {path}: a value of the file does not fit {wanted}: {error}") from error

    return fit


# -- single values ----------------------------------------------------------------------------------


_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
_BYTES = (
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
)


def _widens(found: Any, wanted: Any) -> bool:
    for kinds in (_TEXTS, _BYTES, (pa.types.is_date,), (pa.types.is_time,)):
        if any(kind(wanted) for kind in kinds):
            return any(bool(kind(found)) for kind in kinds)
    if pa.types.is_decimal(wanted):
        return bool(_digits(found) <= wanted.precision - wanted.scale and _scale(found) <= wanted.scale)
    if pa.types.is_floating(wanted):
        return _significant_bits(found) <= (53 if wanted.bit_width == 64 else 24)
    if pa.types.is_integer(wanted):
        # One bit more where it is unsigned: the declared types are signed.
        bits = found.bit_width + pa.types.is_unsigned_integer(found) if pa.types.is_integer(found) else _NEVER
        return bool(bits <= wanted.bit_width)
    return False


_NEVER = 1000


def _digits(kind: Any) -> int:
    """Decimal digits before the point that a type may need."""
    if pa.types.is_decimal(kind):
        return int(kind.precision - kind.scale)
    return {8: 3, 16: 5, 32: 10, 64: 20}[kind.bit_width] if pa.types.is_integer(kind) else _NEVER


def _scale(kind: Any) -> int:
    return int(kind.scale) if pa.types.is_decimal(kind) else 0


def _significant_bits(kind: Any) -> int:
    if pa.types.is_floating(kind):
        return {16: 11, 32: 24, 64: 53}[kind.bit_width]
    return int(kind.bit_width) if pa.types.is_integer(kind) else _NEVER


# -- timestamps -------------------------------------------------------------------------------------


def _timestamp(found: Any, wanted: Any, times: Times, path: str) -> Fit:
    is_point = found.tz is not None or times.bare_is_utc
    cast = _cast(wanted, path)
    if wanted.tz is not None:
        if is_point:
            return cast
        raise FormatError(
            f"column {path}: the file holds {found}, which has no time zone and is no {wanted}; "
            "declare the column as SQL_TIMESTAMP"
        )
    if not is_point or times.utc or (not time.timezone and not time.daylight):
        return cast

    def fit(column: Any) -> Any:
        in_utc = column.cast(pa.timestamp(found.unit)).cast(pa.timestamp("us")).cast(pa.int64())
        return pa.array(_local(in_utc.to_pylist(), path), pa.int64()).cast(pa.timestamp("us")).cast(wanted)

    return fit


def _local(values: list[int | None], path: str) -> list[int | None]:
    """Microseconds since 1970 in UTC as those of the local clock."""
    offsets: dict[int, int] = {}
    try:
        for quarter in {v // _QUARTER_US for v in values if v is not None}:
            moment = (_EPOCH + timedelta(microseconds=quarter * _QUARTER_US)).astimezone()
            offset = moment.utcoffset()
            offsets[quarter] = 0 if offset is None else offset // _MICROSECOND
    except (OverflowError, ValueError, OSError) as error:
        raise FormatError(f"column {path}: a point in time has no local form: {error}") from error
    return [None if v is None else v + offsets[v // _QUARTER_US] for v in values]


# -- columns of columns -----------------------------------------------------------------------------


def _is_other_list(kind: Any) -> bool:
    return bool(pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _list(found: Any, wanted: Any, times: Times, any_case: bool, path: str) -> Fit:
    inner = fitting(found.value_type, wanted.value_type, times, any_case, f"{path}[]")
    plain = pa.list_(found.value_type)

    def fit(column: Any) -> Any:
        if _is_other_list(found):
            column = column.cast(plain)
        buffers = column.buffers()[:2]
        return pa.Array.from_buffers(
            wanted, len(column), buffers, offset=column.offset, children=[inner(column.values)]
        )

    return fit


def _map(found: Any, wanted: Any, times: Times, any_case: bool, path: str) -> Fit:
    key = fitting(found.key_type, wanted.key_type, times, any_case, f"{path}[key]")
    item = fitting(found.item_type, wanted.item_type, times, any_case, f"{path}[value]")
    fields = [wanted.key_field, wanted.item_field]

    def fit(column: Any) -> Any:
        entries = pa.StructArray.from_arrays([key(column.keys), item(column.items)], fields=fields)
        buffers = column.buffers()[:2]
        return pa.Array.from_buffers(wanted, len(column), buffers, offset=column.offset, children=[entries])

    return fit


def _struct(found: Any, wanted: Any, times: Times, any_case: bool, path: str) -> Fit:
    children = members([*found], [*wanted], times, any_case, f"{path}.")
    fields = [*wanted]
    if fields and not any(children):
        raise FormatError(
            f"column {path}: none of the fields {cut([f.name for f in fields])} is in the file: "
            f"it has {cut([f.name for f in found])}"
        )

    def fit(column: Any) -> Any:
        columns = [
            pa.nulls(len(column), field.type) if child is None else child[1](column.field(child[0]))
            for child, field in zip(children, fields, strict=True)
        ]
        if not columns:
            return column.cast(wanted)
        return pa.StructArray.from_arrays(columns, fields=fields, mask=column.is_null() if column.null_count else None)

    return fit


def members(
    found: list[Any], wanted: list[Any], times: Times, any_case: bool, prefix: str = ""
) -> list[tuple[int, Fit] | None]:
    """For each declared field, the position of the file's and what makes it fit; None: the file has no such field."""
    names = [field.name for field in found]
    fits: list[tuple[int, Fit] | None] = []
    for field in wanted:
        path = prefix + field.name
        position = position_of(names, field.name, any_case, path)
        if position is None:
            fits.append(None)
        else:
            fits.append((position, fitting(found[position].type, field.type, times, any_case, path)))
    return fits
