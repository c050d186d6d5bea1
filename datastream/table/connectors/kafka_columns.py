"""Which columns of a table are in the keys and which in the values of Kafka's records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from datastream.errors import ValidationError
from datastream.table.plan.errors import unknown
from datastream.table.plan.relations import Column

from .connector import TableInfo
from .formats.changes import ChangeFormat
from .formats.format import Decoder, Layout, TableFormat
from .formats.registry import find_format, format_options, format_settings
from .options import Option, Settings

FORMAT_OPTIONS = (
    Option("format", doc="Of the values; the same as 'value.format'."),
    Option("value.format", doc="Of the values."),
    Option("key.format", doc="Of the keys. Default: keys are not read, and not written."),
    Option("key.fields", "list", (), doc="The columns of the keys."),
    Option("key.fields-prefix", default="", doc="What the names of the keys' columns begin with, in the table only."),
    Option(
        "value.fields-include",
        default="all",
        choices=("all", "except_key"),
        doc="Whether the columns of the keys are in the values too.",
    ),
)


@dataclass(frozen=True)
class Part:
    """The key or the value of records.

    Attributes:
        form: Its format.
        options: The format's, read.
        layout: Its columns, by the names that they have in the format.
        names: Their names in the table.
    """

    form: TableFormat
    options: Mapping[str, Any]
    layout: Layout
    names: tuple[str, ...]

    @property
    def has_changes(self) -> bool:
        """Whether its rows are changes."""
        return isinstance(self.form, ChangeFormat)


def value_format(table: TableInfo) -> TableFormat | None:
    """The format of the values; None: none is named."""
    name = table.options.get("value.format") or table.options.get("format")
    return None if name is None else find_format(name, str(table))


def options_of_formats(table: TableInfo) -> Iterator[Option]:
    """The options of the formats that a table names.

    Raises:
        ValidationError: there is no such format.
    """
    for option, prefix in (("format", ""), ("value.format", "value."), ("key.format", "key.")):
        name = table.options.get(option)
        if name is not None:
            yield from format_options(prefix, find_format(name, str(table)))


def value_part(table: TableInfo, settings: Settings, keys: tuple[str, ...]) -> Part:
    """The values of the table's records.

    Args:
        table: The table.
        settings: Its options.
        keys: The columns of its keys.

    Raises:
        ValidationError: there is no format, or the columns do not fit it.
    """
    both = settings["format"] is not None and settings["value.format"] is not None
    name = settings["value.format"] or settings["format"]
    if name is None or both:
        raise ValidationError(f"{table}: set one of the options 'format' and 'value.format'")
    prefix = "" if settings["value.format"] is None else "value."
    start = settings["key.fields-prefix"]
    without = settings["value.fields-include"] == "except_key"
    if start and not without:
        raise ValidationError(f"{table}: 'key.fields-prefix' needs 'value.fields-include' = 'EXCEPT_KEY'")
    columns = tuple(column for column in table.columns if not (without and column.name in keys))
    return _part(table, settings, name, prefix, columns, "")


def key_part(table: TableInfo, settings: Settings, keys: tuple[str, ...]) -> Part | None:
    """The keys of the table's records; None: there are none. See `value_part`."""
    name = settings["key.format"]
    if name is None:
        if keys:
            raise ValidationError(f"{table}: 'key.fields' needs the option 'key.format'")
        return None
    if not keys:
        raise ValidationError(f"{table}: 'key.format' needs the option 'key.fields'")
    start = settings["key.fields-prefix"]
    columns = []
    for key in keys:
        names = [column.name for column in table.columns]
        if key not in names:
            raise ValidationError(f"{table}: {unknown('column', key, names)}")
        if not key.startswith(start):
            raise ValidationError(f"{table}: the column '{key}' of 'key.fields' must begin with '{start}'")
        columns.append(next(column for column in table.columns if column.name == key))
    return _part(table, settings, name, "key.", tuple(columns), start)


def decoder(part: Part, wanted: Sequence[str], metadata: Sequence[str] = ()) -> Decoder:
    """What reads the wanted columns of a part, by their names in the table, and keys of its format's metadata."""
    inner = dict(zip(part.names, part.layout.names, strict=True))
    columns = [inner[name] for name in wanted]
    if isinstance(part.form, ChangeFormat):
        keys = [key.removeprefix("value.") for key in metadata]
        return part.form.change_decoder(part.layout, columns, part.options, keys)
    return part.form.decoder(part.layout, columns, part.options)


def _part(
    table: TableInfo, settings: Settings, name: str, prefix: str, columns: tuple[Column, ...], start: str
) -> Part:
    form = find_format(name, str(table))
    if prefix == "key." and isinstance(form, ChangeFormat):
        raise ValidationError(f"{table}: 'key.format' cannot be '{name}', whose messages are changes")
    inner = tuple(Column(column.name.removeprefix(start), column.type) for column in columns)
    of = f"{table}, {'key.' if prefix == 'key.' else ''}format {name}"
    topics = settings["topic"]
    subject = f"{topics[0]}-{'key' if prefix == 'key.' else 'value'}" if len(topics) == 1 else None
    fields = () if prefix == "key." else table.fields  # names of keys' columns may have a prefix
    layout = Layout(inner, of, subject, fields)
    return Part(form, format_settings(prefix, form, settings), layout, tuple(c.name for c in columns))
