"""`TableDescriptor` and `FormatDescriptor`: tables as objects, in place of CREATE TABLE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from datastream.config import ConfigOption
from datastream.errors import ValidationError, cut
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.schema import Schema
from datastream.table.types.type_text import quoted


@dataclass(frozen=True)
class FormatDescriptor:
    """A format and its options.

    Attributes:
        format: Its name.
        options: Without the format's name in front.
    """

    format: str
    options: Mapping[str, str] = field(default_factory=dict)

    class Builder:
        """Makes a format."""

        def __init__(self, format: str) -> None:
            self._format, self._options = format, dict[str, str]()

        def option(self, key: str | ConfigOption[Any], value: Any) -> FormatDescriptor.Builder:
            """Set an option, without the format's name in front."""
            self._options[_key(key)] = _text(value)
            return self

        def build(self) -> FormatDescriptor:
            """The format."""
            return FormatDescriptor(self._format, dict(self._options))

    @staticmethod
    def for_format(format: str) -> FormatDescriptor.Builder:
        """A builder of a format, by its name such as ``json``."""
        return FormatDescriptor.Builder(_name("for_format", format))

    def get_format(self) -> str:
        """Its name."""
        return self.format

    def get_options(self) -> dict[str, str]:
        """Its options."""
        return dict(self.options)

    def __str__(self) -> str:
        return f"{self.format}[{{{_pairs(self.options)}}}]"

    def __hash__(self) -> int:
        return hash((self.format, frozenset(self.options.items())))


@dataclass(frozen=True)
class TableDescriptor:
    """A table: connector, options and columns.

    Attributes:
        schema: The columns; None: those of the rows that are written.
        options: The WITH clause.
        partition_keys: Names of columns.
        comment: For people.
    """

    schema: Schema | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    partition_keys: tuple[str, ...] = ()
    comment: str | None = None

    class Builder:
        """Makes a table."""

        def __init__(self, connector: str) -> None:
            self._schema: Schema | None = None
            self._options = {"connector": connector}
            self._keys: tuple[str, ...] = ()
            self._comment: str | None = None

        def schema(self, schema: Schema) -> TableDescriptor.Builder:
            """Set the columns."""
            if not isinstance(schema, Schema):
                raise ValidationError(
                    f"TableDescriptor.schema needs what Schema.new_builder()...build() returns, got {cut(schema)}"
                )
            self._schema = schema
            return self

        def option(self, key: str | ConfigOption[Any], value: Any) -> TableDescriptor.Builder:
            """Set an option of the WITH clause."""
            self._options[_key(key)] = _text(value)
            return self

        def format(
            self, format: str | FormatDescriptor, format_option: ConfigOption[str] | None = None
        ) -> TableDescriptor.Builder:
            """Set the format.

            Args:
                format: Its name, or the format with options.
                format_option: The option that names it. Default: ``format``.
            """
            key = "format" if format_option is None else format_option.key
            if isinstance(format, str):
                self._options[key] = format
                return self
            prefix = key.removesuffix("format") + format.format
            self._options[key] = format.format
            self._options |= {f"{prefix}.{name}": value for name, value in format.options.items()}
            return self

        def partitioned_by(self, *partition_keys: str) -> TableDescriptor.Builder:
            """Set the columns of partitions."""
            self._keys = (*self._keys, *partition_keys)
            return self

        def comment(self, comment: str) -> TableDescriptor.Builder:
            """Say something of it, for people."""
            self._comment = comment
            return self

        def build(self) -> TableDescriptor:
            """The table."""
            return TableDescriptor(self._schema, dict(self._options), self._keys, self._comment)

    @staticmethod
    def for_connector(connector: str) -> TableDescriptor.Builder:
        """A builder of a table, by its connector's name such as ``kafka``."""
        return TableDescriptor.Builder(_name("for_connector", connector))

    def get_schema(self) -> Schema | None:
        """The columns; None: those of the rows that are written."""
        return self.schema

    def get_options(self) -> dict[str, str]:
        """The WITH clause."""
        return dict(self.options)

    def get_partition_keys(self) -> list[str]:
        """Names of columns."""
        return list(self.partition_keys)

    def get_comment(self) -> str | None:
        """What is said of it, for people."""
        return self.comment

    def as_catalog_table(self, schema: Schema | None = None) -> CatalogBaseTable:
        """What a catalog keeps of it.

        Args:
            schema: The columns, if it has none itself.

        Raises:
            ValidationError: nothing says which columns it has.
        """
        found = self.schema or schema
        if found is None:
            raise ValidationError("Missing schema in TableDescriptor. A schema is typically required.")
        return CatalogBaseTable(found, dict(self.options), self.partition_keys, self.comment)

    def __str__(self) -> str:
        lines = [str(self.schema or "")]
        if self.comment is not None:
            lines.append(f"COMMENT '{self.comment}'")
        if self.partition_keys:
            lines.append(f"PARTITIONED BY ({', '.join(map(quoted, self.partition_keys))})")
        options = ",\n  ".join(f"'{key}' = '{value}'" for key, value in self.options.items())
        return "\n".join([*lines, f"WITH (\n  {options}\n)"])

    def __hash__(self) -> int:
        return hash((self.schema, frozenset(self.options.items()), self.partition_keys, self.comment))


def _key(key: str | ConfigOption[Any]) -> str:
    found = key.key if isinstance(key, ConfigOption) else key
    return _name("option", found)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _name(call: str, name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise ValidationError(f"{call} needs a name, got {cut(name)}")
    return name


def _pairs(options: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in options.items())
