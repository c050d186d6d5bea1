"""From rows to JSON by msgspec: a generated function tests each row and puts its values into a struct.

The tests are those of `datastream.types`, a few tens of nanoseconds a field; msgspec then writes names and values
in C, which is faster than writing a dict of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from math import isfinite
from typing import Any

import msgspec

from datastream.errors import FormatError
from datastream.types import (
    BasicArrayTypeInfo,
    BasicType,
    BasicTypeInfo,
    ListTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PickledBytesTypeInfo,
    PrimitiveArrayTypeInfo,
    RowTypeInfo,
    TupleTypeInfo,
    TypeInformation,
    Types,
)
from datastream.types.checking import Tests
from datastream.types.conversion import fit
from datastream.types.pickles import dumps

from .iso_text import instant_text
from .map_keys import text_of_key

_FLOATS = (Types.FLOAT(), Types.DOUBLE())
_MOST = sys.float_info.max
_encode = msgspec.json.Encoder(decimal_format="number").encode


def fast_writer(kind: RowTypeInfo) -> Callable[[Iterable[Any]], list[bytes]]:
    """A function: rows -> their JSON.

    It raises TypeMismatch where a row does not fit the type, and otherwise anything where a value has no form in
    JSON; `no_form.explain` tells which.
    """
    tests, forms = Tests(), _Forms()
    test = tests.fits("r", kind)
    unpack, form = forms.row(kind, "r")
    scope = {**tests.names, **forms.names, "fit": fit, "kind": kind, "encode": _encode}
    source = (
        "def write(rows):\n    found = []\n    add = found.append\n    for r in rows:\n"
        f"        if not ({test}):\n            r = fit(r, kind, False)\n"
        f"        {unpack}\n        add(encode({form}))\n    return found\n"
    )
    exec(compile(source, "<json writer>", "exec"), scope)
    write: Callable[[Iterable[Any]], list[bytes]] = scope["write"]
    return write


class _Forms:
    """Makes expressions: from a value of a type to what msgspec shall write.

    Attributes:
        names: Name -> object, for the scope in which the expressions are compiled.
    """

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self._variables = 0

    def of(self, kind: TypeInformation, value: str) -> str:
        """The expression; `value` itself where it is right as it is."""
        if kind in _FLOATS:  # NaN and infinities would be written as null
            return f"({value} if -{_MOST!r} <= {value} <= {_MOST!r} else {self._bind(_no_form)}({value}))"
        match kind:
            case BasicTypeInfo(BasicType.INSTANT):
                return f"{self._bind(instant_text)}({value})"
            case PickledBytesTypeInfo():
                return f"{self._bind(dumps)}({value})"
            case PrimitiveArrayTypeInfo(element):
                return f"{self._bind(_finite)}({value})" if element in _FLOATS else value
            case BasicArrayTypeInfo(element) | ObjectArrayTypeInfo(element) | ListTypeInfo(element):
                name = self._variable()
                form = self._or_none(element, name)
                return value if form == name else f"[{form} for {name} in {value}]"
            case MapTypeInfo():
                return self._map(kind, value)
            case TupleTypeInfo(fields):
                same = [f"{value}[{i}]" for i in range(len(fields))]
                formed = [self.of(field, one) for field, one in zip(fields, same, strict=True)]
                return value if formed == same else f"({', '.join(formed)},)"
            case RowTypeInfo():
                return f"{self._bind(self._row_form(kind))}({value})"
        return value

    def row(self, kind: RowTypeInfo, value: str) -> tuple[str, str]:
        """A statement, and an expression that may stand behind it: an object named as in JSON of a row's values."""
        make = self._bind(_object_maker(kind.get_field_names()))
        fields = [f"v{i}" for i in range(len(kind.field_types))]
        formed = [self._or_none(kind, name) for kind, name in zip(kind.field_types, fields, strict=True)]
        return f"[{', '.join(fields)}] = {value}._values", f"{make}({', '.join(formed)})"

    def _row_form(self, kind: RowTypeInfo) -> Callable[[Any], Any]:
        forms = _Forms()
        unpack, form = forms.row(kind, "r")
        scope = dict(forms.names)
        exec(compile(f"def form(r):\n    {unpack}\n    return {form}\n", "<json object>", "exec"), scope)
        made: Callable[[Any], Any] = scope["form"]
        return made

    def _map(self, kind: MapTypeInfo, value: str) -> str:
        name, key = self._variable(), self._variable()
        form, text = self._or_none(kind.value_type, name), text_of_key(kind.key_type)
        if form == name and text is None:
            return value
        key_form = key if text is None else f"{self._bind(text)}({key})"
        made = f"{{{key_form}: {form} for {key}, {name} in {value}.items()}}"
        return made if text is None else f"{self._bind(_all_of)}({made}, {value})"

    def _or_none(self, kind: TypeInformation, value: str) -> str:
        form = self.of(kind, value)
        return value if form == value else f"None if {value} is None else {form}"

    def _bind(self, thing: Any) -> str:
        name = f"f{len(self.names)}"
        self.names[name] = thing
        return name

    def _variable(self) -> str:
        self._variables += 1
        return f"x{self._variables}"


def _object_maker(names: list[str]) -> Callable[..., Any]:
    """What makes a JSON object of values in the order of the names."""
    fields = [f"f{i}" for i in range(len(names))]
    try:
        return msgspec.defstruct("Fields", fields, rename=dict(zip(fields, names, strict=True)), gc=False)
    except ValueError:  # names with quotes, backslashes or control characters
        return lambda *values: dict(zip(names, values, strict=True))


def _all_of(made: dict[str, Any], value: dict[Any, Any]) -> dict[str, Any]:
    if len(made) != len(value):  # several NaN
        raise FormatError("two keys of a map have the same text")
    return made


def _finite(numbers: list[float]) -> list[float]:
    if not all(map(isfinite, numbers)):
        raise FormatError("NaN and infinities have no form in JSON")
    return numbers


def _no_form(number: float) -> Any:
    raise FormatError("NaN and infinities have no form in JSON")
