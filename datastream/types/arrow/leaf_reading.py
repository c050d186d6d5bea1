"""How columns of single values are read: which Arrow types each of ours accepts, and how they become values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_

from datastream.errors import FormatError
from datastream.time.instant import Instant
from datastream.types.arrow.leaves import Leaf, Values, leaf_of
from datastream.types.basic import BasicType, BasicTypeInfo
from datastream.types.pickled import PickledBytesTypeInfo
from datastream.types.pickles import loads
from datastream.types.type_information import TypeInformation

Read = Callable[[pa.Array], Values]


def leaf_reader(kind: TypeInformation, path: str, unpickle: bool) -> Read:
    """What makes values of an Arrow array for a type without types inside; `path` is for messages.

    Raises:
        FormatError: The type is of pickled values, and `unpickle` is false.
    """
    leaf = leaf_of(kind)
    assert leaf is not None
    accepts: Callable[[pa.DataType], bool]
    values: Read
    if isinstance(kind, PickledBytesTypeInfo):
        if not unpickle:
            raise FormatError(f"{_where(path)}pickled values are not read, since foreign ones can run any code")
        accepts, values = _is_binary, _unpickled
    elif kind == BasicTypeInfo(BasicType.CHAR):
        accepts, values = _is_text, _chars
    elif kind == BasicTypeInfo(BasicType.BIG_INT):
        accepts, values = lambda t: is_.is_integer(t) or (is_.is_decimal(t) and t.scale == 0), _big_ints
    else:
        accepts, values = _ways(leaf)

    def read(array: pa.Array) -> Values:
        if not accepts(array.type) and array.null_count != len(array):
            raise FormatError(
                f"{_where(path)}expected {kind!r}, found Arrow's {array.type}; declare a type that holds it"
            )
        try:
            return values(array)
        except FormatError as error:
            raise FormatError(f"{_where(path)}{error}") from None
        except (pa.ArrowException, ValueError, OverflowError) as error:
            raise FormatError(f"{_where(path)}a value is not a {kind!r}: {error}") from None

    return lambda array: [None] * len(array) if array.null_count == len(array) else read(array)


def _where(path: str) -> str:
    return f"field {path}: " if path else ""


def _ways(leaf: Leaf) -> tuple[Callable[[pa.DataType], bool], Read]:
    """Which Arrow types are read as a leaf's values, and how."""
    arrow = leaf.arrow
    if is_.is_string(arrow):
        return _is_text, _as_list
    if is_.is_binary(arrow):
        return _is_binary, _as_list
    if is_.is_decimal(arrow):
        return is_.is_decimal, _as_list
    if is_.is_date(arrow):
        return is_.is_date, _dates
    if is_.is_time(arrow):
        return is_.is_time, _times
    if is_.is_timestamp(arrow):
        # A timestamp without a zone is no point in time, so that an Instant cannot be read from it.
        return (is_.is_timestamp, _timestamps) if arrow.tz is None else (_is_point_of_time, _instants)
    if is_.is_integer(arrow):
        return is_.is_integer, lambda array: _numbers(_cast(array, arrow))
    if is_.is_floating(arrow):
        return lambda t: is_.is_floating(t) and t.bit_width <= arrow.bit_width, _numbers
    if is_.is_boolean(arrow):
        return is_.is_boolean, _numbers
    return is_.is_null, _as_list


def _is_text(t: pa.DataType) -> bool:
    return bool(is_.is_string(t) or is_.is_large_string(t) or is_.is_string_view(t))


def _is_binary(t: pa.DataType) -> bool:
    return bool(is_.is_binary(t) or is_.is_large_binary(t) or is_.is_fixed_size_binary(t) or is_.is_binary_view(t))


def _is_point_of_time(t: pa.DataType) -> bool:
    return bool(is_.is_timestamp(t) and t.tz is not None)


def _as_list(array: pa.Array) -> Values:
    found: Values = array.to_pylist()
    return found


def _cast(array: pa.Array, arrow: pa.DataType) -> pa.Array:
    return array if array.type == arrow else array.cast(arrow)


def _numbers(array: pa.Array) -> Values:
    """NumPy makes Python's numbers many times faster, but has no nulls."""
    return _as_list(array) if array.null_count else array.to_numpy(zero_copy_only=False).tolist()


def _chars(array: pa.Array) -> Values:
    found = _as_list(array)
    if any(len(text) != 1 for text in found if text is not None):
        raise FormatError("expected strings of one character")
    return found


def _big_ints(array: pa.Array) -> Values:
    found = _as_list(array)
    return found if is_.is_integer(array.type) else [None if v is None else int(v) for v in found]


# Days and microseconds of the years 1 and 9999, which Python's dates end with.
_DAYS = (-719_162, 2_932_896)
_DAY = 86_400_000_000
_MICROS = (_DAYS[0] * _DAY, (_DAYS[1] + 1) * _DAY - 1)


def _within(
    numbers: pa.Array, limits: tuple[int, int], otherwise: str = "a date is not within the years 1 to 9999"
) -> None:
    found = pc.min_max(numbers).as_py()
    if found["min"] is not None and not limits[0] <= found["min"] <= found["max"] <= limits[1]:
        raise FormatError(otherwise)


def _dates(array: pa.Array) -> Values:
    days = _cast(array, pa.date32())
    _within(days.cast(pa.int32()), _DAYS)
    # NumPy gives datetime.date for days and datetime.datetime for microseconds, and None for NaT.
    found: Values = days.to_numpy(zero_copy_only=False).tolist()
    return found


def _times(array: pa.Array) -> Values:
    micros = _cast(array, pa.time64("us"))
    _within(micros.cast(pa.int64()), (0, _DAY - 1), "a time is not within a day")
    return _as_list(micros)


def _timestamps(array: pa.Array) -> Values:
    """Of a column with a zone: the wall clock in UTC."""
    if array.type.tz is not None:
        array = array.cast(pa.int64()).view(pa.timestamp(array.type.unit))
    micros = _cast(array, pa.timestamp("us"))
    _within(micros.cast(pa.int64()), _MICROS)
    found: Values = micros.to_numpy(zero_copy_only=False).tolist()
    return found


_IN_A_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def _instants(array: pa.Array) -> Values:
    parts = _IN_A_SECOND[array.type.unit]
    nanos = 1_000_000_000 // parts
    numbers: list[Any] = _numbers(array.cast(pa.int64()))
    return [None if n is None else Instant(n // parts, n % parts * nanos) for n in numbers]


def _unpickled(array: pa.Array) -> Values:
    return [None if v is None else loads(v) for v in _as_list(array)]
