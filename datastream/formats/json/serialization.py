"""JSON objects of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from datastream.errors import FormatError, TypeMismatch, ValidationError, cut
from datastream.formats.fewer_fields import fit_record
from datastream.formats.schema import SerializationSchema
from datastream.types import RowTypeInfo, TypeInformation

from .fast_writing import fast_writer
from .no_form import explain
from .supported import check_supported


class JsonRowSerializationSchema(SerializationSchema):
    """Writes a `Row` as a JSON object in UTF-8, without spaces; None is written as null.

    A row's kind (insert, delete and so on) is not written.

    Args:
        row_type: The fields and their order. Fields without names are ``f0``, ``f1`` and so on in JSON.

    Raises:
        ValidationError: `row_type` is no row type.
        FormatError: values of a type inside it have no form in JSON.
    """

    class Builder:
        """Builds a `JsonRowSerializationSchema`.

        Args:
            row_type: As of `with_type_info`.
        """

        def __init__(self, row_type: TypeInformation | None = None) -> None:
            self._row_type = row_type

        def with_type_info(self, type_info: TypeInformation) -> JsonRowSerializationSchema.Builder:
            """Set the type of the rows."""
            self._row_type = type_info
            return self

        def build(self) -> JsonRowSerializationSchema:
            """The schema.

            Raises:
                ValidationError: no type is set, or it is no row type.
                FormatError: values of a type inside it have no form in JSON.
            """
            if self._row_type is None:
                raise ValidationError(
                    "JsonRowSerializationSchema: no type is set; call with_type_info(Types.ROW_NAMED(...))."
                )
            return JsonRowSerializationSchema(self._row_type)

    def __init__(self, row_type: TypeInformation) -> None:
        if not isinstance(row_type, RowTypeInfo):
            raise ValidationError(
                f"JsonRowSerializationSchema: expected a row type, got {cut(row_type)}; use Types.ROW_NAMED(...)."
            )
        check_supported(row_type, reading=False)
        self._row_type = row_type

    @staticmethod
    def builder() -> JsonRowSerializationSchema.Builder:
        """A `Builder` without a type yet."""
        return JsonRowSerializationSchema.Builder()

    def serialize(self, value: Any) -> bytes:
        """The JSON of a row.

        Raises:
            TypeMismatch: the row does not fit the type; see `datastream.types.conversion.fit` for what does.
            FormatError: a value has no form in JSON: text with half of a surrogate pair.
        """
        return self.serialize_block((value,))[0]

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        """The JSON of rows.

        Raises:
            TypeMismatch, FormatError: as of `serialize`.
        """
        try:
            return self._write_fast(values)
        except TypeMismatch:
            raise
        except Exception as error:  # found again, with a better message
            for value in values:
                self._explain(value)
            raise FormatError(f"cannot write rows as JSON: {type(error).__name__}: {error}") from error

    def _explain(self, value: Any) -> None:
        try:
            explain(fit_record(value, self._row_type), self._row_type)
        except FormatError as error:
            raise FormatError(f"cannot write a row as JSON: {error}; the row is {cut(value)}") from None

    @cached_property
    def _write_fast(self) -> Callable[[Iterable[Any]], list[bytes]]:
        return fast_writer(self._row_type)
