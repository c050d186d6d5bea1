"""Expressions of generated code that give the values of a type another form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from datastream.codegen import SourceText
from datastream.types.arrays import BasicArrayTypeInfo, ObjectArrayTypeInfo, PrimitiveArrayTypeInfo
from datastream.types.basic import BasicType, BasicTypeInfo
from datastream.types.java_text import narrowed
from datastream.types.list_and_map import ListTypeInfo, MapTypeInfo
from datastream.types.row_type import RowTypeInfo
from datastream.types.tuple_type import TupleTypeInfo
from datastream.types.type_information import TypeInformation

#: What becomes of the values of a type: functions by type.
Forms = Mapping[TypeInformation, Callable[[Any], Any]]
#: As Java holds them.
FORMS: Forms = {BasicTypeInfo(BasicType.FLOAT): narrowed}


class ValueExpressions(ABC):
    """Makes expressions for values that fit a type.

    Args:
        code: Where they are used.
        forms: What becomes of values.
    """

    def __init__(self, code: SourceText, forms: Forms = FORMS) -> None:
        self._code = code
        self._forms = forms

    @abstractmethod
    def _row(self, kind: RowTypeInfo, value: str) -> str:
        """The expression for a row."""

    def of(self, kind: TypeInformation | None, value: str) -> str:
        """The expression; `value` itself where it stays as it is."""
        form = None if kind is None else self._forms.get(kind)
        if form is not None:
            return f"{self._code.bind(form)}({value})"
        match kind:
            case RowTypeInfo():
                return self._row(kind, value)
            case TupleTypeInfo(fields):
                parts = [f"{value}[{i}]" for i in range(len(fields))]
                made = list(map(self.of, fields, parts))
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

    def _list(self, kinds: Iterable[TypeInformation], value: str) -> str | None:
        """A list of what becomes of the items of `value`, a row's; None: they stay as they are."""
        made = [(f"{value}[{i}]", self._unless_null(kind, f"{value}[{i}]")) for i, kind in enumerate(kinds)]
        return f"[{', '.join(one for _, one in made)}]" if any(part != one for part, one in made) else None

    def _unless_null(self, kind: TypeInformation, value: str) -> str:
        made = self.of(kind, value)
        return value if made == value else f"None if {value} is None else {made}"
