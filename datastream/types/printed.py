"""The line that Flink prints of a record, by its declared type.

Flink prints typed records in Java, ``(be,1)`` for a tuple. Rows and records without a type are turned into text in
Python: rows as ``+I[1,x]``, with Python's text of each field.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream import java_maps
from datastream.codegen import SourceText
from datastream.types import java_text
from datastream.types.arrays import BasicArrayTypeInfo, ObjectArrayTypeInfo, PrimitiveArrayTypeInfo
from datastream.types.basic import BasicType, BasicTypeInfo
from datastream.types.list_and_map import ListTypeInfo, MapTypeInfo
from datastream.types.row_kind import RowKind
from datastream.types.row_type import RowTypeInfo
from datastream.types.sql_time import LocalTimeKind, LocalTimeTypeInfo, TimestampTypeInfo, TimeTypeInfo
from datastream.types.tuple_type import TupleTypeInfo
from datastream.types.type_information import TypeInformation

_KINDS = {kind: str(kind) for kind in RowKind}
_TEXTS: dict[TypeInformation, Callable[[Any], str]] = {
    BasicTypeInfo(BasicType.BOOLEAN): java_text.boolean_text,
    BasicTypeInfo(BasicType.FLOAT): java_text.float_text,
    BasicTypeInfo(BasicType.DOUBLE): java_text.double_text,
    BasicTypeInfo(BasicType.INSTANT): java_text.instant_text,
    TimeTypeInfo(): java_text.sql_time_text,
    TimestampTypeInfo(): java_text.timestamp_text,
    LocalTimeTypeInfo(LocalTimeKind.LOCAL_TIME): java_text.local_time_text,
    LocalTimeTypeInfo(LocalTimeKind.LOCAL_DATE_TIME): java_text.local_date_time_text,
}
_HASHES: dict[BasicType, Callable[[Any], int]] = {
    BasicType.STRING: java_maps.string_hash,
    BasicType.CHAR: java_maps.string_hash,
    BasicType.BYTE: java_maps.integer_hash,
    BasicType.SHORT: java_maps.integer_hash,
    BasicType.INT: java_maps.integer_hash,
    BasicType.LONG: java_maps.long_hash,
    BasicType.BOOLEAN: java_maps.boolean_hash,
}


def printer(kind: TypeInformation | None) -> Callable[[Any], str]:
    """A function: record of a type -> its line.

    Args:
        kind: The declared type, whose values were tested; None: nothing is known.
    """
    if not isinstance(kind, RowTypeInfo):
        return java_printer(kind)
    code = SourceText(kinds=_KINDS, row_join=",".join, str=str)
    with code.function("def printed(v)"):
        code.line('return f"{kinds[v._row_kind]}[{row_join([str(e) for e in v._values])}]"')
    return code.compiled("printed", "printing")


def java_printer(kind: TypeInformation | None) -> Callable[[Any], str]:
    """A function: record of a type -> its text in Java, that of rows too, as it is written to text files.

    Args:
        kind: The declared type, whose values were tested; None: nothing is known.
    """
    code = SourceText(kinds=_KINDS, null="null", join=", ".join, str=str)
    with code.function("def printed(v)"):
        text = _JavaText(code).of(kind, "v")
        code.line(f'return f"{text}"')
    return str if text == "{v}" else code.compiled("printed", "printing")


class _JavaText:
    """Bodies of f-strings.

    Args:
        code: Where they are used.
    """

    def __init__(self, code: SourceText) -> None:
        self._code = code

    def of(self, kind: TypeInformation | None, value: str) -> str:
        """The body for the value of an expression without quotes and braces."""
        match kind:
            case TupleTypeInfo(fields):
                return f"({','.join(self.of(f, f'{value}[{i}]') for i, f in enumerate(fields))})"
            case RowTypeInfo(fields):
                inner = ", ".join(self._nullable(f, f"{value}._values[{i}]") for i, f in enumerate(fields))
                return f"{{kinds[{value}._row_kind]}}[{inner}]"
            case PrimitiveArrayTypeInfo(element) if element == BasicTypeInfo(BasicType.BYTE):
                return f"[{{join(str(b - (b & 128) * 2) for b in {value})}}]"
            case (
                PrimitiveArrayTypeInfo(element)
                | BasicArrayTypeInfo(element)
                | ObjectArrayTypeInfo(element)
                | ListTypeInfo(element)
            ):
                return f"[{{{self._elements(element)}({value})}}]"
            case MapTypeInfo(key, content):
                return f"{{{{{{{self._entries(key, content)}({value})}}}}}}"
            case None:
                return f"{{{value}}}"
        text = _TEXTS.get(kind)
        return f"{{{value}}}" if text is None else f"{{{self._code.bind(text)}({value})}}"

    def _nullable(self, kind: TypeInformation, value: str) -> str:
        text = self.of(kind, value)
        whole = text[1:-1] if text.startswith("{") and text.endswith("}") and text.count("{") == 1 else None
        if whole is None:
            name = self._code.variable("text")
            with self._code.function(f"def {name}(v)"):
                self._code.line(f'return f"{self.of(kind, "v")}"')
            whole = f"{name}({value})"
        return f"{{null if {value} is None else {whole}}}"

    def _elements(self, element: TypeInformation) -> str:
        name = self._code.variable("elements")
        with self._code.function(f"def {name}(values)"):
            self._code.line(f'return join([f"{self._nullable(element, "e")}" for e in values])')
        return name

    def _entries(self, key: TypeInformation, content: TypeInformation) -> str:
        hash_of = _HASHES.get(key.basic_type) if isinstance(key, BasicTypeInfo) else None
        entries = "values.items()"
        if hash_of is not None:
            entries = f"{self._code.bind(java_maps.hash_order)}(values, {self._code.bind(hash_of)})"
        name = self._code.variable("entries")
        with self._code.function(f"def {name}(values)"):
            pair = f"{self.of(key, 'k')}={self._nullable(content, 'e')}"
            self._code.line(f'return join([f"{pair}" for k, e in {entries}])')
        return name
