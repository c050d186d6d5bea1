"""Rows of JSON objects."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from datastream.errors import FormatError, TypeMismatch, ValidationError, cut
from datastream.formats.positions import one_by_one
from datastream.formats.schema import DeserializationSchema, Position
from datastream.types import Row, RowTypeInfo, TypeInformation
from datastream.types.checks import converts

from .exact_reading import ExactReader, parse
from .fast_reading import fast_reader
from .json_schema import row_type_of
from .supported import check_supported


class JsonRowDeserializationSchema(DeserializationSchema):
    """Reads a `Row` from a JSON object.

    As in Flink, a number, boolean, array or object is read as a STRING, text as a number, and of a number with a
    fraction an INT or LONG gets the whole part; the log has a line for the first value that is converted. With
    ``-D datastream.types.check=strict`` values must be of the declared types. Fields that the type does not have are
    ignored; of a name that comes twice the last counts. The message ``null`` is no record.

    Args:
        row_type: The fields. Rows have names when it does; fields without are ``f0``, ``f1`` and so on in JSON.
        fail_on_missing_field: Whether a field that a message lacks is an error. Default: it is None.
        ignore_parse_errors: Whether a field, element or map value that cannot be read is None, and a message that
            is no JSON object is no record. Default: they are errors.

    Raises:
        ValidationError: `row_type` is no row type, or both flags are set.
        FormatError: values of a type inside it cannot be read from JSON.
    """

    _records_fit = True

    class Builder:
        """Builds a `JsonRowDeserializationSchema`.

        Args:
            row_type: As of `type_info`.
        """

        def __init__(self, row_type: TypeInformation | None = None) -> None:
            self._row_type = row_type
            self._fail_on_missing = False
            self._ignore_errors = False

        def type_info(self, type_info: TypeInformation) -> JsonRowDeserializationSchema.Builder:
            """Set the type of the rows."""
            self._row_type = type_info
            return self

        def json_schema(self, json_schema: str) -> JsonRowDeserializationSchema.Builder:
            """Set the type of the rows by a JSON schema; see `row_type_of`.

            Raises:
                ValidationError: it is no JSON schema of an object, or has no row type.
            """
            self._row_type = row_type_of(json_schema)
            return self

        def fail_on_missing_field(self) -> JsonRowDeserializationSchema.Builder:
            """Make a field that a message lacks an error. Default: it is None."""
            self._fail_on_missing = True
            return self

        def ignore_parse_errors(self) -> JsonRowDeserializationSchema.Builder:
            """Read what cannot be read as None, and a message that is no JSON object as no record. Default: errors."""
            self._ignore_errors = True
            return self

        def build(self) -> JsonRowDeserializationSchema:
            """The schema.

            Raises:
                ValidationError: no type is set, it is no row type, or both flags are set.
                FormatError: values of a type inside it cannot be read from JSON.
            """
            if self._row_type is None:
                raise ValidationError(
                    "JsonRowDeserializationSchema: no type is set; call type_info(Types.ROW_NAMED(...)) or "
                    "json_schema(...)."
                )
            return JsonRowDeserializationSchema(self._row_type, self._fail_on_missing, self._ignore_errors)

    def __init__(
        self, row_type: TypeInformation, fail_on_missing_field: bool = False, ignore_parse_errors: bool = False
    ) -> None:
        if not isinstance(row_type, RowTypeInfo):
            raise ValidationError(
                f"JsonRowDeserializationSchema: expected a row type, got {cut(row_type)}; use Types.ROW_NAMED(...)."
            )
        if fail_on_missing_field and ignore_parse_errors:
            raise ValidationError(
                "JsonRowDeserializationSchema: fail_on_missing_field and ignore_parse_errors contradict each other; "
                "set one of them."
            )
        check_supported(row_type, reading=True)
        self._row_type = row_type
        self._fail_on_missing = fail_on_missing_field
        self._drops_unreadable = ignore_parse_errors
        self._exact = ExactReader(fail_on_missing_field, ignore_parse_errors)

    @staticmethod
    def builder() -> JsonRowDeserializationSchema.Builder:
        """A `Builder` without a type yet."""
        return JsonRowDeserializationSchema.Builder()

    def deserialize(self, data: bytes | None) -> Row | None:
        """The row in a message, or None: no record.

        Raises:
            FormatError: the message is no such row.
        """
        return None if data is None else self._one(data)

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[Any]:
        """The rows of messages.

        Raises:
            FormatError: one of them is no such row; the first such one.
        """
        present = messages if None not in messages else [data for data in messages if data is not None]
        try:
            return self._read_fast(present)  # type: ignore[arg-type]
        except Exception:  # whatever msgspec did not like is found again, with a better message
            return one_by_one(self._one, messages, position)

    def _one(self, data: bytes) -> Row | None:
        try:
            return self._read_fast([data])[0]  # type: ignore[no-any-return]
        except Exception:  # see above
            pass
        converting = converts()
        try:
            value = parse(data.removeprefix(BOM_UTF8) if converting else data)
            exact = replace(self._exact, converts=converting)
            return None if value is None else exact.read(value, self._row_type)
        except (FormatError, TypeMismatch) as error:
            if self._drops_unreadable:
                return None
            raise FormatError(f"cannot read a row: {error}; the message is {cut(data)}") from None

    def get_produced_type(self) -> RowTypeInfo:
        """The type of the rows."""
        return self._row_type

    @cached_property
    def _read_fast(self) -> Callable[[list[bytes]], list[Any]]:
        return fast_reader(self._row_type, self._fail_on_missing)
