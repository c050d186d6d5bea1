"""A place in MySQL's binary log."""

from __future__ import annotations

from typing import Any, NamedTuple

from datastream.errors import ValidationError

#: Where the first event of each file begins.
FIRST = 4


class Position(NamedTuple):
    """A file of the log, and a byte in it; between two transactions.

    Files are compared by the number at the end of their names, which grows.
    """

    file: str
    at: int

    def __lt__(self, other: tuple[Any, ...]) -> bool:
        return self.order() < Position(*other).order()

    def __gt__(self, other: tuple[Any, ...]) -> bool:
        return self.order() > Position(*other).order()

    def __le__(self, other: tuple[Any, ...]) -> bool:
        return self.order() <= Position(*other).order()

    def __ge__(self, other: tuple[Any, ...]) -> bool:
        return self.order() >= Position(*other).order()

    def __str__(self) -> str:
        return f"{self.file}:{self.at}"

    def order(self) -> tuple[int, int]:
        """What two positions are compared by.

        Raises:
            ValidationError: The file's name does not end with a number.
        """
        number = self.file.rpartition(".")[2]
        if not number.isdigit():
            raise ValidationError(f"a file of MySQL's log ends with its number, such as binlog.000042, got {self.file}")
        return int(number), self.at
