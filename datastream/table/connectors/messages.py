"""What connectors have in common whose tables are messages with a content and metadata; each is a row that is added."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from datastream.errors import FormatError, ValidationError, cut
from datastream.formats.dead_letters import DeadLetter
from datastream.functions import OutputTag
from datastream.table.types.logical_types import DataType

from .connector import Option, Settings, TableConnector, TableInfo
from .formats.changes import ChangeFormat
from .formats.format import DROP_ADVICE, DROPPED, Decoder, Layout, TableFormat
from .formats.registry import find_format, format_options, format_settings
from .picked_columns import PickedColumns, picker

MessageT = TypeVar("MessageT")


class MessageRows(ABC, Generic[MessageT]):
    """Reads messages as tuples of their content and metadata; a part of a connector's schema.

    Attributes:
        values: Key of metadata -> its value for a message.

    Args:
        content: Reads the content.
        places: Where each value of a tuple comes from: index in the tuple of the content, or key of metadata.
    """

    values: ClassVar[Mapping[str, Callable[[Any], Any]]]
    _records_fit = True

    def __init__(self, content: Decoder, places: Sequence[int | str]) -> None:
        self._content, self._places = content, tuple(places)
        self._plain = all(not isinstance(place, str) for place in places)

    @staticmethod
    @abstractmethod
    def named(message: MessageT, origin: str) -> str:
        """What a message is, for people, such as ``the message 7 of the subscription 'a'``."""

    @staticmethod
    def data(message: Any) -> bytes:
        """The content of a message."""
        content: bytes = message.data
        return content

    @property
    def _dead_letter_tags(self) -> tuple[OutputTag, ...]:
        return (DROPPED,) if self._content.drops_errors else ()

    def rows_of(self, messages: Sequence[MessageT], origin: str) -> list[Any]:
        """The row of each message, or None, or a pair (tag, DeadLetter).

        Args:
            messages: The messages.
            origin: The subscription, stream or the like that they are from.

        Raises:
            FormatError: One cannot be read; names it.
        """
        try:
            rows = self._content.rows([self.data(message) for message in messages])
        except Exception:  # one is unusual: read alone it is a row, or has a good error
            return [self._alone(message, origin) for message in messages]
        if self._plain:
            return rows
        return [self._joined(message, row) for message, row in zip(messages, rows, strict=True)]

    def row_of(self, message: MessageT) -> Any:
        """The row of one message, or None."""
        return self._joined(message, self._content.deserialize(self.data(message)))

    def _alone(self, message: MessageT, origin: str) -> Any:
        try:
            return self.row_of(message)
        except FormatError as error:
            why = f"{self.named(message, origin)}: {error}"
            if self._content.drops_errors:
                return DROPPED, DeadLetter(self.data(message), why, origin)
            raise FormatError(f"{why}; its data: {cut(self.data(message))}; {DROP_ADVICE}") from None

    def _joined(self, message: MessageT, row: Any) -> Any:
        if row is None or self._plain:
            return row
        values = self.values
        return tuple([values[place](message) if isinstance(place, str) else row[place] for place in self._places])


class MessageConnector(TableConnector):
    """A connector with an option ``format``."""

    def options_of(self, table: TableInfo) -> tuple[Option, ...]:
        form = table.options.get("format")
        of_format = () if form is None else format_options("", find_format(form, str(table)))
        return (*super().options_of(table), *of_format)

    def check(self, table: TableInfo) -> None:
        self.formatted(table, self.settings(table))
        if table.primary_key:
            raise ValidationError(
                f"{table}: a table of the connector '{self.name}' cannot have a PRIMARY KEY, as nothing keeps it; "
                "leave it out"
            )

    @staticmethod
    def formatted(table: TableInfo, settings: Settings) -> tuple[TableFormat, Layout, Mapping[str, Any]]:
        """The format of contents, the columns in them, and the format's options."""
        form = find_format(settings["format"], str(table))
        if isinstance(form, ChangeFormat):
            raise ValidationError(
                f"{table}: the messages of the format '{form.name}' are changes, which the connectors kafka and "
                "filesystem read and write"
            )
        layout = Layout(table.columns, f"{table}, format {form.name}", fields=table.fields)
        return form, layout, format_settings("", form, settings)

    def skips(self, table: TableInfo, kind: DataType) -> bool:
        form, _, options = self.formatted(table, self.settings(table))
        return form.skips(kind, options)

    def reading(self, table: TableInfo, settings: Settings, wanted: Sequence[str]) -> tuple[Decoder, list[int | str]]:
        """The arguments of `MessageRows` for the columns that are wanted.

        Args:
            table: The table.
            settings: The table's.
            wanted: Which physical and metadata columns, in order.

        Raises:
            ValidationError: There is no such metadata.
        """
        form, layout, options = self.formatted(table, settings)
        columns = [name for name in wanted if name not in table.metadata]
        keys = {name: table.metadata[name] for name in wanted if name in table.metadata}
        for key in keys.values():
            self.metadata_type(key, table)
        places = [keys[name] if name in keys else columns.index(name) for name in wanted]
        return form.decoder(layout, columns, options), places

    def writing(self, table: TableInfo, settings: Settings) -> tuple[PickedColumns, dict[str, int]]:
        """What writes the content of rows, and the index of each column of metadata that is written, by its key."""
        form, layout, options = self.formatted(table, settings)
        first = len(layout.names)
        pick = picker(range(first), first + len(table.persisted))
        columns = {table.metadata[column]: place for place, column in enumerate(table.persisted, first)}
        return PickedColumns(form.encoder(layout, options), pick), columns


class TextColumn:
    """Gives the text of a row's column, such as a topic.

    Args:
        index: Of the column.
        default: Instead of NULL.
    """

    def __init__(self, index: int, default: str) -> None:
        self._index, self._default = index, default

    def __call__(self, row: Sequence[Any]) -> str:
        text: str | None = row[self._index]
        return self._default if text is None else text


class MapColumn:
    """Gives the map of a row's column, without the values that are NULL.

    Args:
        index: Of the column.
    """

    def __init__(self, index: int) -> None:
        self._index = index

    def __call__(self, row: Sequence[Any]) -> dict[str, str]:
        return {name: value for name, value in (row[self._index] or {}).items() if value is not None}
