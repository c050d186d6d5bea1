"""The primary key of a table of MySQL: in statements, and as a value that Python compares as those statements do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_WHOLE = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint"})
_TEXT = frozenset({"char", "varchar"})
_BYTES = frozenset({"binary", "varbinary"})
#: Types of columns by whose ranges a table can be read.
FIT = _WHOLE | _TEXT | _BYTES | {"date"}


@dataclass(frozen=True)
class Key:
    """The columns of a primary key.

    A value of it is a list, of whole numbers as such and of all else as text: so it is JSON. Texts are compared by
    their bytes, whatever the collation.

    Attributes:
        columns: Names.
        types: As ``information_schema`` has them, without lengths.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]

    def expressions(self) -> list[str]:
        """The columns in a statement, as they are compared."""
        return [_expression(quoted(name), type) for name, type in zip(self.columns, self.types, strict=True)]

    def order(self, direction: str = "") -> str:
        """What follows ORDER BY."""
        return ", ".join(f"{expression}{direction}" for expression in self.expressions())

    def range(self, after: Sequence[Any] | None, last: Sequence[Any] | None) -> tuple[str, list[Any]]:
        """A condition with its parameters: keys after one, up to another one."""
        parts: list[str] = []
        parameters: list[Any] = []
        for at, sign, end in ((after, ">", ">"), (last, "<", "<=")):
            if at is not None:
                text, values = self._compared(at, sign, end)
                parts.append(text)
                parameters += values
        return f"WHERE {' AND '.join(parts)}" if parts else "", parameters

    def of_result(self, values: Sequence[Any]) -> list[Any]:
        """A value from what a statement found for `expressions`."""
        return [value.decode() if isinstance(value, bytes) else value for value in values]

    def of_row(self, row: Mapping[str, Any]) -> list[Any]:
        """A value from a row of the log."""
        return [_of_log(row[name]) for name in self.columns]

    @staticmethod
    def comparable(value: Sequence[Any]) -> tuple[Any, ...]:
        """What two values are compared by."""
        return tuple(part.encode() if isinstance(part, str) else part for part in value)

    def _compared(self, at: Sequence[Any], sign: str, end: str) -> tuple[str, list[Any]]:
        """Column by column: so the server finds the range in the index, which it does not for a row of them."""
        columns = list(zip(self.expressions(), map(_parameter, at), strict=True))
        expression, value = columns[-1]
        text, values = f"{expression} {end} %s", [value]
        for expression, value in reversed(columns[:-1]):
            text = f"{expression} {sign}= %s AND ({expression} {sign} %s OR ({text}))"
            values = [value, value, *values]
        return f"({text})", values


def _expression(name: str, type: str) -> str:
    if type in _TEXT:
        return f"CAST(CONVERT({name} USING utf8mb4) AS BINARY)"
    if type in _BYTES:
        return f"CAST(HEX({name}) AS BINARY)"
    return f"CAST({name} AS BINARY)" if type == "date" else name


def _parameter(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def _of_log(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex().upper()
    return value if isinstance(value, int) else str(value)


def quoted(name: str) -> str:
    """A name in a statement."""
    return "`" + name.replace("`", "``").replace("%", "%%") + "`"  # of a statement with parameters
