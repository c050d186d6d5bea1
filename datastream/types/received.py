"""What a value of a declared type becomes on its way between operators, besides what its test made of it.

As in PyFlink, whoever receives a FLOAT gets a number of 32 bits, and the rows of ``Types.ROW`` have the fields f0, f1
and so on. Inside a chain, values stay the objects that a function gave.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.codegen import SourceText
from datastream.types.row import with_values
from datastream.types.row_type import RowTypeInfo
from datastream.types.type_information import TypeInformation
from datastream.types.value_expressions import FORMS, Forms, ValueExpressions


def received(kind: TypeInformation | None, forms: Forms = FORMS) -> Callable[[Any], Any] | None:
    """A function: value that fits a type -> what its receiver gets; None where that is the value itself.

    Args:
        kind: The type.
        forms: What becomes of values.
    """
    code = SourceText()
    with code.function("def received(v)"):
        made = _Received(code, forms).of(kind, "v")
        code.line(f"return {made}")
    return None if made == "v" else code.compiled("received", "receiving")


def received_or_null(kind: TypeInformation | None) -> Callable[[Any], Any] | None:
    """As `received`, for values that may be None."""
    become = received(kind)
    return None if become is None else lambda value: None if value is None else become(value)


class _Received(ValueExpressions):
    def _row(self, kind: RowTypeInfo, value: str) -> str:
        made = self._list(kind.field_types, "f")
        if made is None and kind.named:
            return value
        code, name = self._code, self._code.variable("row")
        named = code.bind(with_values)
        with code.function(f"def {name}(v)"):
            code.lines("f = v._values", f"values = {made or 'f'}")
            code.line(f"return {named}(v, values, {code.bind(kind.field_names)})")
        return f"{name}({value})"
