"""The bases of all formats of single records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError, cut
from datastream.types import TypeInformation, Types

if TYPE_CHECKING:
    from datastream.functions import OutputTag

    from .dead_letters import DeadLetterSchema

#: Index in a block of messages -> (topic or file, partition, offset), each None where there is none.
Position = Callable[[int], tuple[str | None, int | None, int | None]]


class _Schema:
    """Travels to the workers without its cached properties, which are made again there: generated functions, say."""

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        if type(state) is not dict:  # there are slots
            return state
        cls = type(self)
        return {name: value for name, value in state.items() if type(getattr(cls, name, None)) is not cached_property}


class SerializationSchema(_Schema, ABC):
    """Writes a record as bytes."""

    @abstractmethod
    def serialize(self, value: Any) -> bytes:
        """The bytes of `value`.

        Raises:
            FormatError: it has no form in this format; the message names the field.
        """

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        """The bytes of each value. Sinks call this; override it where a block can be done faster."""
        return [self.serialize(value) for value in values]


class ReadingSchema:
    """What a source knows of the records that a schema makes, whatever it makes them of."""

    #: Whether all records are sure to fit `get_produced_type`, so that nothing tests them.
    _records_fit: bool = False

    @property
    def _dead_letter_tags(self) -> tuple[OutputTag, ...]:
        """The side outputs that pairs (tag, value) among the records belong to. Default: none."""
        return ()

    def get_produced_type(self) -> TypeInformation:
        """The type of the records; a pickled byte array where it is not known."""
        return Types.PICKLED_BYTE_ARRAY()


class DeserializationSchema(_Schema, ReadingSchema, ABC):
    """Reads a record from bytes."""

    #: Whether it drops or blanks what it cannot read, so that `with_dead_letters` makes no sense.
    _drops_unreadable: bool = False

    @abstractmethod
    def deserialize(self, data: bytes) -> Any:
        """The record in `data`, or None: no record.

        Raises:
            FormatError: the bytes are not in this format. Nothing else is raised, whatever the bytes are.
        """

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[Any]:
        """The records of messages, without the Nones. Sources call this; override it where a block can be faster.

        Args:
            messages: None (a Kafka tombstone) is no record.
            position: Where a message came from, by its index; for errors.
        """
        deserialize = self.deserialize
        return [v for data in messages if data is not None and (v := deserialize(data)) is not None]

    def with_dead_letters(self, tag: OutputTag) -> DeadLetterSchema:
        """This schema, but bytes that it cannot read go to a side output as a `DeadLetter` and fail nothing.

        Args:
            tag: ``stream.get_side_output(tag)`` returns them. An addition to PyFlink's names.

        Raises:
            ValidationError: it is no OutputTag or has a type of its own, or this schema ignores errors.
        """
        from .dead_letters import DeadLetterSchema

        return DeadLetterSchema(self, tag)


class ContentSchema(ReadingSchema):
    """The base of schemas of a connector that make records of the content of messages alone.

    Args:
        schema: How.
    """

    def __init__(self, schema: DeserializationSchema) -> None:
        self._schema = schema
        self._records_fit = records_fit(schema)

    def get_produced_type(self) -> TypeInformation:
        return self._schema.get_produced_type()

    @property
    def _dead_letter_tags(self) -> tuple[OutputTag, ...]:
        return dead_letter_tags(self._schema)

    def _at_once(self, contents: Sequence[bytes | None], position: Position) -> list[Any] | None:
        """The records of contents, one for each; None: some are none, or wrong, which reading them alone shows."""
        try:
            found = self._schema.deserialize_block(contents, position)
        except Exception:  # found again, with the message that it is about
            return None
        return found if len(found) == len(contents) else None


def checked_schema(schema: object, what: str, own: type[ReadingSchema] | None = None) -> Any:
    """The schema that a source was given.

    Args:
        schema: What it was given.
        what: The source, for errors.
        own: The connector's class for whole messages, which it takes, too.

    Raises:
        ValidationError: It is none.
    """
    if isinstance(schema, (DeserializationSchema, own or DeserializationSchema)):
        return schema
    alternative = "" if own is None else f" or a {own.__name__},"
    raise ValidationError(
        f"{what} needs a DeserializationSchema such as SimpleStringSchema(),{alternative} got "
        f"{type(schema).__name__} {cut(schema)}"
    )


# The engine's own attributes of a schema: users' classes have others of any name.


def records_fit(schema: ReadingSchema) -> bool:
    """Whether all records are sure to fit the type that it produces, so that nothing tests them."""
    return schema._records_fit  # noqa: SLF001


def drops_unreadable(schema: DeserializationSchema) -> bool:
    """Whether it drops or blanks what it cannot read."""
    return schema._drops_unreadable  # noqa: SLF001


def dead_letter_tags(schema: ReadingSchema) -> tuple[OutputTag, ...]:
    """The side outputs that pairs (tag, value) among the records belong to."""
    return schema._dead_letter_tags  # noqa: SLF001
