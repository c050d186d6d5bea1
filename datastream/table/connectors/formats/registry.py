"""Formats by name, and their options in a WITH clause."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from datastream.errors import ValidationError
from datastream.table.connectors.options import Option, Settings
from datastream.table.plan.errors import missing_name

from .format import TableFormat

_FORMATS = {
    "avro": ("avro_format", "AvroFormat"),
    "avro-confluent": ("avro_format", "AvroConfluentFormat"),
    "canal-json": ("canal_json", "CanalJsonFormat"),
    "csv": ("csv_format", "CsvFormat"),
    "debezium-avro-confluent": ("debezium_avro", "DebeziumAvroFormat"),
    "debezium-json": ("debezium_json", "DebeziumJsonFormat"),
    "json": ("json_format", "JsonFormat"),
    "maxwell-json": ("maxwell_json", "MaxwellJsonFormat"),
    "ogg-json": ("ogg_json", "OggJsonFormat"),
    "protobuf": ("protobuf_format", "ProtobufFormat"),
    "raw": ("raw_format", "RawFormat"),
}


def line_formats() -> list[str]:
    """The names of the formats whose messages may be lines of a file."""
    return [name for name in sorted(_FORMATS) if find_format(name, "").lines]


def find_format(name: str, of: str) -> TableFormat:
    """The format of a name.

    Args:
        name: As in the option ``format``.
        of: For errors: the table.

    Raises:
        ValidationError: there is none.
    """
    if name not in _FORMATS:
        raise ValidationError(f"{of}: {missing_name('format', name, _FORMATS)}")
    module, cls = _FORMATS[name]
    found: TableFormat = getattr(importlib.import_module(f".{module}", __package__), cls)()
    return found


def format_options(prefix: str, form: TableFormat) -> Iterator[Option]:
    """A format's options as they stand in the WITH clause.

    Args:
        prefix: In front of the format's name: empty, ``key.`` or ``value.``.
        form: The format.
    """
    for option in form.options:
        yield replace(option, name=f"{prefix}{form.name}.{option.name}")


def format_settings(prefix: str, form: TableFormat, settings: Settings) -> Mapping[str, Any]:
    """A format's options, read, by their names without the format's; one that ends with ``*`` is a dict or None."""
    found = {}
    for option in form.options:
        name = f"{prefix}{form.name}.{option.name}"
        found[option.name] = settings.below(name.removesuffix("*")) if name.endswith("*") else settings[name]
    return found
