"""The key of a table: in statements, and as a value that Python compares as those statements do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_WHOLE_NUMBERS = ("smallint", "integer", "bigint")


@dataclass(frozen=True)
class Key:
    """The columns of a primary key.

    A value of it is a list, of whole numbers as such and of all else as text: so it is JSON, and texts are compared by
    their bytes, whatever the database's collation.

    Attributes:
        columns: Names.
        types: As PostgreSQL writes them.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]

    def expressions(self, direction: str = "") -> str:
        """The columns in a statement, as they are compared. The texts are those of the log, unlike a cast's."""
        return ", ".join(
            (quoted(column) if self._is_whole(type) else f"format('%%s', {quoted(column)}) COLLATE \"C\"") + direction
            for column, type in zip(self.columns, self.types, strict=True)
        )

    def parameters(self) -> str:
        """As many parameters, typed."""
        return ", ".join("%s::bigint" if self._is_whole(type) else '%s::text COLLATE "C"' for type in self.types)

    def of_texts(self, texts: Sequence[bytes | None]) -> list[Any]:
        """A value from the texts of the columns."""
        return [
            int(text or b"0") if self._is_whole(type) else (text or b"").decode()
            for text, type in zip(texts, self.types, strict=True)
        ]

    @staticmethod
    def comparable(value: Sequence[Any]) -> tuple[Any, ...]:
        """What two values are compared by."""
        return tuple(part.encode() if isinstance(part, str) else part for part in value)

    @staticmethod
    def _is_whole(type: str) -> bool:
        return type in _WHOLE_NUMBERS


def quoted(name: str) -> str:
    """A name in a statement."""
    return '"' + name.replace('"', '""').replace("%", "%%") + '"'  # of a statement with parameters
