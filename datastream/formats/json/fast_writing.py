"""From rows to JSON by msgspec: a generated function tests each row and puts its values into a struct.

The tests are those of `datastream.types`, a few tens of nanoseconds a field; msgspec then writes names and values
in C, which is faster than writing a dict of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from datastream.codegen import SourceText
from datastream.errors import FormatError
from datastream.formats.fewer_fields import fit_record
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
from datastream.types.pickles import dumps

from .iso_text import instant_text
from .java_writing import as_in_java, double_form, float_form
from .map_keys import text_of_key

_FLOATS = (Types.FLOAT(), Types.DOUBLE())
_encode = msgspec.json.Encoder(decimal_format="number").encode


def fast_writer(kind: RowTypeInfo) -> Callable[[Iterable[Any]], list[bytes]]:
    """A function: rows -> their JSON.

    It raises TypeMismatch where a row does not fit the type, and otherwise anything where a value has no form in
    JSON; `no_form.explain` finds out which.
    """
    code = SourceText(fit=fit_record, kind=kind, encode=_encode)
    with code.function("def write(rows)"):
        code.lines("found = []", "add = found.append")
        with code.block("for r in rows"):
            code.line(f"if not ({Tests(code).fits('r', kind)}): r = fit(r, kind)")
            code.line(f"add(encode({_Forms(code).row(kind, 'r')}))")
        code.line(f"return {code.bind(as_in_java)}(found)")
    return code.compiled("write", "JSON writer")


class _Forms:
    """Makes expressions: from a value of a type to what msgspec shall write.

    Args:
        code: Where the expressions are used.
    """

    def __init__(self, code: SourceText) -> None:
        self._code = code

    def of(self, kind: TypeInformation, value: str) -> str:
        """The expression; `value` itself where it is right as it is."""
        match kind:
            case BasicTypeInfo(BasicType.FLOAT):
                return float_form(self._code, value)
            case BasicTypeInfo(BasicType.DOUBLE):
                return double_form(self._code, value)
            case BasicTypeInfo(BasicType.INSTANT):
                return f"{self._code.bind(instant_text)}({value})"
            case PickledBytesTypeInfo():
                return f"{self._code.bind(dumps)}({value})"
            case PrimitiveArrayTypeInfo(element) if element not in _FLOATS:
                return value
            case (
                PrimitiveArrayTypeInfo(element)
                | BasicArrayTypeInfo(element)
                | ObjectArrayTypeInfo(element)
                | ListTypeInfo(element)
            ):
                name = self._code.variable("x")
                form = self._or_none(element, name)
                return value if form == name else f"[{form} for {name} in {value}]"
            case MapTypeInfo():
                return self._map(kind, value)
            case TupleTypeInfo(fields):
                same = [f"{value}[{i}]" for i in range(len(fields))]
                formed = [self.of(field, one) for field, one in zip(fields, same, strict=True)]
                return value if formed == same else f"({', '.join(formed)},)"
            case RowTypeInfo():
                return f"{self._row_form(kind)}({value})"
        return value

    def row(self, kind: RowTypeInfo, value: str) -> str:
        """Code that unpacks a row; the expression of an object of its values, named as in JSON."""
        make = self._code.bind(_object_maker(kind.get_field_names()))
        fields = [f"v{i}" for i in range(len(kind.field_types))]
        formed = [self._or_none(kind, name) for kind, name in zip(kind.field_types, fields, strict=True)]
        self._code.line(f"[{', '.join(fields)}] = {value}._values")
        return f"{make}({', '.join(formed)})"

    def _row_form(self, kind: RowTypeInfo) -> str:
        """The name of a function from a row inside a record to its object."""
        name = self._code.variable("form")
        with self._code.function(f"def {name}(r)"):
            self._code.line(f"return {self.row(kind, 'r')}")
        return name

    def _map(self, kind: MapTypeInfo, value: str) -> str:
        name, key = self._code.variable("x"), self._code.variable("x")
        form, text = self._or_none(kind.value_type, name), text_of_key(kind.key_type)
        if form == name and text is None:
            return value
        key_form = key if text is None else f"{self._code.bind(text)}({key})"
        made = f"{{{key_form}: {form} for {key}, {name} in {value}.items()}}"
        return made if text is None else f"{self._code.bind(_all_of)}({made}, {value})"

    def _or_none(self, kind: TypeInformation, value: str) -> str:
        form = self.of(kind, value)
        return value if form == value else f"None if {value} is None else {form}"


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
