"""From JSON to rows at the speed of msgspec, for messages that are as they should be.

msgspec reads each message into a struct, checked against the type in C; a generated function makes rows of a block
of structs. What msgspec would bend (time finer than a microsecond) it gets as text, and whole columns are converted
at once: 30 ns a timestamp, where a call each takes 200. Whatever does not fit raises some exception or other, and
`exact_reading` then has the last word.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from datastream.codegen import SourceText
from datastream.errors import FormatError
from datastream.types import (
    BasicArrayTypeInfo,
    BasicType,
    BasicTypeInfo,
    DateTypeInfo,
    ListTypeInfo,
    LocalTimeKind,
    LocalTimeTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PrimitiveArrayTypeInfo,
    Row,
    RowKind,
    RowTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
    TupleTypeInfo,
    TypeInformation,
    Types,
)
from datastream.types.conversion import BITS, FLOAT_MAX, fit

from .iso_text import instant_of, local_timestamp_of, time_of, timestamp_of
from .map_keys import key_of_text

#: A list of what msgspec gave -> the list of values; neither holds None.
Finish = Callable[[list[Any]], list[Any]]

_TIMESTAMP = LocalTimeTypeInfo(LocalTimeKind.LOCAL_DATE_TIME)
_BASIC: dict[BasicType, Any] = {
    BasicType.STRING: str,
    BasicType.CHAR: Annotated[str, Meta(min_length=1, max_length=1)],
    BasicType.BOOLEAN: bool,
    BasicType.FLOAT: Annotated[float, Meta(ge=-FLOAT_MAX, le=FLOAT_MAX)],
    BasicType.DOUBLE: float,
    BasicType.BIG_INT: int,
    BasicType.BIG_DEC: Decimal,
    BasicType.INSTANT: str,
    BasicType.VOID: None,
    **{basic: Annotated[int, Meta(ge=-(1 << bits - 1), le=(1 << bits - 1) - 1)] for basic, bits in BITS.items()},
}


def fast_reader(kind: RowTypeInfo, fail_on_missing: bool) -> Callable[[list[bytes]], list[Any]]:
    """A function: messages -> their rows. It raises anything if one of them is not as it should be."""
    try:
        struct, rows = _row(kind, fail_on_missing)
    except (ValueError, RecursionError):  # names with quotes, backslashes or control characters; deep types
        return _refuse
    decode = msgspec.json.Decoder(struct).decode
    return lambda messages: rows(list(map(decode, messages)))


def _refuse(messages: list[bytes]) -> list[Any]:
    raise NotImplementedError


def _shape(kind: TypeInformation, strict: bool) -> tuple[Any, Finish | None]:
    """What msgspec shall read, and what makes values of that (None: they are values already)."""
    match kind:
        case BasicTypeInfo(basic):
            return _BASIC[basic], _BASIC_FINISH.get(basic)
        case DateTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_DATE):
            return date, None
        case TimeTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_TIME):
            return str, _text_column(time, 15, time_of)
        case TimestampTypeInfo():
            return str, _text_column(datetime, 26, timestamp_of)
        case LocalTimeTypeInfo():
            return str, _text_column(datetime, 26, local_timestamp_of)
        case PrimitiveArrayTypeInfo(element):
            if element == Types.BYTE():
                return bytes, None
            shape, finish = _shape(element, strict)
            return list[shape], None if finish is None else _each(finish)  # type: ignore[valid-type]
        case BasicArrayTypeInfo(element) | ObjectArrayTypeInfo(element) | ListTypeInfo(element):
            shape, finish = _nullable(element, strict)
            return list[shape], None if finish is None else _each(finish)  # type: ignore[valid-type]
        case MapTypeInfo():
            return _map(kind, strict)
        case TupleTypeInfo(fields):
            return _tuple([_shape(field, strict) for field in fields])
        case RowTypeInfo():
            return _row(kind, strict)
    raise FormatError(f"{kind} cannot be read from JSON")


def _nullable(kind: TypeInformation, strict: bool) -> tuple[Any, Finish | None]:
    shape, finish = _shape(kind, strict)
    return None if shape is None else shape | None, None if finish is None else _around_none(finish)


def _around_none(finish: Finish) -> Finish:
    def column(values: list[Any]) -> list[Any]:
        if None not in values:
            return finish(values)
        made = iter(finish([v for v in values if v is not None]))
        return [None if v is None else next(made) for v in values]

    return column


def _each(finish: Finish) -> Finish:
    return lambda lists: list(map(finish, lists))


def _one_by_one(make: Callable[[Any], Any]) -> Finish:
    return lambda values: list(map(make, values))


def _text_column(cls: Any, longest: int, one: Callable[[str], Any]) -> Finish:
    short, moment = list[Annotated[str, Meta(max_length=longest)]], list[Annotated[cls, Meta(tz=False)]]
    convert = msgspec.convert

    def column(texts: list[Any]) -> list[Any]:
        try:
            convert(texts, short)  # longer ones would be rounded, or have a zone
            return convert(texts, moment)
        except msgspec.ValidationError:
            return list(map(one, texts))

    return column


def _finite(numbers: list[Any]) -> list[Any]:
    if not all(map(Decimal.is_finite, numbers)):
        raise ValueError
    return numbers


def _map(kind: MapTypeInfo, strict: bool) -> tuple[Any, Finish | None]:
    key_kind, key_of = kind.key_type, key_of_text(kind.key_type)
    shape, finish = _nullable(kind.value_type, strict)
    if finish is None and key_kind == Types.STRING():
        return dict[str, shape], None  # type: ignore[valid-type]

    def one(found: dict[str, Any]) -> dict[Any, Any]:
        keys = [fit(text if key_of is None else key_of(text), key_kind) for text in found]
        contents = list(found.values())
        made = dict(zip(keys, contents if finish is None else finish(contents), strict=True))
        if len(made) != len(found):  # names such as 1 and 01
            raise ValueError
        return made

    return dict[str, shape], _one_by_one(one)  # type: ignore[valid-type]


def _tuple(parts: list[tuple[Any, Finish | None]]) -> tuple[Any, Finish | None]:
    shape = tuple[*(part for part, _ in parts)] if parts else tuple[()]  # type: ignore[misc]
    if all(finish is None for _, finish in parts):
        return shape, None

    def column(tuples: list[Any]) -> list[Any]:
        columns = zip(*tuples, strict=True)
        finished = [c if f is None else f(list(c)) for c, (_, f) in zip(columns, parts, strict=False)]
        return list(zip(*finished, strict=True))

    return shape, column


def _row(kind: RowTypeInfo, strict: bool) -> tuple[Any, Finish]:
    """A struct and the generated function that makes rows of a list of such."""
    parts = [_nullable(field, strict) for field in kind.field_types]
    names = kind.get_field_names()
    fields = [(f"f{i}", shape) if strict else (f"f{i}", shape, None) for i, (shape, _) in enumerate(parts)]
    struct = msgspec.defstruct("Fields", fields, rename=dict(zip([f[0] for f in fields], names, strict=True)), gc=False)
    finished = [i for i, (_, finish) in enumerate(parts) if finish is not None]
    code = SourceText(Row=Row, new=object.__new__, names=kind.field_names, INSERT=RowKind.INSERT)
    loop = f"s, {', '.join(f'v{i}' for i in finished)}" if finished else "s"
    over = f"zip(structs, {', '.join(f'c{i}' for i in finished)})" if finished else "structs"
    values = ", ".join(f"v{i}" if i in finished else f"s.f{i}" for i in range(len(parts)))
    with code.function("def rows(structs)"):
        code.lines(*(f"c{i} = {code.bind(parts[i][1])}([s.f{i} for s in structs])" for i in finished))
        code.lines("found = []", "add = found.append")
        with code.block(f"for {loop} in {over}"):
            code.lines("row = new(Row)", "row._fields = names", "row._row_kind = INSERT")
            code.lines(f"row._values = [{values}]", "add(row)")
        code.line("return found")
    return struct, code.compiled("rows", "JSON reader")


def _narrowed(numbers: list[float]) -> list[float]:
    return array("f", numbers).tolist()


_BASIC_FINISH: dict[BasicType, Finish] = {
    BasicType.FLOAT: _narrowed,
    BasicType.BIG_DEC: _finite,
    BasicType.INSTANT: _one_by_one(instant_of),
}
