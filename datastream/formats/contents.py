"""The contents of messages that a sink writes, and the errors for records that it cannot write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.errors import FormatError, cut

from .schema import SerializationSchema


def contents_of(schema: SerializationSchema, records: Sequence[Any], sink: str) -> list[bytes]:
    """The content of records.

    Args:
        schema: How records become content.
        records: The records.
        sink: The sink's name, for errors.

    Raises:
        FormatError: One cannot be written; names it.
    """
    try:
        found = schema.serialize_block(records)
    except Exception as error:  # a user's schema may raise anything
        for record in records:
            try:
                schema.serialize(record)
            except Exception as own:
                raise unwritable(sink, record, reason_of(own)) from own
        raise FormatError(f"{sink} cannot write a record: {reason_of(error)}") from error
    if len(found) == len(records) and {*map(type, found)} <= {bytes}:
        return found
    for record, data in zip(records, found, strict=True):
        if not isinstance(data, bytes):
            raise unwritable(sink, record, f"the schema returned {type(data).__name__}, expected bytes")
    return found


def unwritable(sink: str, record: Any, reason: str) -> FormatError:
    """The error for a record that cannot be written."""
    return FormatError(f"{sink} cannot write the record {cut(record)}: {reason}")


def reason_of(error: Exception) -> str:
    """What went wrong, for people: the texts of other errors than ours need the name of their class."""
    return str(error) if isinstance(error, FormatError) else f"{type(error).__name__}: {error}"
