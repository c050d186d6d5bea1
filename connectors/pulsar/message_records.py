"""Messages that a function makes into records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.formats import DeserializationSchema
from datastream.types import TypeInformation, Types

from .message import PulsarMessage


class MessageRecords(DeserializationSchema):
    """Reads messages with all that they carry, by a function. A reader gives it these instead of contents.

    Args:
        function: Gives the record of a message.
        record_type: Their type; None: any Python object.
    """

    def __init__(self, function: Callable[[PulsarMessage], Any], record_type: TypeInformation | None) -> None:
        self._function = function
        self._type = record_type or Types.PICKLED_BYTE_ARRAY()

    def deserialize(self, message: Any) -> Any:
        return self._function(message)

    def get_produced_type(self) -> TypeInformation:
        return self._type
