"""CAST as Python text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from functools import cached_property, lru_cache
from typing import Any
from zlib import crc32

from datastream.table.functions import text_forms as forms
from datastream.table.functions import types
from datastream.table.functions.checks import RANGE_NAMES, cast_decimal, in_range
from datastream.table.functions.session_zone import SESSION_ZONE, instant_micros, local_micros
from datastream.table.functions.types import LONGEST, whole_range, with_nullability
from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType
from datastream.table.types.logical_types import (
    ArrayType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    NullType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
)
from datastream.table.types.row_type import RowType

#: Python text with ``{0}`` for the value, and what the text names.
CastText = tuple[str, Mapping[str, Any]]

_DAY = forms.DAY
_SAME = "{0}"


def cast_text(source: DataType, target: DataType) -> CastText | None:
    """Give the Python text of a CAST.

    Args:
        source: The type of the value, which is not NULL.
        target: The type to cast to.

    Returns:
        The text and what it names; the text fails with `TypeMismatch` where a value has no form in the target. None:
        there is no such cast. `SESSION_ZONE` is bound to UTC.
    """
    if isinstance(source, NullType) or with_nullability(source, True) == with_nullability(target, True):
        return _SAME, {}
    if isinstance(target, types.STRING):
        return _to_string(source, target)
    if isinstance(target, types.BYTES):
        return _to_bytes(source, target)
    for kind, convert in _TARGETS:
        if isinstance(target, kind):
            return convert(source, target)
    return None


def _parts(data_type: DataType) -> list[DataType]:
    match data_type:
        case ArrayType() | MultisetType():
            return [data_type.element_type]
        case MapType():
            return [data_type.key_type, data_type.value_type]
        case RowType():
            return data_type.field_types()
    return []


@dataclass(frozen=True)
class InnerCast:
    """Casts a value inside another one; NULL stays NULL.

    Attributes:
        source: The type of the value.
        target: The type to cast to.
        zone: The session's.
    """

    source: DataType
    target: DataType
    zone: Any = UTC

    @cached_property
    def _function(self) -> Callable[[Any], Any]:
        text, names = cast_text(self.source, self.target) or (_SAME, {})
        code = f"lambda x: None if x is None else {text.format('x')}"
        return eval(code, {**names, SESSION_ZONE: self.zone})  # type: ignore[no-any-return]

    def __call__(self, value: Any) -> Any:
        return self._function(value)

    def within(self, zone: Any) -> InnerCast:
        """The same in another zone."""
        return _within(self, zone)

    def __reduce__(self) -> tuple[Any, ...]:
        return InnerCast, (self.source, self.target, self.zone)


@lru_cache(1024)
def _within(cast: InnerCast, zone: Any) -> InnerCast:
    return replace(cast, zone=zone)


def cast_list(values: tuple[Any, ...], inner: InnerCast) -> tuple[Any, ...]:
    """The elements cast."""
    return tuple(map(inner, values))


def cast_map(values: dict[Any, Any], key: InnerCast, value: InnerCast) -> dict[Any, Any]:
    """The entries cast."""
    return {key(k): value(v) for k, v in values.items()}


def cast_row(values: tuple[Any, ...], *fields: InnerCast) -> tuple[Any, ...]:
    """The fields cast."""
    return tuple(cast(value) for cast, value in zip(fields, values, strict=True))


def _shown(inner: InnerCast, value: Any) -> str:
    return "NULL" if value is None else inner(value)


def list_text(values: tuple[Any, ...], inner: InnerCast) -> str:
    """``[1, 2]``."""
    return f"[{', '.join(_shown(inner, value) for value in values)}]"


def map_text(values: dict[Any, Any], key: InnerCast, value: InnerCast) -> str:
    """``{a=1, b=2}``."""
    return "{" + ", ".join(f"{_shown(key, k)}={_shown(value, v)}" for k, v in values.items()) + "}"


def row_text(values: tuple[Any, ...], *fields: InnerCast) -> str:
    """``(1, a)``."""
    return f"({', '.join(_shown(cast, value) for cast, value in zip(fields, values, strict=True))})"


#: What the text of casts names, but for casts of nested types.
CAST_NAMES: Mapping[str, Any] = {
    **RANGE_NAMES,
    **{
        function.__name__: function
        for function in (
            *(forms.read_boolean, forms.read_whole, forms.read_float, forms.read_decimal, forms.read_date),
            *(forms.read_time, forms.read_timestamp, forms.double_text, forms.float_text, forms.date_text),
            *(forms.time_text, forms.timestamp_text, forms.months_text, forms.duration_text, forms.boolean_text),
            *(forms.bytes_text, cast_list, cast_map, cast_row, list_text, map_text, row_text),
            *(instant_micros, local_micros),
        )
    },
    "shown_decimal": forms.decimal_text,
    SESSION_ZONE: UTC,
}


def _named(text: str, more: Mapping[str, Any] | None = None) -> CastText:
    """A text with those of the names that it holds."""
    names = {**CAST_NAMES, **(more or {})}
    return text, {name: value for name, value in names.items() if name in text}


def _nested_text(source: DataType, function: str, casts: list[InnerCast]) -> CastText:
    names = dict(zip(_cast_names(casts), casts, strict=True))
    given = [
        f"{name}.within({SESSION_ZONE})" if _has_instants(cast.source) != _has_instants(cast.target) else name
        for name, cast in zip(_cast_names(casts), casts, strict=True)
    ]
    return _named(f"{function}({{0}}, {', '.join(given)})", names)


def _cast_names(casts: list[InnerCast]) -> list[str]:
    return [f"cast_{crc32(repr((cast.source, cast.target)).encode()):08x}" for cast in casts]


def _has_instants(data_type: DataType) -> bool:
    return isinstance(data_type, LocalZonedTimestampType) or any(map(_has_instants, _parts(data_type)))


def _to_string(source: DataType, target: DataType) -> CastText | None:
    assert isinstance(target, (CharType, VarCharType))
    if isinstance(source, types.STRING):
        fits = target.length == LONGEST or (isinstance(target, VarCharType) and source.length <= target.length)
        return (_SAME, {}) if fits else _named(_with_length(_SAME, target))
    parts = _parts(source)
    if parts:
        if isinstance(source, MultisetType):
            parts.append(IntType())
        casts = [InnerCast(part, types.string_type()) for part in parts]
        if any(cast_text(cast.source, cast.target) is None for cast in casts):
            return None
        kind = {ArrayType: "list_text", RowType: "row_text"}.get(type(source), "map_text")
        text, names = _nested_text(source, kind, casts)
        return _named(_with_length(text, target), names)
    shown = _shown_text(source)
    return None if shown is None else _named(_with_length(shown, target))


def _shown_text(source: DataType) -> str | None:
    match source:
        case TimeType():
            return f"time_text({{0}}, {source.precision})"
        case TimestampType():
            return f"timestamp_text({{0}}, {source.precision})"
        case LocalZonedTimestampType():
            return f"timestamp_text(local_micros({{0}}, {SESSION_ZONE}), {source.precision})"
    if isinstance(source, types.WHOLE):
        return "str({0})"
    return _PLAIN_TEXT.get(type(source))


_PLAIN_TEXT: dict[type[DataType], str] = {
    BooleanType: "('TRUE' if {0} else 'FALSE')",
    FloatType: "float_text({0})",
    DoubleType: "double_text({0})",
    DecimalType: "shown_decimal({0})",
    DateType: "date_text({0})",
    YearMonthIntervalType: "months_text({0})",
    DayTimeIntervalType: "duration_text({0})",
    BinaryType: "bytes_text({0})",
    VarBinaryType: "bytes_text({0})",
}


def _with_length(text: str, target: CharType | VarCharType) -> str:
    if isinstance(target, CharType):
        return f"{text}[:{target.length}].ljust({target.length})"
    return text if target.length == LONGEST else f"{text}[:{target.length}]"


def _to_bytes(source: DataType, target: DataType) -> CastText | None:
    length: int = target.length  # type: ignore[attr-defined]
    if isinstance(source, types.STRING):
        text = "{0}.encode()"
    elif isinstance(source, types.BYTES):
        text = _SAME
    else:
        return None
    if isinstance(target, BinaryType):
        return f"{text}[:{length}].ljust({length}, b'\\0')", {}
    return text if length == LONGEST else f"{text}[:{length}]", {}


def _to_boolean(source: DataType, target: DataType) -> CastText | None:
    if isinstance(source, types.STRING):
        return _named("read_boolean({0})")
    return ("({0} != 0)", {}) if isinstance(source, types.NUMBER) else None


def _to_whole(source: DataType, target: DataType) -> CastText | None:
    least, most = whole_range(target)
    if isinstance(source, types.STRING):
        return _named(f"read_whole({{0}}, {target.type_name()!r}, {least}, {most})")
    if isinstance(source, BooleanType):
        return "({0} and 1 or 0)", {}
    if isinstance(source, types.WHOLE):
        return (_SAME, {}) if whole_range(source)[1] <= most else _named(in_range(_SAME, target, "overflow_of_cast"))
    if isinstance(source, DecimalType):
        return _named(in_range("int({0})", target, "overflow_of_cast"))
    if isinstance(source, types.APPROXIMATE):
        # NaN and the infinities fit no comparison.
        name = target.type_name()
        return _named(f"(int({{0}}) if {least - 1} < {{0}} < {most + 1} else overflow_of_cast({{0}}, {name!r}))")
    if isinstance(source, YearMonthIntervalType):
        return _named(in_range(_SAME, target, "overflow_of_cast"))
    return None


def _to_decimal(source: DataType, target: DataType) -> CastText | None:
    assert isinstance(target, DecimalType)
    if isinstance(source, types.STRING):
        return _named(cast_decimal("read_decimal({0})", target))
    if isinstance(source, BooleanType):
        return _named(cast_decimal("int({0})", target))
    return _named(cast_decimal(_SAME, target)) if isinstance(source, types.NUMBER) else None


def _to_approximate(source: DataType, target: DataType) -> CastText | None:
    if isinstance(source, types.STRING):
        text = "read_float({0})"
    elif isinstance(source, (BooleanType, *types.WHOLE, DecimalType)):
        text = "float({0})"
    elif isinstance(source, types.APPROXIMATE):
        text = _SAME
    else:
        return None
    narrower = isinstance(target, FloatType) and not isinstance(source, FloatType)
    return _named(f"single({text})" if narrower else text)


def _to_date(source: DataType, target: DataType) -> CastText | None:
    if isinstance(source, types.STRING):
        return _named("read_date({0})")
    if isinstance(source, TimestampType):
        return f"({{0}} // {_DAY})", {}
    if isinstance(source, LocalZonedTimestampType):
        return _named(f"(local_micros({{0}}, {SESSION_ZONE}) // {_DAY})")
    return None


def _cut(text: str, precision: int, target: Any) -> str:
    """The text of a time without the digits that the target does not have."""
    if target.precision >= min(precision, 6):
        return text
    unit = 10 ** (6 - target.precision)
    return f"({text} // {unit} * {unit})"


def _to_time(source: DataType, target: DataType) -> CastText | None:
    match source:
        case CharType() | VarCharType():
            return _named(_cut("read_time({0})", 6, target))
        case TimeType():
            return _cut(_SAME, source.precision, target), {}
        case TimestampType():
            return _cut(f"({{0}} % {_DAY})", source.precision, target), {}
        case LocalZonedTimestampType():
            return _named(_cut(f"(local_micros({{0}}, {SESSION_ZONE}) % {_DAY})", source.precision, target))
    return None


def _to_timestamp(source: DataType, target: DataType) -> CastText | None:
    match source:
        case CharType() | VarCharType():
            return _named(_cut("read_timestamp({0})", 6, target))
        case DateType():
            return f"({{0}} * {_DAY})", {}
        case TimeType() | TimestampType():
            return _cut(_SAME, source.precision, target), {}
        case LocalZonedTimestampType():
            return _named(_cut(f"local_micros({{0}}, {SESSION_ZONE})", source.precision, target))
    return None


def _to_instant(source: DataType, target: DataType) -> CastText | None:
    if isinstance(source, LocalZonedTimestampType):
        return _cut(_SAME, source.precision, target), {}
    local = _to_timestamp(source, target)
    if local is None:
        return None
    return _named(f"instant_micros({local[0]}, {SESSION_ZONE})")


def _to_interval(source: DataType, target: DataType) -> CastText | None:
    return (_SAME, {}) if type(source) is type(target) else None


def _to_nested(source: DataType, target: DataType) -> CastText | None:
    if type(source) is not type(target):
        return None
    ours, theirs = _parts(source), _parts(target)
    if len(ours) != len(theirs) or any(cast_text(*pair) is None for pair in zip(ours, theirs, strict=True)):
        return None
    if all(cast_text(*pair) == (_SAME, {}) for pair in zip(ours, theirs, strict=True)):
        return _SAME, {}
    casts = [InnerCast(*pair) for pair in zip(ours, theirs, strict=True)]
    if isinstance(source, MultisetType):
        casts.append(InnerCast(IntType(), IntType()))
    kind = {ArrayType: "cast_list", RowType: "cast_row"}.get(type(source), "cast_map")
    return _nested_text(source, kind, casts)


_TARGETS: tuple[tuple[Any, Callable[[DataType, DataType], CastText | None]], ...] = (
    (BooleanType, _to_boolean),
    (types.WHOLE, _to_whole),
    (DecimalType, _to_decimal),
    (types.APPROXIMATE, _to_approximate),
    (DateType, _to_date),
    (TimeType, _to_time),
    (TimestampType, _to_timestamp),
    (LocalZonedTimestampType, _to_instant),
    (types.INTERVAL, _to_interval),
    ((ArrayType, MapType, MultisetType, RowType), _to_nested),
)
