"""What messages carry beside their contents: keys, properties and event times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from datastream.errors import cut
from datastream.formats.contents import reason_of, unwritable


@dataclass(frozen=True)
class MessageFields:
    """Gives the arguments of the library's ``send_async`` for the message of a record.

    Attributes:
        key: Gives the key, or None.
        properties: Gives the properties, or None.
        event_time: Gives the time in ms since 1970, or None.
    """

    key: Callable[[Any], str | None] | None = None
    properties: Callable[[Any], Mapping[str, str] | None] | None = None
    event_time: Callable[[Any], int | None] | None = None

    def __call__(self, record: Any) -> dict[str, Any]:
        """The arguments.

        Raises:
            FormatError: A function failed, or returned something else.
        """
        fields: dict[str, Any] = {}
        if key := _of(self.key, record, "set_message_key"):
            if not isinstance(key, str):
                raise _wrong(record, "set_message_key", "a text", key)
            fields["partition_key"] = key
        if properties := _of(self.properties, record, "set_message_properties"):
            if not isinstance(properties, Mapping) or not all(
                isinstance(text, str) for pair in properties.items() for text in pair
            ):
                raise _wrong(record, "set_message_properties", "a dict of texts", properties)
            fields["properties"] = dict(properties)
        if (time := _of(self.event_time, record, "set_message_event_time")) is not None:
            if not isinstance(time, int) or isinstance(time, bool) or time < 0:
                raise _wrong(record, "set_message_event_time", "milliseconds since 1970", time)
            fields["event_timestamp"] = time
        return fields


def _of(function: Callable[[Any], Any] | None, record: Any, call: str) -> Any:
    if function is None:
        return None
    try:
        return function(record)
    except Exception as error:  # a user's function may raise anything
        raise unwritable("PulsarSink", record, f"the function of {call} failed: {reason_of(error)}") from error


def _wrong(record: Any, call: str, expected: str, value: Any) -> Exception:
    return unwritable("PulsarSink", record, f"the function of {call} returned {cut(value)}, expected {expected}")
