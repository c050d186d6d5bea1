"""Methods of `Expression` on JSON."""

from __future__ import annotations

from typing import Any, Self

from datastream.table.dsl.base import BaseExpression, TypeArgument, literal
from datastream.table.dsl.units import (
    JsonExistsOnError,
    JsonQueryOnEmptyOrError,
    JsonQueryWrapper,
    JsonType,
    JsonValueOnEmptyOrError,
)
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType


class JsonMethods(BaseExpression):
    """JSON in texts."""

    __slots__ = ()

    def is_json(self, json_type: JsonType | None = None) -> Self:
        """Whether it is JSON, of a kind if one is given."""
        return self._call("IS_JSON", *([] if json_type is None else [json_type]))

    def json_exists(self, path: str, on_error: JsonExistsOnError | None = None) -> Self:
        """Whether a path finds something. Default where it fails: FALSE."""
        return self._call("JSON_EXISTS", path, *([] if on_error is None else [on_error]))

    def json_value(
        self,
        path: str,
        returning_type: DataType = DataTypes.STRING(),  # noqa: B008
        on_empty: JsonValueOnEmptyOrError = JsonValueOnEmptyOrError.NULL,
        default_on_empty: Any = None,
        on_error: JsonValueOnEmptyOrError = JsonValueOnEmptyOrError.NULL,
        default_on_error: Any = None,
    ) -> Self:
        """A scalar value by its path.

        Args:
            path: Such as ``$.a[0]``, or ``lax $.a``, ``strict $.a``.
            returning_type: STRING, BOOLEAN, INT or DOUBLE.
            on_empty: What it is where the path finds nothing.
            default_on_empty: Used with DEFAULT.
            on_error: What it is where the path fails, or finds an array or an object.
            default_on_error: Used with DEFAULT.
        """
        returning = TypeArgument(None, type=returning_type.nullable())
        empty, error = literal(default_on_empty), literal(default_on_error)
        return self._call("JSON_VALUE", path, returning, on_empty, empty, on_error, error)

    def json_query(
        self,
        path: str,
        wrapping_behavior: JsonQueryWrapper = JsonQueryWrapper.WITHOUT_ARRAY,
        on_empty: JsonQueryOnEmptyOrError = JsonQueryOnEmptyOrError.NULL,
        on_error: JsonQueryOnEmptyOrError = JsonQueryOnEmptyOrError.NULL,
    ) -> Self:
        """An array or an object by its path, as JSON.

        Args:
            path: As in `json_value`.
            wrapping_behavior: Whether the result is put into an array.
            on_empty: What it is where the path finds nothing.
            on_error: What it is where the path fails, or finds a scalar value.
        """
        returning = TypeArgument(None, type=DataTypes.STRING())
        return self._call("JSON_QUERY", path, returning, wrapping_behavior, on_empty, on_error)

    def json_quote(self) -> Self:
        """A text as a JSON string, in quotes."""
        return self._call("JSON_QUOTE")

    def json_unquote(self) -> Self:
        """A JSON string as its text."""
        return self._call("JSON_UNQUOTE")
