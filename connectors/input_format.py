"""The base of what `StreamExecutionEnvironment.create_input` takes."""

from __future__ import annotations

from typing import Any, Self

from datastream.errors import UnsupportedOperation
from datastream.io import Source
from datastream.types import TypeInformation


class InputFormat:
    """Says how files become records, such as `AvroInputFormat`. Subclasses give a source and the records' type.

    Raises:
        UnsupportedOperation: An input format written in Java is given.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if cls is InputFormat:
            raise UnsupportedOperation(
                "InputFormat: Java input formats cannot run here; use a connector's source with env.from_source, or a "
                "subclass with the methods source and get_produced_type"
            )
        return super().__new__(cls)

    def source(self) -> Source:
        """Return the source of the records."""
        raise NotImplementedError

    def get_produced_type(self) -> TypeInformation | None:
        """Return the type of the records, or None where it is not known."""
        return None
