"""What generated writers call: the careful way for values that are not of the class expected, and logical types."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from datastream.errors import cut
from datastream.formats.avro.malformed import Malformed, malformed
from datastream.formats.avro.nodes import Record
from datastream.formats.avro.reading_values import EPOCH, EPOCH_UTC, EXACT
from datastream.formats.avro.varints import SHORT, long_varint, varint
from datastream.formats.fewer_fields import fit_record
from datastream.time import Instant
from datastream.types import Row
from datastream.types.conversion import FLOAT_MAX
from datastream.types.pickles import dumps


def fixed_up(value: Any, kind: Any) -> Any:
    """The value in its type's own form.

    Raises:
        TypeMismatch: it does not fit.
    """
    return fit_record(value, kind)


def list_of(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return list(value)
    raise Malformed(f"expected a list, found {type(value).__name__} {cut(value)}")


def dict_of(value: Any) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise Malformed(f"expected a dict, found {type(value).__name__} {cut(value)}")


def complete(value: Any, record: Record, defaults: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    """A record with its defaults; a missing field that may be null is null."""
    if not isinstance(value, Mapping):
        found = f"found {type(value).__name__} {cut(value)}"
        raise Malformed(f"expected a dict for the record {record.name}, {found}")
    names = [field.name for field in record.fields]
    unknown = [key for key in value if key not in names]
    if unknown:
        raise Malformed(f"the record {record.name} has no fields {cut(unknown)}, only {cut(names)}")
    missing = [name for name in names if name not in value and name not in defaults]
    if missing:
        raise Malformed(f"the fields {cut(missing)} of the record {record.name} are missing, and have no default")
    return {name: value[name] if name in value else defaults[name]() for name in names}


def accepts(value: Any, names: frozenset[str], needed: frozenset[str]) -> bool:
    """Whether a dict may be a record of these fields."""
    return isinstance(value, Mapping) and needed <= value.keys() <= names


def zoned(value: Any) -> datetime:
    if not isinstance(value, datetime):
        raise Malformed(f"expected a datetime with a time zone, found {type(value).__name__} {cut(value)}")
    if value.tzinfo is None:
        raise Malformed(
            f"expected a datetime with a time zone, found {cut(value)} without: "
            "use value.replace(tzinfo=timezone.utc) if it is in UTC"
        )
    if getattr(value, "nanosecond", 0):
        raise Malformed(f"{cut(value)} has nanoseconds: use value.to_pydatetime()")
    return value


def millis(micros: int) -> int:
    if micros % 1000:
        raise Malformed("it is finer than the milliseconds of the schema: cut it, or use the type of micros")
    return micros // 1000


def instant_micros(value: Instant) -> int:
    if value.nanos % 1000:
        raise Malformed(f"{value!r} is finer than the microseconds of the schema")
    return in_long(value.seconds * 1_000_000 + value.nanos // 1000)


def instant_millis(value: Instant) -> int:
    return millis(instant_micros(value))


def instant_nanos(value: Instant) -> int:
    return in_long(value.seconds * 1_000_000_000 + value.nanos)


def in_long(number: int) -> int:
    if not -(1 << 63) <= number < 1 << 63:
        raise Malformed(f"{number} has more than 64 bits")
    return number


def unscaled(value: Decimal, precision: int, scale: int) -> int:
    """A decimal as a whole number of its last place."""
    if not value:
        return 0
    if value.adjusted() >= precision - scale:
        raise Malformed(f"{cut(value)} has more digits than decimal({precision}, {scale}) holds")
    places = value.as_tuple().exponent
    assert isinstance(places, int)
    if -places > scale and value != value.quantize(Decimal(1).scaleb(-scale, EXACT), context=EXACT):
        raise Malformed(f"{cut(value)} has more digits after the point than decimal({precision}, {scale}) holds")
    return int(value.scaleb(scale, EXACT))


def decimal_bytes(value: Decimal, precision: int, scale: int) -> bytes:
    number = unscaled(value, precision, scale)
    return number.to_bytes((number if number >= 0 else ~number).bit_length() // 8 + 1, "big", signed=True)


def decimal_fixed(value: Decimal, precision: int, scale: int, size: int) -> bytes:
    return unscaled(value, precision, scale).to_bytes(size, "big", signed=True)


def uuid_text(value: Any) -> str:
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, str):
        try:
            UUID(value)
            return str(value)
        except ValueError:
            pass
    raise Malformed(f"expected a UUID, found {type(value).__name__} {cut(value)}")


SCOPE: dict[str, Any] = {
    "Decimal": Decimal,
    "E": EPOCH,
    "EU": EPOCH_UTC,
    "FLOAT_MAX": FLOAT_MAX,
    "Instant": Instant,
    "Row": Row,
    "SHORT": SHORT,
    "accepts": accepts,
    "bad": malformed,
    "complete": complete,
    "cut": cut,
    "date": date,
    "datetime": datetime,
    "decimal_bytes": decimal_bytes,
    "decimal_fixed": decimal_fixed,
    "dict_of": dict_of,
    "dumps": dumps,
    "fixed_up": fixed_up,
    "instant_micros": instant_micros,
    "instant_millis": instant_millis,
    "instant_nanos": instant_nanos,
    "list_of": list_of,
    "long_varint": long_varint,
    "millis": millis,
    "pack_double": struct.Struct("<d").pack,
    "pack_float": struct.Struct("<f").pack,
    "time": time,
    "uuid_text": uuid_text,
    "varint": varint,
    "zoned": zoned,
}
