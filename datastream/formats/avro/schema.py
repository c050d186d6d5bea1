"""An Avro schema, parsed and checked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from datastream.errors import ValidationError
from datastream.formats.avro.nodes import Node
from datastream.formats.avro.parsing import parse


class AvroSchema:
    """A schema of Avro.

    Args:
        json_schema: The schema's JSON.
        references: The JSON of schemas whose names it mentions, each after those that it mentions itself.

    Raises:
        ValidationError: it is no JSON or no valid schema; the message says where and why.
    """

    def __init__(self, json_schema: str, references: Sequence[str] = ()) -> None:
        self._json = json_schema
        self._references = tuple(references)
        self.node  # noqa: B018  parsed now, so that a wrong schema fails here

    @staticmethod
    def parse_string(json_schema: str) -> AvroSchema:
        """The schema of a str of JSON.

        Raises:
            ValidationError: it is no JSON or no valid schema; the message says where and why.
        """
        return AvroSchema(json_schema)

    @staticmethod
    def parse_file(file_path: str) -> AvroSchema:
        """The schema in a file of JSON, in UTF-8.

        Raises:
            ValidationError: the file cannot be read, or holds no valid schema.
        """
        try:
            with open(file_path, encoding="utf-8") as file:
                text = file.read()
        except (OSError, ValueError) as error:
            raise ValidationError(f"AvroSchema.parse_file: cannot read {file_path!r}: {error}") from error
        try:
            return AvroSchema(text)
        except ValidationError as error:
            raise ValidationError(f"{file_path}: {error}") from None

    @cached_property
    def node(self) -> Node:
        """The type, as `nodes` has it."""
        return parse(self._json, self._references)

    def __getstate__(self) -> tuple[str, tuple[str, ...]]:
        return self._json, self._references

    def __setstate__(self, state: tuple[str, tuple[str, ...]]) -> None:
        self._json, self._references = state

    def __eq__(self, other: object) -> bool:
        return self.__getstate__() == other.__getstate__() if isinstance(other, AvroSchema) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._json)

    def __str__(self) -> str:
        return self._json

    def __repr__(self) -> str:
        return f"AvroSchema({self._json})"
