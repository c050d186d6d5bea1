"""Positions in a partition: ``[ledger, entry, index in the batch]`` of the last message that was read.

The index is -1 for a message that is no part of a batch. Positions of a partition are ordered as lists are.
"""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError

Position = list[int]

#: Before all messages.
OLDEST: Position = [-1, -1, -1]
_NO_BATCH = -1


def position_of(message_id: Any) -> Position:
    """The position of the library's message id."""
    return [message_id.ledger_id(), message_id.entry_id(), message_id.batch_index()]


def last_position(message_id: Any) -> Position:
    """The position of a partition's last message; one without messages is at its begin."""
    found = position_of(message_id)
    return OLDEST if found[1] < 0 else found


def before(position: Position) -> Position:
    """A position after which the message of `position` comes next."""
    ledger, entry, index = position
    return [ledger, entry, index - 1]


def parsed(message_id: bytes) -> Position:
    """The position of a message id as bytes.

    Raises:
        ValidationError: They are none.
    """
    import pulsar

    try:
        return position_of(pulsar.MessageId.deserialize(message_id))
    except Exception as error:  # the library raises RuntimeErrors of its own
        raise ValidationError(f"Pulsar: {message_id[:40]!r} is no message id: {error}") from None


def entry_id(position: Position) -> Any:
    """The library's id of the entry that holds a message, which is the whole batch."""
    import pulsar

    if position < [0, 0, _NO_BATCH]:
        return pulsar.MessageId.earliest
    return pulsar.MessageId(-1, position[0], position[1], _NO_BATCH)
