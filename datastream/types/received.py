"""What a value of a declared type becomes on its way between operators, besides what its test made of it.

As in PyFlink, whoever receives a FLOAT gets a number of 32 bits, and the rows of ``Types.ROW`` have the fields f0, f1
and so on. Inside a chain, values stay the objects that a function gave. What is collected in the driver are the
shortest decimals that give such numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.codegen import SourceText
from datastream.types.arrays import BasicArrayTypeInfo, ObjectArrayTypeInfo, PrimitiveArrayTypeInfo
from datastream.types.basic import BasicType, BasicTypeInfo
from datastream.types.java_text import narrowed
from datastream.types.list_and_map import ListTypeInfo, MapTypeInfo
from datastream.types.row import Row, row_factory
from datastream.types.row_type import RowTypeInfo
from datastream.types.tuple_type import TupleTypeInfo
from datastream.types.type_information import TypeInformation


def received(
    kind: TypeInformation | None, of_float: Callable[[float], float] = narrowed
) -> Callable[[Any], Any] | None:
    """A function: value that fits a type -> what its receiver gets; None where that is the value itself.

    Args:
        kind: The type.
        of_float: What becomes of a FLOAT.
    """
    code = SourceText(narrowed=of_float)
    with code.function("def received(v)"):
        made = _Received(code).of(kind, "v")
        code.line(f"return {made}")
    return None if made == "v" else code.compiled("received", "receiving")


class _Received:
    """Makes expressions.

    Args:
        code: Where they are used.
    """

    def __init__(self, code: SourceText) -> None:
        self._code = code

    def of(self, kind: TypeInformation | None, value: str) -> str:
        """The expression; the value itself where it stays as it is."""
        match kind:
            case BasicTypeInfo(BasicType.FLOAT):
                return f"narrowed({value})"
            case RowTypeInfo():
                return self._row(kind, value)
            case TupleTypeInfo(fields):
                parts = [f"{value}[{i}]" for i in range(len(fields))]
                made = [self.of(field, part) for field, part in zip(fields, parts, strict=True)]
                return value if made == parts else f"({', '.join(made)},)"
            case (
                PrimitiveArrayTypeInfo(element)
                | BasicArrayTypeInfo(element)
                | ObjectArrayTypeInfo(element)
                | ListTypeInfo(element)
            ):
                name = self._code.variable("e")
                made_one = self._unless_null(element, name)
                return value if made_one == name else f"[{made_one} for {name} in {value}]"
            case MapTypeInfo(key, content):
                name = self._code.variable("e")
                made_key, made_one = self.of(key, f"k{name}"), self._unless_null(content, name)
                if (made_key, made_one) == (f"k{name}", name):
                    return value
                return f"{{{made_key}: {made_one} for k{name}, {name} in {value}.items()}}"
        return value

    def _row(self, kind: RowTypeInfo, value: str) -> str:
        parts = [f"f[{i}]" for i in range(len(kind.field_types))]
        made = [self._unless_null(field, part) for field, part in zip(kind.field_types, parts, strict=True)]
        if made == parts and kind.named:
            return value
        code, name = self._code, self._code.variable("row")
        named = code.bind(_named)
        with code.function(f"def {name}(v)"):
            code.lines("f = v._values", f"values = {'f' if made == parts else '[' + ', '.join(made) + ']'}")
            code.line(f"return {named}(v, values, {code.bind(kind.field_names)}, {code.bind(row_factory(None))})")
        return f"{name}({value})"

    def _unless_null(self, kind: TypeInformation, value: str) -> str:
        made = self.of(kind, value)
        return value if made == value else f"None if {value} is None else {made}"


def _named(row: Row, values: list[Any], names: tuple[str, ...], make: Callable[[list[Any]], Row]) -> Row:
    """The row with these values, and with these names unless it has its own."""
    if values is row._values and row._fields is not None:
        return row
    made = make(values)
    made._fields = names if row._fields is None else row._fields
    made._row_kind = row._row_kind
    return made
