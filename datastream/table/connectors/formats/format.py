"""What a format of tables is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from datastream.errors import FormatError
from datastream.formats import DeserializationSchema, SerializationSchema
from datastream.formats.positions import one_by_one
from datastream.formats.schema import Position
from datastream.functions import OutputTag
from datastream.table.connectors.options import Option
from datastream.table.plan.relations import Column
from datastream.table.types.logical_types import DataType

#: Marks records that a table drops: they are counted by the metric ``numRecordsInErrors``; see `dropping`.
DROPPED = OutputTag("dropped records of a table")
#: The end of an error of a record that a format cannot read.
DROP_ADVICE = (
    "the format's option 'ignore-parse-errors' (such as 'json.ignore-parse-errors' = 'true') would drop it, if the "
    "format has one"
)


@dataclass(frozen=True)
class Layout:
    """What a format reads or writes.

    Attributes:
        columns: The columns that its bytes hold, in order.
        of: For errors: such as ``table `a`.`b`.`c`, format json``.
        subject: Under which a schema of the columns is registered by default; None: nothing is known.
        fields: See `TableInfo`; for formats that skip fields.
    """

    columns: tuple[Column, ...]
    of: str
    subject: str | None = None
    fields: tuple[tuple[str, ...], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns."""
        return tuple(column.name for column in self.columns)

    def type_of(self, name: str) -> DataType:
        """The type of a column."""
        return next(column.type for column in self.columns if column.name == name)

    def parts_of(self, name: str) -> list[tuple[str, ...]]:
        """For each part of a column that is read, the names of fields that lead to it; none: the whole column is."""
        return [part[1:] for part in self.fields if part[0] == name]


class TableFormat(ABC):
    """A format; an object has no state.

    Attributes:
        name: The value of the option ``format``.
        lines: Whether a message may be a line of a file.
        options: Without the format's name in front: ``ignore-parse-errors``.
    """

    name: ClassVar[str]
    lines: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = ()

    @abstractmethod
    def decoder(self, layout: Layout, wanted: Sequence[str], options: Mapping[str, Any]) -> Decoder:
        """What reads messages.

        Args:
            layout: The columns.
            wanted: Which of them, in the order of the tuples.
            options: All of `options`, read.

        Raises:
            ValidationError: the format cannot hold such columns, or options contradict each other.
        """

    def skips(self, kind: DataType, options: Mapping[str, Any]) -> bool:
        """Whether `decoder` leaves out fields of rows that are not in `Layout.fields`. Default: no.

        Args:
            kind: The type of the field.
            options: All of `options`, read.
        """
        return False

    @abstractmethod
    def encoder(self, layout: Layout, options: Mapping[str, Any]) -> SerializationSchema:
        """What writes tuples of the layout's columns as messages.

        Raises:
            ValidationError: as in `decoder`.
        """


class Decoder(DeserializationSchema):
    """Reads messages as tuples of the wanted columns.

    Attributes:
        drops_errors: Whether a message that cannot be read is dropped and counted instead of failing the job.
    """

    _records_fit = True
    drops_errors: bool = False

    @abstractmethod
    def rows(self, messages: Sequence[bytes]) -> list[Any]:
        """One tuple for each message, or None: it holds no row. Raises anything where one of them is unusual."""

    @abstractmethod
    def row(self, data: bytes) -> tuple[Any, ...] | None:
        """The tuple of one message, however unusual.

        Raises:
            FormatError: it cannot be read; says which table, column and value.
        """

    def deserialize(self, data: bytes) -> Any:
        try:
            return self.rows((data,))[0]
        except Exception:  # what the fast way did not like is found again, with a better message
            return self.row(data)

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[Any]:
        present = messages if None not in messages else [data for data in messages if data is not None]
        try:
            found = self.rows(present)  # type: ignore[arg-type]
        except Exception:  # see above
            return one_by_one(self.deserialize, messages, position)
        return found if None not in found else [row for row in found if row is not None]

    @property
    def schema(self) -> DeserializationSchema:
        """The schema for a source: itself, or one that drops what cannot be read."""
        return self.with_dead_letters(DROPPED) if self.drops_errors else self


class WrongValue(Exception):
    """A value that does not fit its column.

    Attributes:
        reason: What was expected.
        place: Which column, or part of it: ``a``, ``a.b[2]``.
        value: What was found.
    """

    def __init__(self, reason: str, place: str, value: object) -> None:
        super().__init__(reason)
        self.reason, self.place, self.value = reason, place, value


def unreadable(of: str, reason: str) -> FormatError:
    """The error of a message that cannot be read."""
    return FormatError(f"{of}: {reason}")
